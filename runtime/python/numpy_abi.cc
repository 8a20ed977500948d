#include <array>
#include <string>

#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/numpy_abi.h>
#include <executorch/runtime/python/text.h>

namespace executorch {
namespace runtime {
namespace python {

using executorch::aten::ScalarType;

namespace {

/// The functions of NumPy's table that are used here.
struct NumpyApi {
  PyObject* array_type;
  /// Takes over the reference to the dtype.
  PyObject* (*new_from_descr)(PyObject* type, PyObject* dtype, int rank, const intptr_t* sizes,
                              const intptr_t* strides, void* data, int flags, PyObject* like);
  /// Takes over the reference to the base.
  int (*set_base_object)(PyObject* array, PyObject* base);
  PyObject* (*descr_from_type)(int number);
};

constexpr int kWriteable = 0x0400;

const NumpyApi& numpy() {
  // NumPy cannot be unloaded, so what was found once stays valid.
  static NumpyApi api = {};
  if (api.array_type != nullptr) {
    return api;
  }
  Object module = Object::steal(PyImport_ImportModule("numpy._core.multiarray"));
  if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) != 0) {
    PyErr_Clear();
    module = checked(PyImport_ImportModule("numpy.core.multiarray"));  // Before NumPy 2.
  }
  if (!module) {
    throw PythonError();
  }
  const Object capsule = attribute(module.get(), "_ARRAY_API");
  auto* const table = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (table == nullptr) {
    throw PythonError();
  }
  api.new_from_descr = reinterpret_cast<decltype(api.new_from_descr)>(table[94]);
  api.set_base_object = reinterpret_cast<decltype(api.set_base_object)>(table[282]);
  api.descr_from_type = reinterpret_cast<decltype(api.descr_from_type)>(table[45]);
  api.array_type = static_cast<PyObject*>(table[2]);
  return api;
}

/// NumPy's number for a dtype; -1 if it has none. The numbers are part of its binary interface.
int type_number(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return 0;
    case ScalarType::Char:
      return 1;
    case ScalarType::Byte:
      return 2;
    case ScalarType::Short:
      return 3;
    case ScalarType::UInt16:
      return 4;
    case ScalarType::Int:
      return 5;
    case ScalarType::UInt32:
      return 6;
    case ScalarType::Long:
      return sizeof(long) == 8 ? 7 : 9;
    case ScalarType::UInt64:
      return sizeof(long) == 8 ? 8 : 10;
    case ScalarType::Float:
      return 11;
    case ScalarType::Double:
      return 12;
    case ScalarType::ComplexFloat:
      return 14;
    case ScalarType::ComplexDouble:
      return 15;
    case ScalarType::Half:
      return 23;
    default:
      return -1;
  }
}

/// The dtypes that NumPy has only with the ml_dtypes package.
Object dtype_of(ScalarType type) {
  const int number = type_number(type);
  if (number >= 0) {
    return checked(numpy().descr_from_type(number));
  }
  const char* const name = dtype_name(type);
  try {
    return call(import_from("numpy", "dtype"), {import_from("ml_dtypes", name)});
  } catch (const PythonError&) {
    PyErr_Clear();
    throw Failure(
        Error::NotSupported,
        std::string("an output has dtype ") + name +
            ", which NumPy does not have; import torch before running the method, or install "
            "ml_dtypes");
  }
}

constexpr char kShare[] = "executorch.runtime: share in an output's memory";

/// An object that keeps a share of memory.
Object share_of(const std::shared_ptr<void>& data) {
  auto share = std::make_unique<std::shared_ptr<void>>(data);
  Object capsule = checked(PyCapsule_New(share.get(), kShare, [](PyObject* self) {
    delete static_cast<std::shared_ptr<void>*>(PyCapsule_GetPointer(self, kShare));
  }));
  share.release();
  return capsule;
}

}  // namespace

Object numpy_array(ScalarType dtype, size_t rank, const int64_t* sizes, const int64_t* strides,
                   const std::shared_ptr<void>& data) {
  const NumpyApi& api = numpy();
  std::array<intptr_t, kTensorDimensionLimit> shape = {};
  std::array<intptr_t, kTensorDimensionLimit> steps = {};
  for (size_t i = 0; i < rank; ++i) {
    shape[i] = static_cast<intptr_t>(sizes[i]);
    steps[i] = static_cast<intptr_t>(strides[i]);
  }
  Object array =
      checked(api.new_from_descr(api.array_type, dtype_of(dtype).release(), static_cast<int>(rank),
                                 shape.data(), steps.data(), data.get(), kWriteable, nullptr));
  check(api.set_base_object(array.get(), share_of(data).release()));
  return array;
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
