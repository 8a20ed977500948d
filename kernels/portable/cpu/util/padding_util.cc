#include <executorch/kernels/portable/cpu/util/padding_util.h>

namespace torch::executor {

bool check_padding_args(int64_t n, const Tensor& in, ArrayRef<int64_t> padding, Tensor& out,
                        bool reflection) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(static_cast<int64_t>(padding.size()) == 2 * n,
                                 "%zu entries of padding for %lld dimensions", padding.size(),
                                 static_cast<long long>(n));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.dim() == n + 1 || in.dim() == n + 2,
                                 "%lld padded dimensions, but rank %zd", static_cast<long long>(n),
                                 static_cast<ssize_t>(in.dim()));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  for (int64_t i = 1; i <= n; ++i) {
    const int64_t size = in.size(static_cast<ssize_t>(in.dim() - i));
    const int64_t before = padding[static_cast<size_t>(2 * i - 2)];
    const int64_t after = padding[static_cast<size_t>(2 * i - 1)];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(before >= -size && after >= -size && size + before + after >= 0,
                                   "more is cut off than there is");
    ET_LOG_MSG_AND_RETURN_IF_FALSE(!reflection || (before < size && after < size),
                                   "there is less to mirror than padding");
  }
  return true;
}

void get_padding_out_target_size(int64_t n, const Tensor& in, ArrayRef<int64_t> padding,
                                 SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  for (size_t d = 0; d < *out_ndim; ++d) {
    const size_t from_back = *out_ndim - 1 - d;
    const bool is_padded = static_cast<int64_t>(from_back) < n;
    const int64_t added =
        is_padded ? padding[2 * from_back] + padding[2 * from_back + 1] : int64_t{0};
    out_sizes[d] = static_cast<SizesType>(in.sizes()[d] + added);
  }
}

}  // namespace torch::executor
