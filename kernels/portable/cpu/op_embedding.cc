#include <cstring>

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& embedding_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& indices,
                      int64_t padding_idx, bool scale_grad_by_freq, bool sparse, Tensor& out) {
  (void)padding_idx;  // the three only matter for gradients
  (void)scale_grad_by_freq;
  (void)sparse;
  if (!util::require_same_dtype(ctx, weight, out) ||
      !util::require(ctx, weight.dim() == 2 && util::is_contiguous(weight),
                     "the weight must be a contiguous matrix") ||
      !util::require(ctx, util::is_index_dtype(indices.scalar_type()),
                     "the indices must be Int or Long") ||
      !util::require(ctx, static_cast<size_t>(indices.dim()) < util::kMaxRank,
                     "the rank is at its limit")) {
    return out;
  }
  util::Shape shape(indices);
  shape.push(weight.size(1));
  if (!util::resize(ctx, shape, out) ||
      !util::require(ctx, util::is_contiguous(indices) && util::is_contiguous(out),
                     "embedding needs contiguous indices and output")) {
    return out;
  }
  const size_t bytes =
      static_cast<size_t>(weight.size(1)) * static_cast<size_t>(weight.element_size());
  const char* rows = static_cast<const char*>(weight.const_data_ptr());
  char* target = static_cast<char*>(out.mutable_data_ptr());
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = util::read_index(indices, i);
    if (!util::require(ctx, index >= 0 && index < weight.size(0), "an index is out of range")) {
      return out;
    }
    std::memmove(target + static_cast<size_t>(i) * bytes, rows + static_cast<size_t>(index) * bytes,
                 bytes);
  }
  return out;
}

}  // namespace torch::executor::native
