#include <cstdlib>
#include <cstring>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/numpy_abi.h>
#include <executorch/runtime/python/tensor_input.h>
#include <executorch/runtime/python/tensor_output.h>
#include <executorch/runtime/python/text.h>

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
    const Object type = import_from("torch", "Tensor");
    api = exchange_api_of(reinterpret_cast<PyTypeObject*>(type.get()));
  }
  return api;
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

Object OutputValue::tensor_to_torch() const {
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
      throw PythonError();
    }
    return Object::steal(static_cast<PyObject*>(object));
  }
  const Object capsule =
      checked(PyCapsule_New(&managed, "dltensor_versioned", [](PyObject* unused) {
        // Renamed by whoever took the tensor over.
        if (PyCapsule_IsValid(unused, "dltensor_versioned")) {
          auto* tensor = static_cast<dlpack::ManagedTensorVersioned*>(
              PyCapsule_GetPointer(unused, "dltensor_versioned"));
          tensor->deleter(tensor);
        }
      }));
  return call(import_from("torch", "from_dlpack"), {capsule});
}

Object OutputValue::tensor_to_numpy() const {
  const auto item_size = static_cast<int64_t>(elementSize(tensor_.dtype));
  std::array<int64_t, kTensorDimensionLimit> strides = {};
  for (size_t i = 0; i < tensor_.rank; ++i) {
    strides[i] = tensor_.strides[i] * item_size;
  }
  return numpy_array(tensor_.dtype, tensor_.rank, tensor_.sizes.data(), strides.data(),
                     tensor_.data);
}

Object OutputValue::to_python(ArrayLibrary library) const {
  switch (tag_) {
    case Tag::None:
      return none();
    case Tag::Tensor:
      return library == ArrayLibrary::kTorch ? tensor_to_torch() : tensor_to_numpy();
    case Tag::Int:
      return python::to_python(int_);
    case Tag::Bool:
      return python::to_python(int_ != 0);
    case Tag::Double:
      return python::to_python(double_);
    case Tag::String:
      return decode(string_);
    default: {
      Object items = checked(PyList_New(0));
      for (const OutputValue& item : items_) {
        append(items, item.to_python(library));
      }
      return items;
    }
  }
}

ArrayLibrary default_array_library() {
  // Looks without importing; a module that is still being imported has no Tensor yet.
  static PyObject* const name = PyUnicode_InternFromString("torch");
  static bool complete = false;
  const Object torch = Object::steal(PyImport_GetModule(name));
  if (!torch) {
    PyErr_Clear();
    return ArrayLibrary::kNumpy;
  }
  complete = complete || attribute_if_any(torch.get(), "Tensor");
  return complete ? ArrayLibrary::kTorch : ArrayLibrary::kNumpy;
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
