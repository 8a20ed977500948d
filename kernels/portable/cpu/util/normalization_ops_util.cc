#include <executorch/kernels/portable/cpu/util/normalization_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::tensors_have_same_dtype;

/// Whether a parameter is absent, or has `channels` elements of the input's dtype.
bool is_parameter(const optional<Tensor>& t, const Tensor& in, int64_t channels) {
  if (!t.has_value()) {
    return true;
  }
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, *t));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(t->dim() == 1 && t->size(0) == channels,
                                 "a parameter needs an element for each of %lld channels",
                                 static_cast<long long>(channels));
  return true;
}

/// Whether a parameter is absent, or has the normalized shape and the input's dtype.
bool has_shape(const optional<Tensor>& t, const Tensor& in, IntArrayRef shape) {
  if (!t.has_value()) {
    return true;
  }
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, *t));
  bool is_same = t->sizes().size() == shape.size();
  for (size_t d = 0; is_same && d < shape.size(); ++d) {
    is_same = t->sizes()[d] == shape[d];
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(is_same, "a parameter does not have the normalized shape");
  return true;
}

}  // namespace

bool check_batch_norm_args(const Tensor& in, const optional<Tensor>& weight,
                           const optional<Tensor>& bias, const optional<Tensor>& running_mean,
                           const optional<Tensor>& running_var, [[maybe_unused]] double momentum,
                           [[maybe_unused]] double eps, Tensor& out, Tensor& mean_out,
                           Tensor& invstd_out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, mean_out, invstd_out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.dim() >= 1, "a batch needs rank 1 or more");
  const int64_t channels = in.dim() >= 2 ? in.size(1) : 1;
  return is_parameter(weight, in, channels) && is_parameter(bias, in, channels) &&
         is_parameter(running_mean, in, channels) && is_parameter(running_var, in, channels);
}

bool check_layer_norm_args(const Tensor& input, IntArrayRef normalized_shape,
                           const optional<Tensor>& weight, const optional<Tensor>& bias,
                           Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const size_t count = normalized_shape.size();
  ET_LOG_MSG_AND_RETURN_IF_FALSE(count >= 1, "no dimension is normalized");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(input.sizes().size() >= count,
                                 "%zu dimensions are normalized, but the rank is %zu", count,
                                 input.sizes().size());
  const size_t shift = input.sizes().size() - count;
  for (size_t d = 0; d < count; ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(input.sizes()[d + shift] == normalized_shape[d],
                                   "the input does not have the normalized shape at the end");
  }
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, mean_out, rstd_out));
  return has_shape(weight, input, normalized_shape) && has_shape(bias, input, normalized_shape);
}

void get_layer_norm_out_target_size(const Tensor& in, IntArrayRef normalized_shape,
                                    SizesType* mean_rstd_sizes, size_t* mean_rstd_ndim) {
  *mean_rstd_ndim = in.sizes().size();
  const size_t kept = *mean_rstd_ndim - normalized_shape.size();
  for (size_t d = 0; d < *mean_rstd_ndim; ++d) {
    mean_rstd_sizes[d] = d < kept ? in.sizes()[d] : 1;
  }
}

bool check_group_norm_args(const Tensor& input, const optional<Tensor>& weight,
                           const optional<Tensor>& bias, int64_t N, int64_t C, int64_t HxW,
                           int64_t group, Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(input.dim() >= 2 && input.size(0) == N && input.size(1) == C,
                                 "the input has another batch, or other channels");
  int64_t elements = 0;
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!__builtin_mul_overflow(N, C, &elements) &&
                                     !__builtin_mul_overflow(elements, HxW, &elements) &&
                                     elements == input.numel(),
                                 "the input has another number of elements");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(group > 0 && C % group == 0,
                                 "%lld channels do not make up %lld groups",
                                 static_cast<long long>(C), static_cast<long long>(group));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, mean_out, rstd_out));
  return is_parameter(weight, input, C) && is_parameter(bias, input, C);
}

}  // namespace torch::executor
