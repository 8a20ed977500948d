#include <cinttypes>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_state.h>
#include <executorch/runtime/executor/tensor_spec.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;
using executorch::aten::Tensor;
using internal::MethodIo;

namespace {

int64_t contiguous_stride(executorch::aten::ArrayRef<executorch::aten::SizesType> sizes,
                          size_t dim) {
  int64_t stride = 1;
  for (size_t i = dim + 1; i < sizes.size(); ++i) {
    stride *= sizes[i];
  }
  return stride;
}

// Whether `source` orders its elements in memory as a tensor of the same sizes with the dim order
// of `target` does. A dimension of one element may stand anywhere in the order, so different dim
// orders can describe the same memory.
bool has_layout_of(const Tensor& source, const Tensor& target) {
  const auto sizes = source.sizes();
  const auto expected = target.dim_order();
  const auto actual = source.dim_order();
  const auto strides = source.strides();
  if (source.numel() == 0) {
    return true;
  }
  int64_t stride = 1;
  size_t a = expected.size();
  for (size_t e = expected.size(); e-- > 0;) {
    const size_t dim = expected[e];
    if (sizes[dim] == 1) {
      continue;
    }
    if (!actual.empty()) {
      while (a > 0 && sizes[actual[a - 1]] == 1) {
        --a;
      }
      if (a == 0 || actual[--a] != dim) {
        return false;
      }
    } else if (!strides.empty()) {
      if (strides[dim] != stride) {
        return false;
      }
    } else if (stride != contiguous_stride(sizes, dim)) {
      return false;
    }
    stride *= sizes[dim];
  }
  return true;
}

// A dim order as "(0, 2, 3, 1)".
struct DimOrderText {
  explicit DimOrderText(const Tensor& tensor) {
    executorch::aten::SizesType numbers[kTensorDimensionLimit];
    size_t count = 0;
    for (const auto dim : tensor.dim_order()) {
      if (count < kTensorDimensionLimit) {
        numbers[count++] = dim;
      }
    }
    text = tensor_shape_to_c_string({numbers, count});
  }
  std::array<char, kTensorShapeStringSizeLimit> text;
};

bool is_on_host(const Tensor& tensor) { return tensor.device().is_cpu(); }

Error check_input_tensor(const Tensor& source, const Tensor& target, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(source.scalar_type() == target.scalar_type(), InvalidArgument,
                           "Input %zu has dtype %s, expected %s", index,
                           toString(source.scalar_type()), toString(target.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      source.dim() == target.dim(), InvalidArgument,
      "Input %zu has shape %s of %zd dimensions, expected %zd like %s", index,
      tensor_shape_to_c_string({source.sizes().data(), source.sizes().size()}).data(),
      static_cast<ssize_t>(source.dim()), static_cast<ssize_t>(target.dim()),
      tensor_shape_to_c_string({target.sizes().data(), target.sizes().size()}).data());
  ET_CHECK_OR_RETURN_ERROR(has_layout_of(source, target), InvalidArgument,
                           "Input %zu has dim order %s, expected %s: the elements would be read in "
                           "the wrong order. Convert the tensor's memory format",
                           index, DimOrderText(source).text.data(),
                           DimOrderText(target).text.data());
  return Error::Ok;
}

// Tracing a value through export gives it back with the last digits rounded.
bool is_close(double a, double b) {
  if (a == b || (a != a && b != b)) {
    return true;
  }
  const double difference = a > b ? a - b : b - a;
  const double magnitude = b < 0 ? -b : b;
  return difference <= 1e-8 + 1e-5 * magnitude;
}

// Checks an input that is not a tensor: its value is part of the program.
Error check_fixed_input(const EValue& given, const EValue& expected, size_t index) {
  switch (expected.tag) {
    case Tag::None:
      return Error::Ok;
    case Tag::Int:
      ET_CHECK_OR_RETURN_ERROR(given.toInt() == expected.toInt(), InvalidArgument,
                               "Input %zu is %" PRId64 ", but the program was exported for %" PRId64
                               " only",
                               index, given.toInt(), expected.toInt());
      return Error::Ok;
    case Tag::Double:
      ET_CHECK_OR_RETURN_ERROR(is_close(given.toDouble(), expected.toDouble()), InvalidArgument,
                               "Input %zu is %g, but the program was exported for %g only", index,
                               given.toDouble(), expected.toDouble());
      return Error::Ok;
    case Tag::Bool:
      ET_CHECK_OR_RETURN_ERROR(given.toBool() == expected.toBool(), InvalidArgument,
                               "Input %zu is %s, but the program was exported for %s only", index,
                               given.toBool() ? "true" : "false",
                               expected.toBool() ? "true" : "false");
      return Error::Ok;
    case Tag::String:
      ET_CHECK_OR_RETURN_ERROR(
          given.toString() == expected.toString(), InvalidArgument,
          "Input %zu is '%.*s', but the program was exported for '%.*s' only", index,
          static_cast<int>(given.toString().size()), given.toString().data(),
          static_cast<int>(expected.toString().size()), expected.toString().data());
      return Error::Ok;
    default:
      ET_LOG(Error, "Input %zu is a %s, which cannot be set", index, tag_name(expected.tag));
      return Error::InvalidArgument;
  }
}

Error copy_values(Span<MethodIo> from, EValue* to, size_t length, const char* what) {
  ET_CHECK_OR_RETURN_ERROR(length >= from.size() && (to != nullptr || length == 0), InvalidArgument,
                           "Room for %zu %s, the method has %zu", length, what, from.size());
  for (size_t i = 0; i < length; ++i) {
    to[i] = i < from.size() ? *from[i].slot : EValue();
  }
  return Error::Ok;
}

}  // namespace

Error Method::set_input(const EValue& input_evalue, size_t input_idx) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  ET_CHECK_OR_RETURN_ERROR(state_->chain_index == 0 && state_->instruction_index == 0, InvalidState,
                           "Inputs cannot be set in the middle of an execution");
  ET_CHECK_OR_RETURN_ERROR(input_idx < inputs_size(), InvalidArgument,
                           "There is no input %zu, the method has %zu", input_idx, inputs_size());
  MethodIo& input = state_->inputs[input_idx];
  ET_CHECK_OR_RETURN_ERROR(input_evalue.tag == input.initial.tag, InvalidArgument,
                           "Input %zu is a %s, expected a %s", input_idx,
                           tag_name(input_evalue.tag), tag_name(input.initial.tag));
  ET_CHECK_OK_OR_RETURN_ERROR(input_evalue.isTensor()
                                  ? set_tensor_input(input_evalue.payload.as_tensor, input_idx)
                                  : check_fixed_input(input_evalue, input.initial, input_idx));
  // An earlier execution may have put something else there.
  *input.slot = input.initial;
  input.is_set = true;
  return Error::Ok;
}

Error Method::set_tensor_input(const Tensor& source, size_t input_idx) {
  MethodIo& input = state_->inputs[input_idx];
  const Tensor& target = input.initial.payload.as_tensor;
  ET_CHECK_OK_OR_RETURN_ERROR(check_input_tensor(source, target, input_idx));
  const bool has_data = source.const_data_ptr() != nullptr && source.numel() != 0;
  const bool on_host = is_on_host(source);
  auto* const memory = internal::DynamicMemory::of(*target.unsafeGetTensorImpl());
  if (!input.has_memory) {
    // Whoever says nothing of a device may still pass its memory.
    ET_CHECK_OR_RETURN_ERROR(on_host || !is_on_host(target), InvalidArgument,
                             "Input %zu is in the memory of a device, expected the host's",
                             input_idx);
    ET_CHECK_OR_RETURN_ERROR(has_data || source.numel() == 0, InvalidArgument,
                             "Input %zu is a tensor without data, and its memory is not planned",
                             input_idx);
    if (memory != nullptr) {
      memory->use(source.mutable_data_ptr(), source.nbytes());
    }
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize_tensor(target, source.sizes()), "Input %zu cannot take the shape %s", input_idx,
      tensor_shape_to_c_string({source.sizes().data(), source.sizes().size()}).data());
  if (input.has_memory) {
    if (!has_data) {
      return Error::Ok;  // The caller writes the elements to the planned memory.
    }
    ET_CHECK_OR_RETURN_ERROR(
        on_host && is_on_host(target), NotSupported,
        "Input %zu has planned memory, where elements are copied between the host's memory only. "
        "To pass a device's memory, export with MemoryPlanningPass(alloc_graph_input=False)",
        input_idx);
    return internal::copy_tensor_data(target, source);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(internal::share_tensor_data(target, source));
  // Kernels may resize what they write up to its bound, so the memory must reach that far.
  state_->tensor_access.set_may_write(target.unsafeGetTensorImpl(),
                                      memory != nullptr || target.nbytes() >= input.nbytes_bound);
  return Error::Ok;
}

Error Method::set_inputs(const executorch::aten::ArrayRef<EValue>& input_evalues) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  ET_CHECK_OR_RETURN_ERROR(input_evalues.size() == inputs_size(), InvalidArgument,
                           "Got %zu inputs, method %s takes %zu", input_evalues.size(),
                           state_->plan->name()->c_str(), inputs_size());
  for (size_t i = 0; i < input_evalues.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(set_input(input_evalues[i], i));
  }
  return Error::Ok;
}

Error Method::check_inputs_are_set() const {
  for (size_t i = 0; i < state_->inputs.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(state_->inputs[i].is_set, InvalidArgument,
                             "Input %zu of %zu of method %s was not set", i, state_->inputs.size(),
                             state_->plan->name()->c_str());
  }
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* buffer, size_t size, size_t output_idx) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  ET_CHECK_OR_RETURN_ERROR(output_idx < outputs_size(), InvalidArgument,
                           "There is no output %zu, the method has %zu", output_idx,
                           outputs_size());
  MethodIo& output = state_->outputs[output_idx];
  ET_CHECK_OR_RETURN_ERROR(output.initial.isTensor(), InvalidArgument,
                           "Output %zu is a %s, only tensors have memory", output_idx,
                           tag_name(output.initial.tag));
  ET_CHECK_OR_RETURN_ERROR(!output.has_memory, InvalidState,
                           "Memory of output %zu is planned, or it is a constant; it cannot be "
                           "replaced",
                           output_idx);
  const Tensor& tensor = output.initial.payload.as_tensor;
  auto* const memory = internal::DynamicMemory::of(*tensor.unsafeGetTensorImpl());
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr && (size >= output.nbytes_bound || memory != nullptr),
                           InvalidArgument,
                           "Buffer of %zu bytes for output %zu, which takes up to %zu", size,
                           output_idx, output.nbytes_bound);
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(buffer) %
              internal::data_alignment(static_cast<size_t>(tensor.element_size())) ==
          0,
      InvalidArgument, "Buffer for output %zu is not aligned for elements of %zd bytes", output_idx,
      static_cast<ssize_t>(tensor.element_size()));
  if (memory != nullptr) {
    // Empty until the method writes it, as large as that may be.
    const executorch::aten::SizesType empty[kTensorDimensionLimit] = {};
    memory->use(buffer, size);
    ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor(tensor, {empty, static_cast<size_t>(tensor.dim())}));
  } else {
    tensor.unsafeGetTensorImpl()->set_data(buffer);
  }
  state_->tensor_access.set_may_write(tensor.unsafeGetTensorImpl(), true);
  // An earlier execution may have put something else there.
  *output.slot = output.initial;
  return Error::Ok;
}

Error Method::get_outputs(EValue* output_evalues, size_t length) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  return copy_values(state_->outputs, output_evalues, length, "outputs");
}

Error Method::get_inputs(EValue* input_evalues, size_t length) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  return copy_values(state_->inputs, input_evalues, length, "inputs");
}

Result<Tensor> Method::get_attribute(std::string_view name) {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  size_t num_tensors = 0;
  for (uint32_t i = 0; i < internal::size_of(state_->plan->values()); ++i) {
    const fb::Tensor* tensor = state_->plan->values()->Get(i)->val_as_Tensor();
    if (tensor == nullptr) {
      continue;
    }
    const auto* extra = tensor->extra_tensor_info();
    if (!name.empty() && extra != nullptr &&
        internal::view_of(extra->fully_qualified_name()) == name) {
      // The loader made tensors in the order of values. The value itself may have been overwritten.
      return Tensor(&state_->tensors[num_tensors]);
    }
    ++num_tensors;
  }
  ET_LOG(Error, "Method %s has no attribute %.*s", state_->plan->name()->c_str(),
         static_cast<int>(name.size()), name.data());
  return Error::NotFound;
}

MethodMeta Method::method_meta() const { return MethodMeta(state_->plan); }

size_t Method::inputs_size() const { return state_->inputs.size(); }

size_t Method::outputs_size() const { return state_->outputs.size(); }

size_t Method::values_size() const { return state_->values.size(); }

const EValue& Method::get_output(size_t i) const {
  ET_CHECK_MSG(i < outputs_size(), "There is no output %zu, the method has %zu", i, outputs_size());
  return *state_->outputs[i].slot;
}

const EValue& Method::get_input(size_t i) const {
  ET_CHECK_MSG(i < inputs_size(), "There is no input %zu, the method has %zu", i, inputs_size());
  return *state_->inputs[i].slot;
}

EValue& Method::mutable_input(size_t i) {
  ET_CHECK_MSG(i < inputs_size(), "There is no input %zu, the method has %zu", i, inputs_size());
  state_->inputs[i].is_set = true;
  return *state_->inputs[i].slot;
}

EValue& Method::mutable_output(size_t i) {
  ET_CHECK_MSG(i < outputs_size(), "There is no output %zu, the method has %zu", i, outputs_size());
  return *state_->outputs[i].slot;
}

const EValue& Method::get_value(size_t i) const {
  ET_CHECK_MSG(i < values_size(), "There is no value %zu, the method has %zu", i, values_size());
  return state_->values[i];
}

EventTracer* Method::get_event_tracer() { return state_->event_tracer; }

}  // namespace runtime
}  // namespace executorch
