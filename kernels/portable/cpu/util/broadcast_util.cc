#include <cstring>
#include <new>

#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/runtime/platform/platform.h>

namespace torch::executor {
namespace {

/// Both shapes are read from the last dimension on.
bool fits(ArrayRef<SizesType> from, ArrayRef<SizesType> to, bool both_ways) {
  const size_t common = from.size() < to.size() ? from.size() : to.size();
  for (size_t d = 1; d <= common; ++d) {
    const SizesType a = from[from.size() - d];
    const SizesType b = to[to.size() - d];
    if (a != b && a != 1 && !(both_ways && b == 1)) {
      return false;
    }
  }
  return true;
}

/// A tensor and what it refers to, in one block with the data behind it.
struct OwnedTensor {
  executorch::aten::TensorImpl impl;
  SizesType sizes[kTensorDimensionLimit];
  DimOrderType dim_order[kTensorDimensionLimit];
  StridesType strides[kTensorDimensionLimit];
};

constexpr size_t kAlignment = 16;
constexpr size_t kHeaderBytes = (sizeof(OwnedTensor) + kAlignment - 1) / kAlignment * kAlignment;

}  // namespace

bool tensor_is_broadcastable_to(ArrayRef<SizesType> broadcast_from_shape,
                                ArrayRef<SizesType> broadcast_to_shape) {
  return broadcast_from_shape.size() <= broadcast_to_shape.size() &&
         fits(broadcast_from_shape, broadcast_to_shape, /*both_ways=*/false);
}

bool tensor_is_broadcastable_to(const Tensor& broadcast_from, const Tensor& broadcast_to) {
  return tensor_is_broadcastable_to(broadcast_from.sizes(), broadcast_to.sizes());
}

bool tensors_are_broadcastable_between(ArrayRef<SizesType> a_shape, ArrayRef<SizesType> b_shape) {
  return fits(a_shape, b_shape, /*both_ways=*/true);
}

bool tensors_are_broadcastable_between(const Tensor& a, const Tensor& b) {
  return tensors_are_broadcastable_between(a.sizes(), b.sizes());
}

Tensor broadcast_tensor(const Tensor& broadcast_from, const Tensor& broadcast_to) {
  ET_CHECK_MSG(tensor_is_broadcastable_to(broadcast_from, broadcast_to),
               "the tensor does not expand to the other one's shape");
  const size_t rank = broadcast_to.sizes().size();
  const size_t element = static_cast<size_t>(broadcast_from.element_size());
  const size_t bytes = static_cast<size_t>(broadcast_to.numel()) * element;
  char* const memory = static_cast<char*>(executorch::runtime::pal_allocate(kHeaderBytes + bytes));
  ET_CHECK_MSG(memory != nullptr, "no memory for a broadcast tensor of %zu bytes", bytes);
  OwnedTensor* const owned = reinterpret_cast<OwnedTensor*>(memory);
  StridesType stride = 1;
  for (size_t d = rank; d-- > 0;) {
    owned->sizes[d] = broadcast_to.sizes()[d];
    owned->dim_order[d] = static_cast<DimOrderType>(d);
    owned->strides[d] = stride;
    stride *= owned->sizes[d];
  }
  char* const data = memory + kHeaderBytes;
  new (&owned->impl)
      executorch::aten::TensorImpl(broadcast_from.scalar_type(), static_cast<ssize_t>(rank),
                                   owned->sizes, data, owned->dim_order, owned->strides);
  const Tensor out(&owned->impl);
  const char* const source = static_cast<const char*>(broadcast_from.const_data_ptr());
  for (const auto& at : BroadcastIndexesRange<1>(out, broadcast_from)) {
    std::memcpy(data + static_cast<size_t>(at[0]) * element,
                source + static_cast<size_t>(at[1]) * element, element);
  }
  return out;
}

void free_broadcast_tensor(const Tensor& broadcast_tensor) {
  // The tensor's description is the first part of the block.
  executorch::runtime::pal_free(broadcast_tensor.unsafeGetTensorImpl());
}

Error get_broadcast_target_size(ArrayRef<SizesType> a_size, ArrayRef<SizesType> b_size,
                                SizesType* out_sizes, const size_t out_sizes_len, size_t* out_dim) {
  if (ET_UNLIKELY(!tensors_are_broadcastable_between(a_size, b_size))) {
    const auto a_text = executorch::runtime::tensor_shape_to_c_string(
        executorch::runtime::Span<const SizesType>(a_size.data(), a_size.size()));
    const auto b_text = executorch::runtime::tensor_shape_to_c_string(
        executorch::runtime::Span<const SizesType>(b_size.data(), b_size.size()));
    ET_LOG(Error, "shapes %s and %s do not broadcast", a_text.data(), b_text.data());
    return Error::InvalidArgument;
  }
  const size_t rank = a_size.size() > b_size.size() ? a_size.size() : b_size.size();
  ET_CHECK_OR_RETURN_ERROR(rank <= out_sizes_len, InvalidArgument, "rank %zu, but room for %zu",
                           rank, out_sizes_len);
  for (size_t d = 1; d <= rank; ++d) {
    const SizesType a = d <= a_size.size() ? a_size[a_size.size() - d] : 1;
    const SizesType b = d <= b_size.size() ? b_size[b_size.size() - d] : 1;
    out_sizes[rank - d] = a == 1 ? b : a;
  }
  *out_dim = rank;
  return Error::Ok;
}

Error get_broadcast_target_size(const Tensor& a, const Tensor& b, SizesType* out_sizes,
                                const size_t out_sizes_len, size_t* out_dim) {
  return get_broadcast_target_size(a.sizes(), b.sizes(), out_sizes, out_sizes_len, out_dim);
}

Error resize_to_broadcast_target_size(const Tensor& a, const Tensor& b, Tensor& out) {
  SizesType sizes[kTensorDimensionLimit];
  size_t rank = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(get_broadcast_target_size(a, b, sizes, kTensorDimensionLimit, &rank));
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank));
}

Error resize_to_broadcast_target_size(const Tensor& a, const Tensor& b, const Tensor& c,
                                      Tensor& out) {
  SizesType of_two[kTensorDimensionLimit];
  SizesType sizes[kTensorDimensionLimit];
  size_t rank = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(
      get_broadcast_target_size(a, b, of_two, kTensorDimensionLimit, &rank));
  ET_CHECK_OK_OR_RETURN_ERROR(get_broadcast_target_size(
      ArrayRef<SizesType>(of_two, rank), c.sizes(), sizes, kTensorDimensionLimit, &rank));
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank));
}

size_t linearize_access_indexes(ArrayRef<size_t> indexes_broadcast_to, ssize_t broadcast_to_ndim,
                                ArrayRef<SizesType> broadcast_from_shape,
                                ArrayRef<StridesType> broadcast_from_strides) {
  const size_t rank = broadcast_from_shape.size();
  ET_CHECK_MSG(rank <= static_cast<size_t>(broadcast_to_ndim),
               "a tensor of rank %zu is not broadcast to rank %zu", rank,
               static_cast<size_t>(broadcast_to_ndim));
  const size_t missing = static_cast<size_t>(broadcast_to_ndim) - rank;
  size_t position = 0;
  for (size_t d = 0; d < rank; ++d) {
    // An index along a repeated dimension does not move.
    if (broadcast_from_shape[d] != 1) {
      position +=
          indexes_broadcast_to[missing + d] * static_cast<size_t>(broadcast_from_strides[d]);
    }
  }
  return position;
}

size_t linearize_access_indexes(ArrayRef<size_t> indexes_broadcast_to, ssize_t broadcast_to_ndim,
                                const Tensor& broadcast_from) {
  return linearize_access_indexes(indexes_broadcast_to, broadcast_to_ndim, broadcast_from.sizes(),
                                  broadcast_from.strides());
}

}  // namespace torch::executor
