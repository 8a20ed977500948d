#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& select_scatter_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& src,
                           int64_t dim, int64_t index, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) || !util::require_convertible(ctx, src, out) ||
      !util::require(ctx, rank > 0 && src.dim() + 1 == in.dim(), "the ranks do not match") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const int64_t size = in.size(at);
  if (!util::require(ctx, index >= -size && index < size, "the index is out of range")) {
    return out;
  }
  index += index < 0 ? size : 0;
  for (size_t d = 0; d + 1 < rank; ++d) {
    if (!util::require(ctx, src.size(d) == in.size(d < at ? d : d + 1),
                       "src does not have the shape of the selection")) {
      return out;
    }
  }
  if (util::resize_like(ctx, in, out)) {
    const util::View target(out);
    util::copy(util::View(in), target);
    util::copy(util::View(src), target.select(at, static_cast<size_t>(index)));
  }
  return out;
}

}  // namespace torch::executor::native
