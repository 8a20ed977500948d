#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/python/py_object.h>
#include <executorch/runtime/python/tensor_input.h>
#include <executorch/runtime/python/text.h>

namespace executorch {
namespace runtime {
namespace python {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::TensorImpl;

namespace {

struct DtypePair {
  ScalarType type;
  dlpack::DataType dlpack;
};

constexpr DtypePair kDtypes[] = {
    {ScalarType::Float, {dlpack::kFloat, 32, 1}},
    {ScalarType::Long, {dlpack::kInt, 64, 1}},
    {ScalarType::Int, {dlpack::kInt, 32, 1}},
    {ScalarType::Bool, {dlpack::kBool, 8, 1}},
    {ScalarType::Byte, {dlpack::kUInt, 8, 1}},
    {ScalarType::Char, {dlpack::kInt, 8, 1}},
    {ScalarType::Short, {dlpack::kInt, 16, 1}},
    {ScalarType::Half, {dlpack::kFloat, 16, 1}},
    {ScalarType::Double, {dlpack::kFloat, 64, 1}},
    {ScalarType::BFloat16, {dlpack::kBfloat, 16, 1}},
    {ScalarType::UInt16, {dlpack::kUInt, 16, 1}},
    {ScalarType::UInt32, {dlpack::kUInt, 32, 1}},
    {ScalarType::UInt64, {dlpack::kUInt, 64, 1}},
    {ScalarType::ComplexFloat, {dlpack::kComplex, 64, 1}},
    {ScalarType::ComplexDouble, {dlpack::kComplex, 128, 1}},
    {ScalarType::Float8_e4m3fn, {dlpack::kFloat8E4M3FN, 8, 1}},
    {ScalarType::Float8_e4m3fnuz, {dlpack::kFloat8E4M3FNUZ, 8, 1}},
    {ScalarType::Float8_e5m2, {dlpack::kFloat8E5M2, 8, 1}},
    {ScalarType::Float8_e5m2fnuz, {dlpack::kFloat8E5M2FNUZ, 8, 1}},
};

ScalarType from_dlpack_dtype(const dlpack::DataType& dtype) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.dlpack.code == dtype.code && pair.dlpack.bits == dtype.bits && dtype.lanes == 1) {
      return pair.type;
    }
  }
  return ScalarType::Undefined;
}

/// The scalar type behind a `struct` format of one item; Undefined for anything compound or
/// foreign.
ScalarType from_buffer_format(const char* format, size_t item_size) {
  if (format == nullptr) {
    return ScalarType::Byte;
  }
  if (*format == '@' || *format == '=' || *format == '<') {
    ++format;
  }
  const bool complex = *format == 'Z';
  format += complex ? 1 : 0;
  if (format[0] == '\0' || format[1] != '\0') {
    return ScalarType::Undefined;
  }
  uint8_t code = 0;
  if (std::strchr("bhilqn", *format) != nullptr) {
    code = dlpack::kInt;
  } else if (std::strchr("BHILQN", *format) != nullptr) {
    code = dlpack::kUInt;
  } else if (std::strchr("efd", *format) != nullptr) {
    code = complex ? dlpack::kComplex : dlpack::kFloat;
  } else if (*format == '?') {
    code = dlpack::kBool;
  } else {
    return ScalarType::Undefined;
  }
  return from_dlpack_dtype({code, static_cast<uint8_t>(item_size * 8), 1});
}

[[noreturn]] void refuse(const std::string& what) { throw UnusableArray(what); }

/// Takes the pending Python exception, of which there is one.
Object take_exception() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return Object::steal(value);
}

/// str() of an object for a message, which says so where that fails.
std::string described_if_possible(PyObject* object) {
  try {
    return described(object);
  } catch (const PythonError&) {
    PyErr_Clear();
    return "it cannot be described";
  }
}

/// An object that calls itself an array but cannot be read as one; clears the pending Python
/// exception.
[[noreturn]] void refuse_unreadable(PyObject* object) {
  const Object error = take_exception();
  // Where the reason is that the memory is elsewhere, that is easier to understand than the
  // library's words.
  const Object device = attribute_if_any(object, "device");
  if (device && device.get() != Py_None) {
    const std::string place = described_if_possible(device.get());
    if (place.rfind("cpu", 0) != 0) {
      refuse("a " + type_name(object) + " that is on device " + place +
             ", not in memory of the CPU (released packages take only CPU and CUDA tensors, this "
             "runtime those of the CPU)");
    }
  }
  std::string reason = error ? described_if_possible(error.get()) : "no reason given";
  // Some libraries append a stack trace.
  reason.resize(std::min(reason.size(), reason.find('\n')));
  refuse("a " + type_name(object) + " that cannot be read (" + reason + ")");
}

/// Whether elements lie one behind the other in `dim_order`.
bool is_packed(const ArrayView& view, Span<const uint8_t> dim_order, size_t item_size) {
  auto step = static_cast<int64_t>(item_size);
  for (size_t i = dim_order.size(); i-- > 0;) {
    const size_t dim = dim_order[i];
    if (view.sizes[dim] == 0) {
      return true;
    }
    if (view.sizes[dim] != 1 && view.strides[dim] != step) {
      return false;
    }
    step *= view.sizes[dim];
  }
  return true;
}

/// Copies `count` items that are `stride` bytes apart to consecutive places.
void copy_row(uint8_t* target, const uint8_t* source, int64_t count, int64_t stride,
              size_t item_size) {
  if (stride == static_cast<int64_t>(item_size)) {
    std::memcpy(target, source, static_cast<size_t>(count) * item_size);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(target + static_cast<size_t>(i) * item_size, source + i * stride, item_size);
  }
}

/// Copies the elements of `view` to `target`, one behind the other in `dim_order`.
void gather(const ArrayView& view, Span<const uint8_t> dim_order, size_t item_size,
            uint8_t* target) {
  const size_t rank = dim_order.size();
  const auto* source = static_cast<const uint8_t*>(view.data);
  if (rank == 0) {
    std::memcpy(target, source, item_size);
    return;
  }
  const size_t inner = dim_order[rank - 1];
  const int64_t row = view.sizes[inner];
  std::array<int64_t, kTensorDimensionLimit> index = {};
  while (true) {
    copy_row(target, source, row, view.strides[inner], item_size);
    target += static_cast<size_t>(row) * item_size;
    size_t level = rank - 1;
    // Steps to the next row, like an odometer over the outer dimensions.
    while (level-- > 0) {
      const size_t dim = dim_order[level];
      source += view.strides[dim];
      if (++index[dim] < view.sizes[dim]) {
        break;
      }
      source -= view.strides[dim] * view.sizes[dim];
      index[dim] = 0;
    }
    if (level == std::numeric_limits<size_t>::max()) {
      return;
    }
  }
}

}  // namespace

std::optional<dlpack::DataType> to_dlpack_dtype(ScalarType type) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.type == type) {
      return pair.dlpack;
    }
  }
  return std::nullopt;
}

const dlpack::ExchangeApi* exchange_api_of(PyTypeObject* type) {
  // Types are few and live long; holding on to them keeps a freed one from being mistaken for
  // another.
  static auto* known = new std::unordered_map<PyTypeObject*, const dlpack::ExchangeApi*>();
  const auto position = known->find(type);
  if (position != known->end()) {
    return position->second;
  }
  const dlpack::ExchangeApi* api = nullptr;
  PyObject* capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__");
  if (capsule == nullptr) {
    PyErr_Clear();
  } else {
    if (PyCapsule_IsValid(capsule, "dlpack_exchange_api")) {
      api = static_cast<const dlpack::ExchangeApi*>(
          PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    }
    Py_DECREF(capsule);
  }
  while (api != nullptr && api->version.major != dlpack::kMajorVersion) {
    api = api->previous;
  }
  Py_INCREF(type);
  known->emplace(type, api);
  return api;
}

std::string ArrayView::describe() const {
  std::string text = std::string(dtype_name(dtype)) + shape_text(sizes.data(), rank);
  std::array<uint8_t, kTensorDimensionLimit> row_major;
  for (size_t i = 0; i < rank; ++i) {
    row_major[i] = static_cast<uint8_t>(i);
  }
  const size_t item_size = elementSize(dtype);
  if (!is_packed(*this, Span<const uint8_t>(row_major.data(), rank), item_size)) {
    std::array<int64_t, kTensorDimensionLimit> steps;
    for (size_t i = 0; i < rank; ++i) {
      steps[i] = strides[i] / static_cast<int64_t>(item_size);
    }
    text += " with strides " + shape_text(steps.data(), rank);
  }
  return text;
}

void BorrowedArray::adopt(const dlpack::Tensor& tensor, bool read_only) {
  if (tensor.device.type != dlpack::kCpu && tensor.device.type != dlpack::kCudaHost) {
    refuse("an array on another device than the CPU (DLPack device type " +
           std::to_string(tensor.device.type) + ")");
  }
  if (tensor.ndim < 0 || static_cast<size_t>(tensor.ndim) > kTensorDimensionLimit) {
    refuse("an array of " + std::to_string(tensor.ndim) + " dimensions (the limit is " +
           std::to_string(kTensorDimensionLimit) + ")");
  }
  view_.dtype = from_dlpack_dtype(tensor.dtype);
  if (view_.dtype == ScalarType::Undefined) {
    refuse("an array of a dtype that the runtime does not have (DLPack type code " +
           std::to_string(tensor.dtype.code) + " with " + std::to_string(tensor.dtype.bits) +
           " bits)");
  }
  view_.rank = static_cast<size_t>(tensor.ndim);
  view_.data = static_cast<uint8_t*>(tensor.data) + tensor.byte_offset;
  view_.read_only = read_only;
  const auto item_size = static_cast<int64_t>(elementSize(view_.dtype));
  int64_t step = item_size;
  for (size_t i = view_.rank; i-- > 0;) {
    view_.sizes[i] = tensor.shape[i];
    view_.strides[i] = tensor.strides != nullptr ? tensor.strides[i] * item_size : step;
    step *= std::max<int64_t>(tensor.shape[i], 1);
  }
}

bool BorrowedArray::try_exchange_api(PyObject* object) {
  const dlpack::ExchangeApi* api = exchange_api_of(Py_TYPE(object));
  if (api == nullptr) {
    return false;
  }
  if (api->view_of_object != nullptr) {
    dlpack::Tensor tensor;
    if (api->view_of_object(object, &tensor) == 0) {
      adopt(tensor, /*read_only=*/false);
      return true;
    }
  } else if (api->managed_from_object(object, &versioned_) == 0) {
    adopt(versioned_->tensor, (versioned_->flags & dlpack::kFlagReadOnly) != 0);
    return true;
  }
  refuse_unreadable(object);
}

bool BorrowedArray::try_buffer(PyObject* object) {
  if (!PyObject_CheckBuffer(object)) {
    return false;
  }
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) != 0) {
    // NumPy has dtypes without a buffer format, such as bfloat16; DLPack may know them.
    PyErr_Clear();
    return false;
  }
  has_buffer_ = true;
  view_.dtype = from_buffer_format(buffer_.format, static_cast<size_t>(buffer_.itemsize));
  if (view_.dtype == ScalarType::Undefined) {
    refuse("a " + type_name(object) +
           " of a dtype that the runtime does not have (buffer format '" +
           std::string(buffer_.format == nullptr ? "" : buffer_.format) + "')");
  }
  if (buffer_.ndim < 0 || static_cast<size_t>(buffer_.ndim) > kTensorDimensionLimit) {
    refuse("an array of " + std::to_string(buffer_.ndim) + " dimensions (the limit is " +
           std::to_string(kTensorDimensionLimit) + ")");
  }
  view_.rank = static_cast<size_t>(buffer_.ndim);
  view_.data = buffer_.buf;
  view_.read_only = buffer_.readonly != 0;
  for (size_t i = 0; i < view_.rank; ++i) {
    view_.sizes[i] = buffer_.shape[i];
    view_.strides[i] = buffer_.strides[i];
  }
  return true;
}

bool BorrowedArray::try_dlpack_method(PyObject* object) {
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  if (method == nullptr) {
    PyErr_Clear();
    return false;
  }
  PyObject* capsule = PyObject_CallNoArgs(method);
  Py_DECREF(method);
  if (capsule == nullptr) {
    refuse_unreadable(object);
  }
  // The consumer renames the capsule, so that its own destructor leaves the tensor alone.
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    managed_ = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    PyCapsule_SetName(capsule, "used_dltensor");
  } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    versioned_ = static_cast<dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
  }
  Py_DECREF(capsule);
  if (managed_ != nullptr) {
    adopt(managed_->tensor, /*read_only=*/false);
  } else if (versioned_ != nullptr && versioned_->version.major == dlpack::kMajorVersion) {
    adopt(versioned_->tensor, (versioned_->flags & dlpack::kFlagReadOnly) != 0);
  } else {
    refuse("a " + type_name(object) +
           " whose __dlpack__() gives no DLPack tensor of version 0 or 1");
  }
  return true;
}

std::unique_ptr<BorrowedArray> BorrowedArray::from(PyObject* object) {
  std::unique_ptr<BorrowedArray> array(new BorrowedArray());
  if (!array->try_exchange_api(object) && !array->try_buffer(object) &&
      !array->try_dlpack_method(object)) {
    return nullptr;
  }
  array->owner_ = PyRef::borrow(object);
  return array;
}

BorrowedArray::~BorrowedArray() {
  if (interpreter_is_finalizing()) {
    return;
  }
  if (has_buffer_) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(&buffer_);
    PyGILState_Release(state);
  }
  if (managed_ != nullptr && managed_->deleter != nullptr) {
    managed_->deleter(managed_);
  }
  if (versioned_ != nullptr && versioned_->deleter != nullptr) {
    versioned_->deleter(versioned_);
  }
}

TensorInput::TensorInput(std::unique_ptr<BorrowedArray> array, Span<const uint8_t> dim_order,
                         bool copy_if_read_only)
    : array_(std::move(array)) {
  const ArrayView& view = array_->view();
  const size_t item_size = elementSize(view.dtype);
  size_t count = 1;
  for (size_t i = 0; i < view.rank; ++i) {
    if (view.sizes[i] < 0 || view.sizes[i] > std::numeric_limits<SizesType>::max()) {
      refuse("a dimension of " + std::to_string(view.sizes[i]) + " elements");
    }
    sizes_[i] = static_cast<SizesType>(view.sizes[i]);
    dim_order_[i] = dim_order[i];
    count *= static_cast<size_t>(view.sizes[i]);
  }
  int64_t step = 1;
  for (size_t i = view.rank; i-- > 0;) {
    strides_[dim_order[i]] = static_cast<StridesType>(step);
    step *= std::max<int64_t>(view.sizes[dim_order[i]], 1);
  }
  void* data = view.data;
  const bool misaligned = reinterpret_cast<uintptr_t>(data) % item_size != 0;
  const bool protect = copy_if_read_only && view.read_only;
  if (count > 0 && (misaligned || protect || !is_packed(view, dim_order, item_size))) {
    copy_ = std::make_unique<uint8_t[]>(count * item_size);
    gather(view, dim_order, item_size, copy_.get());
    data = copy_.get();
  }
  impl_.emplace(view.dtype, static_cast<ssize_t>(view.rank), sizes_.data(), data, dim_order_.data(),
                strides_.data());
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
