#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& unsqueeze_copy_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank < util::kMaxRank, "the rank is at its limit") ||
      !util::wrap_dim(ctx, dim, rank + 1)) {
    return out;
  }
  util::Shape shape;
  for (size_t d = 0; d <= rank; ++d) {
    const size_t at = static_cast<size_t>(dim);
    shape.push(d == at ? 1 : in.size(d < at ? d : d - 1));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).unsqueeze(static_cast<size_t>(dim)), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
