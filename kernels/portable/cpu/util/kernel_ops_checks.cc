#include <executorch/kernels/portable/cpu/util/kernel_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensors_have_same_dtype;

}  // namespace

bool check_cumsum_args(const Tensor& in, int64_t dim, optional<ScalarType> enforced_dtype,
                       Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  if (enforced_dtype.has_value()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(*enforced_dtype == out.scalar_type(), "the output is %s, not %s",
                                   executorch::runtime::toString(out.scalar_type()),
                                   executorch::runtime::toString(*enforced_dtype));
  }
  return true;
}

bool check_masked_fill_args(const Tensor& in, const Tensor& mask,
                            [[maybe_unused]] const Scalar& value, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_bool_type(mask));
  return true;
}

bool check_constant_pad_args(const Tensor& in, IntArrayRef pad,
                             [[maybe_unused]] const Scalar& value, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_rank(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(pad.size() % 2 == 0, "padding has a pair for each dimension");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(pad.size() / 2 <= in.sizes().size(),
                                 "padding for %zu dimensions, but rank %zu", pad.size() / 2,
                                 in.sizes().size());
  return true;
}

Error resize_constant_pad_output(const Tensor& in, IntArrayRef pad, Tensor& out) {
  SizesType sizes[kTensorDimensionLimit];
  const size_t rank = in.sizes().size();
  ET_CHECK_OR_RETURN_ERROR(pad.size() / 2 <= rank, InvalidArgument,
                           "padding for %zu dimensions, but rank %zu", pad.size() / 2, rank);
  for (size_t d = 0; d < rank; ++d) {
    // The pairs begin at the last dimension.
    const size_t pair = 2 * (rank - 1 - d);
    const bool is_padded = pair + 1 < pad.size();
    const int64_t size = in.sizes()[d] + (is_padded ? pad[pair] + pad[pair + 1] : 0);
    ET_CHECK_OR_RETURN_ERROR(size >= 0 && size <= INT32_MAX, InvalidArgument,
                             "dimension %zu has no size after padding", d);
    sizes[d] = static_cast<SizesType>(size);
  }
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank));
}

bool check_embedding_args(const Tensor& weight, const Tensor& indices, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_rank(weight, 2));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      indices.scalar_type() == ScalarType::Long || indices.scalar_type() == ScalarType::Int,
      "indices are Int or Long");
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(weight, out));
  return true;
}

Error resize_embedding_output(const Tensor& weight, const Tensor& indices, const Tensor& out) {
  SizesType sizes[kTensorDimensionLimit];
  const size_t rank = indices.sizes().size();
  ET_CHECK_OR_RETURN_ERROR(rank < kTensorDimensionLimit, InvalidArgument,
                           "the rank is at its limit");
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = indices.sizes()[d];
  }
  sizes[rank] = weight.sizes()[1];
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank + 1));
}

bool check_alpha_type(const ScalarType alpha_type, const ScalarType common_type) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      executorch::runtime::canCast(alpha_type, common_type) ||
          (common_type == ScalarType::Bool &&
           executorch::runtime::isIntegralType(alpha_type, /*includeBool=*/true)),
      "an alpha of %s does not go with %s", executorch::runtime::toString(alpha_type),
      executorch::runtime::toString(common_type));
  return true;
}

}  // namespace torch::executor
