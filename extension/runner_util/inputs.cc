#include <cstring>

#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/tensor/internal_types.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Result;
using runtime::Span;
using runtime::Tag;
using runtime::TensorInfo;

namespace internal {

Error fill_with_ones(const TensorInfo& tensor_meta, void* data) {
  const ScalarType type = tensor_meta.scalar_type();
  const size_t count = tensor_meta.nbytes() / runtime::elementSize(type);
  const auto fill_real = [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* elements = static_cast<T*>(data);
    for (size_t i = 0; i < count; ++i) {
      elements[i] = cast_element<T, int32_t>(1);
    }
  };
  const auto fill_complex = [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* components = static_cast<T*>(data);
    for (size_t i = 0; i < count; ++i) {
      components[2 * i] = cast_element<T, int32_t>(1);
      components[2 * i + 1] = T(0);
    }
  };
  const bool known = visit_real_type(type, fill_real) || visit_complex_type(type, fill_complex);
  if (!known) {
    ET_LOG(Error, "There is no one of type %s", runtime::toString(type));
    return Error::InvalidArgument;
  }
  return Error::Ok;
}

Error set_input_data(Method& method, const TensorInfo& tensor_meta, size_t input_index,
                     void* data) {
  return set_input_data(method, tensor_meta, input_index, data, tensor_meta.sizes());
}

Error set_input_data(Method& method, const TensorInfo& tensor_meta, size_t input_index, void* data,
                     Span<const int32_t> wanted) {
  const size_t rank = tensor_meta.sizes().size();
  ET_CHECK_OR_RETURN_ERROR(wanted.size() == rank, InvalidArgument,
                           "Input %zu has %zu dimensions, not %zu", input_index, rank,
                           wanted.size());
  if (rank > runtime::kTensorDimensionLimit || tensor_meta.dim_order().size() != rank) {
    ET_LOG(Error, "Input %zu has %zu sizes and a dim order of %zu entries, at most %zu",
           input_index, rank, tensor_meta.dim_order().size(),
           static_cast<size_t>(runtime::kTensorDimensionLimit));
    return Error::InvalidProgram;
  }
  TensorImpl::SizesType sizes[runtime::kTensorDimensionLimit];
  TensorImpl::DimOrderType dim_order[runtime::kTensorDimensionLimit];
  TensorImpl::StridesType strides[runtime::kTensorDimensionLimit];
  for (size_t i = 0; i < rank; ++i) {
    sizes[i] = wanted[i];
    dim_order[i] = tensor_meta.dim_order()[i];
  }
  int64_t step = 1;
  for (size_t i = rank; i-- > 0;) {
    if (dim_order[i] >= rank) {
      ET_LOG(Error, "Input %zu: dimension %u in the dim order of a tensor of rank %zu", input_index,
             static_cast<unsigned>(dim_order[i]), rank);
      return Error::InvalidProgram;
    }
    strides[dim_order[i]] = static_cast<TensorImpl::StridesType>(step);
    step *= sizes[dim_order[i]] > 0 ? sizes[dim_order[i]] : 1;
  }
  TensorImpl impl(tensor_meta.scalar_type(), static_cast<ssize_t>(rank), sizes, data, dim_order,
                  strides);
  return method.set_input(EValue(Tensor(&impl)), input_index);
}

}  // namespace internal

namespace {

/// The indices of the inputs that are tensors.
Result<std::vector<size_t>> tensor_inputs(const MethodMeta& meta) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok()) {
      return tag.error();
    }
    if (*tag == Tag::Tensor) {
      indices.push_back(i);
    } else {
      ET_LOG(Debug, "Input %zu is no tensor, left as it is", i);
    }
  }
  return indices;
}

/// Prepares one input; the buffer goes to `slot`, whatever the outcome.
Error prepare_one(Method& method, const TensorInfo& meta, size_t index,
                  const std::pair<char*, size_t>* contents, void** slot) {
  const size_t size = meta.nbytes();
  if (contents != nullptr && contents->second != size) {
    ET_LOG(Error, "Input %zu: expected a buffer of %zu bytes, found %zu", index, size,
           contents->second);
    return Error::InvalidArgument;
  }
  *slot = std::malloc(size > 0 ? size : 1);
  if (*slot == nullptr) {
    ET_LOG(Error, "Input %zu: no memory for %zu bytes", index, size);
    return Error::MemoryAllocationFailed;
  }
  if (contents == nullptr) {
    const Error error = internal::fill_with_ones(meta, *slot);
    if (error != Error::Ok) {
      return error;
    }
  } else if (size > 0) {
    std::memcpy(*slot, contents->first, size);
  }
  return internal::set_input_data(method, meta, index, *slot);
}

}  // namespace

Result<BufferCleanup> prepare_input_tensors(
    Method& method, PrepareInputTensorsOptions options,
    const std::vector<std::pair<char*, size_t>>& input_buffers) {
  const MethodMeta meta = method.method_meta();
  if (meta.num_inputs() > options.max_inputs) {
    ET_LOG(Error, "The method has %zu inputs, more than the %zu allowed", meta.num_inputs(),
           options.max_inputs);
    return Error::InvalidProgram;
  }
  const Result<std::vector<size_t>> indices = tensor_inputs(meta);
  if (!indices.ok()) {
    return indices.error();
  }
  if (!input_buffers.empty() && input_buffers.size() != indices->size()) {
    ET_LOG(Error, "The method has %zu tensor inputs, but there are %zu buffers", indices->size(),
           input_buffers.size());
    return Error::InvalidArgument;
  }
  auto** slots = static_cast<void**>(std::calloc(indices->size() + 1, sizeof(void*)));
  if (slots == nullptr) {
    return Error::MemoryAllocationFailed;
  }
  // From here on every way out releases what was allocated.
  BufferCleanup cleanup(Span<void*>(slots, indices->size()));
  size_t total = 0;
  for (size_t i = 0; i < indices->size(); ++i) {
    const size_t index = (*indices)[i];
    const Result<TensorInfo> info = meta.input_tensor_meta(index);
    if (!info.ok()) {
      return info.error();
    }
    if (info->nbytes() > options.max_total_allocation_size - total) {
      ET_LOG(Error, "The inputs need more than the %zu bytes allowed",
             options.max_total_allocation_size);
      return Error::InvalidProgram;
    }
    total += info->nbytes();
    const Error error = prepare_one(method, *info, index,
                                    input_buffers.empty() ? nullptr : &input_buffers[i], &slots[i]);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Result<BufferCleanup>(std::move(cleanup));
}

}  // namespace extension
}  // namespace executorch
