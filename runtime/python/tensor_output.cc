#include <cstdlib>
#include <cstring>

#include <pybind11/numpy.h>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/tensor_input.h>
#include <executorch/runtime/python/tensor_output.h>
#include <executorch/runtime/python/text.h>

namespace py = pybind11;

namespace executorch {
namespace runtime {
namespace python {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;

namespace {

constexpr size_t kAlignment = 64;

/// What a DLPack consumer holds: the tensor, its metadata, and a share in the memory.
struct Shipment {
  dlpack::ManagedTensorVersioned managed;
  std::array<int64_t, kTensorDimensionLimit> sizes;
  std::array<int64_t, kTensorDimensionLimit> strides;
  std::shared_ptr<void> data;
};

/// The exchange interface of torch.Tensor; null for a torch that is too old to have one.
const dlpack::ExchangeApi* torch_exchange_api() {
  // torch cannot be unloaded, so what was found once stays valid.
  static const dlpack::ExchangeApi* api = nullptr;
  if (api == nullptr) {
    const py::object type = py::module_::import("torch").attr("Tensor");
    api = exchange_api_of(reinterpret_cast<PyTypeObject*>(type.ptr()));
  }
  return api;
}

/// NumPy's number for a dtype; -1 if it has none. The numbers are part of its binary interface.
int numpy_type_number(ScalarType type) {
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
py::dtype numpy_dtype(ScalarType type) {
  const int number = numpy_type_number(type);
  if (number >= 0) {
    return py::dtype(number);
  }
  const char* name = dtype_name(type);
  try {
    return py::dtype::from_args(py::module_::import("ml_dtypes").attr(name));
  } catch (py::error_already_set&) {
    throw Failure(
        Error::NotSupported,
        std::string("an output has dtype ") + name +
            ", which NumPy does not have; import torch before running the method, or install "
            "ml_dtypes");
  }
}

}  // namespace

OutputMemory OutputMemory::allocate(size_t size) {
  const size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  void* data =
      rounded < size ? nullptr : std::aligned_alloc(kAlignment, rounded > 0 ? rounded : kAlignment);
  if (data == nullptr) {
    throw Failure(Error::MemoryAllocationFailed,
                  "no memory for an output of " + std::to_string(size) + " bytes");
  }
  return {std::shared_ptr<void>(data, [](void* block) { std::free(block); }), size};
}

OutputValue OutputValue::copy_of(const EValue& value) { return make(value, nullptr); }

OutputValue OutputValue::view_of(const EValue& value, const std::shared_ptr<void>& owner) {
  return make(value, &owner);
}

void OutputValue::take_tensor(const Tensor& tensor, const std::shared_ptr<void>* owner) {
  tag_ = Tag::Tensor;
  tensor_.dtype = tensor.scalar_type();
  tensor_.rank = static_cast<size_t>(tensor.dim());
  for (size_t i = 0; i < tensor_.rank; ++i) {
    tensor_.sizes[i] = tensor.sizes()[i];
    tensor_.strides[i] = tensor.strides()[i];
  }
  void* data = const_cast<void*>(tensor.const_data_ptr());
  if (data == nullptr && tensor.nbytes() > 0) {
    throw Failure(Error::InvalidState, "an output has no data; has the method run?");
  }
  const executorch::aten::Device device = tensor.device();
  if (owner != nullptr && device.is_cpu()) {
    tensor_.data = std::shared_ptr<void>(*owner, data);
    return;
  }
  tensor_.data = OutputMemory::allocate(tensor.nbytes()).data;
  if (tensor.nbytes() == 0) {
    return;
  }
  if (device.is_cpu()) {
    std::memcpy(tensor_.data.get(), data, tensor.nbytes());
    return;
  }
  DeviceAllocator* const allocator = get_device_allocator(device.type());
  const Error error = allocator == nullptr
                          ? Error::NotFound
                          : allocator->copy_device_to_host(tensor_.data.get(), data,
                                                           tensor.nbytes(), device.index());
  if (error != Error::Ok) {
    throw Failure(error, "copying an output from the memory of a device");
  }
}

OutputValue OutputValue::make(const EValue& value, const std::shared_ptr<void>* owner) {
  OutputValue result;
  result.tag_ = value.tag;
  switch (value.tag) {
    case Tag::None:
      break;
    case Tag::Int:
      result.int_ = value.toInt();
      break;
    case Tag::Bool:
      result.int_ = value.toBool() ? 1 : 0;
      break;
    case Tag::Double:
      result.double_ = value.toDouble();
      break;
    case Tag::String:
      result.string_ = std::string(value.toString().data(), value.toString().size());
      break;
    case Tag::Tensor:
      result.take_tensor(value.toTensor(), owner);
      break;
    case Tag::ListInt:
      for (const int64_t item : value.toIntList()) {
        result.items_.push_back(make(EValue(item), owner));
      }
      break;
    case Tag::ListBool:
      for (const bool item : value.toBoolList()) {
        result.items_.push_back(make(EValue(item), owner));
      }
      break;
    case Tag::ListDouble:
      for (const double item : value.toDoubleList()) {
        result.items_.push_back(make(EValue(item), owner));
      }
      break;
    case Tag::ListTensor:
      for (const Tensor& item : value.toTensorList()) {
        result.items_.push_back(make(EValue(item), owner));
      }
      break;
    case Tag::ListOptionalTensor:
      for (const auto& item : value.toListOptionalTensor()) {
        result.items_.push_back(item.has_value() ? make(EValue(item.value()), owner)
                                                 : OutputValue());
      }
      break;
    default:
      throw Failure(Error::NotSupported,
                    std::string("there is no Python object for an output that is a ") +
                        value_kind(value.tag));
  }
  return result;
}

py::object OutputValue::tensor_to_torch() const {
  const std::optional<dlpack::DataType> dtype = to_dlpack_dtype(tensor_.dtype);
  if (!dtype) {
    throw Failure(Error::NotSupported,
                  std::string("there is no torch tensor for an output of dtype ") +
                      dtype_name(tensor_.dtype));
  }
  auto* shipment = new Shipment{{}, tensor_.sizes, tensor_.strides, tensor_.data};
  dlpack::ManagedTensorVersioned& managed = shipment->managed;
  managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed.manager_context = shipment;
  managed.deleter = [](dlpack::ManagedTensorVersioned* self) {
    delete static_cast<Shipment*>(self->manager_context);
  };
  managed.flags = 0;
  managed.tensor = {tensor_.data.get(),
                    {dlpack::kCpu, 0},
                    static_cast<int32_t>(tensor_.rank),
                    *dtype,
                    shipment->sizes.data(),
                    shipment->strides.data(),
                    0};

  if (const dlpack::ExchangeApi* api = torch_exchange_api()) {
    void* object = nullptr;
    if (api->object_from_managed(&managed, &object) != 0) {
      throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(static_cast<PyObject*>(object));
  }
  PyObject* capsule = PyCapsule_New(&managed, "dltensor_versioned", [](PyObject* unused) {
    // Renamed by whoever took the tensor over.
    if (PyCapsule_IsValid(unused, "dltensor_versioned")) {
      auto* tensor = static_cast<dlpack::ManagedTensorVersioned*>(
          PyCapsule_GetPointer(unused, "dltensor_versioned"));
      tensor->deleter(tensor);
    }
  });
  return py::module_::import("torch").attr("from_dlpack")(
      py::reinterpret_steal<py::object>(capsule));
}

py::object OutputValue::tensor_to_numpy() const {
  const py::dtype dtype = numpy_dtype(tensor_.dtype);
  const auto item_size = static_cast<py::ssize_t>(elementSize(tensor_.dtype));
  std::vector<py::ssize_t> sizes(tensor_.sizes.begin(), tensor_.sizes.begin() + tensor_.rank);
  std::vector<py::ssize_t> strides;
  for (size_t i = 0; i < tensor_.rank; ++i) {
    strides.push_back(tensor_.strides[i] * item_size);
  }
  auto* share = new std::shared_ptr<void>(tensor_.data);
  const py::capsule owner(
      share, [](void* pointer) { delete static_cast<std::shared_ptr<void>*>(pointer); });
  return py::array(dtype, std::move(sizes), std::move(strides), tensor_.data.get(), owner);
}

py::object OutputValue::to_python(ArrayLibrary library) const {
  switch (tag_) {
    case Tag::None:
      return py::none();
    case Tag::Tensor:
      return library == ArrayLibrary::kTorch ? tensor_to_torch() : tensor_to_numpy();
    case Tag::Int:
      return py::int_(int_);
    case Tag::Bool:
      return py::bool_(int_ != 0);
    case Tag::Double:
      return py::float_(double_);
    case Tag::String:
      return decode(string_);
    default: {
      py::list items;
      for (const OutputValue& item : items_) {
        items.append(item.to_python(library));
      }
      return std::move(items);
    }
  }
}

ArrayLibrary default_array_library() {
  // Looks without importing; a module that is still being imported has no Tensor yet.
  static PyObject* const name = PyUnicode_InternFromString("torch");
  static bool complete = false;
  const py::object torch = py::reinterpret_steal<py::object>(PyImport_GetModule(name));
  if (!torch) {
    PyErr_Clear();
    return ArrayLibrary::kNumpy;
  }
  complete = complete || py::hasattr(torch, "Tensor");
  return complete ? ArrayLibrary::kTorch : ArrayLibrary::kNumpy;
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
