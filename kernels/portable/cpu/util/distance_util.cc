#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/kernels/portable/cpu/util/distance_util.h>

namespace torch::executor {

using executorch::runtime::tensor_is_default_dim_order;
using executorch::runtime::tensor_is_rank;
using executorch::runtime::tensors_have_same_dtype;

bool check_pdist_args(const Tensor& in, double p, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(in, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_dim_order(out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(p >= 0, "p is negative");
  return true;
}

void get_pdist_out_target_size(const Tensor& in, SizesType* out_sizes, size_t* out_ndim) {
  const SizesType rows = in.sizes()[0];
  *out_ndim = 1;
  out_sizes[0] = rows * (rows - 1) / 2;
}

bool check_cdist_args(const Tensor& x1, const Tensor& x2, double p, optional<int64_t> compute_mode,
                      const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(x1, x2, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(x1.dim() >= 2 && x2.dim() >= 2, "rows need rank 2 or more");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(x1.size(x1.dim() - 1) == x2.size(x2.dim() - 1),
                                 "the rows have different lengths");
  const ArrayRef<SizesType> first(x1.sizes().data(), x1.sizes().size() - 2);
  const ArrayRef<SizesType> second(x2.sizes().data(), x2.sizes().size() - 2);
  ET_LOG_MSG_AND_RETURN_IF_FALSE(tensors_are_broadcastable_between(first, second),
                                 "the batches do not broadcast");
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_dim_order(x1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_dim_order(x2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_dim_order(out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(p >= 0, "p is negative");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      !compute_mode.has_value() || (*compute_mode >= 0 && *compute_mode <= 2),
      "the mode is 0, 1 or 2");
  return true;
}

}  // namespace torch::executor
