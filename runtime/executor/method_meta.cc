#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/tensor_spec.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

using executorch_flatbuffer::EValue;
using executorch_flatbuffer::ExecutionPlan;
using executorch_flatbuffer::KernelTypes;
using internal::is_aligned;
using internal::size_of;
using internal::view_of;

namespace {

// The value that entry `index` of `indices` (a plan's inputs or outputs) refers to.
Result<const EValue*> get_io_value(const ExecutionPlan* plan,
                                   const flatbuffers::Vector<int32_t>* indices, size_t index,
                                   const char* what) {
  ET_CHECK_OR_RETURN_ERROR(index < size_of(indices), InvalidArgument,
                           "There is no %s %zu, the method has %zu", what, index, size_of(indices));
  const int32_t value_index = indices->Get(static_cast<flatbuffers::uoffset_t>(index));
  ET_CHECK_OR_RETURN_ERROR(
      value_index >= 0 && static_cast<size_t>(value_index) < size_of(plan->values()),
      InvalidProgram, "%s %zu refers to value %d of %zu", what, index,
      static_cast<int>(value_index), size_of(plan->values()));
  return plan->values()->Get(static_cast<flatbuffers::uoffset_t>(value_index));
}

Result<Tag> get_tag(const EValue* value, const char* what, size_t index) {
  switch (value->val_type()) {
    case KernelTypes::Null:
      return Tag::None;
    case KernelTypes::Int:
      return Tag::Int;
    case KernelTypes::Bool:
      return Tag::Bool;
    case KernelTypes::Double:
      return Tag::Double;
    case KernelTypes::Tensor:
      return Tag::Tensor;
    case KernelTypes::String:
      return Tag::String;
    case KernelTypes::IntList:
      return Tag::ListInt;
    case KernelTypes::DoubleList:
      return Tag::ListDouble;
    case KernelTypes::BoolList:
      return Tag::ListBool;
    case KernelTypes::TensorList:
      return Tag::ListTensor;
    case KernelTypes::OptionalTensorList:
      return Tag::ListOptionalTensor;
    default:
      ET_LOG(Error, "%s %zu has unknown type %d", what, index, static_cast<int>(value->val_type()));
      return Error::InvalidProgram;
  }
}

const executorch_flatbuffer::Tensor* as_tensor(const EValue* value) {
  return value->val_type() == KernelTypes::Tensor ? value->val_as_Tensor() : nullptr;
}

// Attributes are the tensors with a name.
const executorch_flatbuffer::Tensor* as_attribute(const EValue* value) {
  const executorch_flatbuffer::Tensor* tensor = as_tensor(value);
  if (tensor == nullptr || tensor->extra_tensor_info() == nullptr ||
      view_of(tensor->extra_tensor_info()->fully_qualified_name()).empty()) {
    return nullptr;
  }
  return tensor;
}

// Name of delegate `index` if no delegate before it has the same one, otherwise empty.
std::string_view new_backend_name(const ExecutionPlan* plan, flatbuffers::uoffset_t index) {
  const std::string_view name = view_of(plan->delegates()->Get(index)->id());
  for (flatbuffers::uoffset_t i = 0; i < index; ++i) {
    if (view_of(plan->delegates()->Get(i)->id()) == name) {
      return {};
    }
  }
  return name;
}

}  // namespace

/* static */ Result<TensorInfo> TensorInfo::create(const executorch_flatbuffer::Tensor* tensor) {
  Result<internal::TensorSpec> spec = internal::check_tensor(tensor);
  if (!spec.ok()) {
    return spec.error();
  }
  const auto* extra = tensor->extra_tensor_info();
  return TensorInfo({spec->sizes, spec->dim}, {spec->dim_order, spec->dim}, spec->scalar_type,
                    // Constants too: either way the program says where the data is.
                    tensor->allocation_info() != nullptr || tensor->data_buffer_idx() != 0,
                    extra == nullptr ? std::string_view() : view_of(extra->fully_qualified_name()),
                    spec->nbytes);
}

const char* MethodMeta::name() const { return plan_->name()->c_str(); }

size_t MethodMeta::num_inputs() const { return size_of(plan_->inputs()); }

Result<Tag> MethodMeta::input_tag(size_t index) const {
  Result<const EValue*> value = get_io_value(plan_, plan_->inputs(), index, "input");
  if (!value.ok()) {
    return value.error();
  }
  return get_tag(*value, "Input", index);
}

Result<TensorInfo> MethodMeta::input_tensor_meta(size_t index) const {
  Result<const EValue*> value = get_io_value(plan_, plan_->inputs(), index, "input");
  if (!value.ok()) {
    return value.error();
  }
  ET_CHECK_OR_RETURN_ERROR(as_tensor(*value) != nullptr, InvalidArgument,
                           "Input %zu is not a tensor", index);
  return TensorInfo::create(as_tensor(*value));
}

size_t MethodMeta::num_outputs() const { return size_of(plan_->outputs()); }

Result<Tag> MethodMeta::output_tag(size_t index) const {
  Result<const EValue*> value = get_io_value(plan_, plan_->outputs(), index, "output");
  if (!value.ok()) {
    return value.error();
  }
  return get_tag(*value, "Output", index);
}

Result<TensorInfo> MethodMeta::output_tensor_meta(size_t index) const {
  Result<const EValue*> value = get_io_value(plan_, plan_->outputs(), index, "output");
  if (!value.ok()) {
    return value.error();
  }
  ET_CHECK_OR_RETURN_ERROR(as_tensor(*value) != nullptr, InvalidArgument,
                           "Output %zu is not a tensor", index);
  return TensorInfo::create(as_tensor(*value));
}

size_t MethodMeta::num_attributes() const {
  size_t count = 0;
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->values()); ++i) {
    count += as_attribute(plan_->values()->Get(i)) != nullptr ? 1 : 0;
  }
  return count;
}

Result<TensorInfo> MethodMeta::attribute_tensor_meta(size_t index) const {
  size_t count = 0;
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->values()); ++i) {
    const executorch_flatbuffer::Tensor* tensor = as_attribute(plan_->values()->Get(i));
    if (tensor != nullptr && count++ == index) {
      return TensorInfo::create(tensor);
    }
  }
  ET_LOG(Error, "There is no attribute %zu, the method has %zu", index, count);
  return Error::InvalidArgument;
}

size_t MethodMeta::num_memory_planned_buffers() const {
  // Entry 0 is reserved: memory ids in programs start at 1.
  const size_t entries = size_of(plan_->non_const_buffer_sizes());
  return entries == 0 ? 0 : entries - 1;
}

Result<int64_t> MethodMeta::memory_planned_buffer_size(size_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < num_memory_planned_buffers(), InvalidArgument,
                           "There is no planned buffer %zu, the method has %zu", index,
                           num_memory_planned_buffers());
  const auto* sizes = plan_->non_const_buffer_sizes();
  const int64_t size = is_aligned(sizes) ? sizes->Get(static_cast<uint32_t>(index) + 1) : -1;
  ET_CHECK_OR_RETURN_ERROR(size >= 0, InvalidProgram, "Planned buffer %zu has a bad size", index);
  return size;
}

bool MethodMeta::memory_planned_buffer_follows_sizes(size_t index) const {
  if (!internal::kUnboundedSizes || index != 0 || num_memory_planned_buffers() == 0) {
    return false;
  }
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->values()); ++i) {
    const executorch_flatbuffer::String* text = plan_->values()->Get(i)->val_as_String();
    if (text != nullptr &&
        !internal::after_prefix(internal::kArenaPrefix, view_of(text->string_val()), {}).empty()) {
      return true;
    }
  }
  return false;
}

Result<etensor::Device> MethodMeta::memory_planned_buffer_device(size_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < num_memory_planned_buffers(), InvalidArgument,
                           "There is no planned buffer %zu, the method has %zu", index,
                           num_memory_planned_buffers());
  return internal::planned_buffer_device(*plan_, index + 1);
}

bool MethodMeta::uses_backend(const char* backend_name) const {
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->delegates()); ++i) {
    if (backend_name != nullptr && view_of(plan_->delegates()->Get(i)->id()) == backend_name) {
      return true;
    }
  }
  return false;
}

size_t MethodMeta::num_backends() const {
  size_t count = 0;
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->delegates()); ++i) {
    count += new_backend_name(plan_, i).empty() ? 0 : 1;
  }
  return count;
}

Result<const char*> MethodMeta::get_backend_name(size_t index) const {
  size_t count = 0;
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->delegates()); ++i) {
    const std::string_view name = new_backend_name(plan_, i);
    if (!name.empty() && count++ == index) {
      return name.data();
    }
  }
  ET_LOG(Error, "There is no backend %zu, the method has %zu", index, count);
  return Error::InvalidArgument;
}

size_t MethodMeta::num_instructions() const {
  size_t count = 0;
  for (flatbuffers::uoffset_t i = 0; i < size_of(plan_->chains()); ++i) {
    count += size_of(plan_->chains()->Get(i)->instructions());
  }
  return count;
}

}  // namespace runtime
}  // namespace executorch
