#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& slice_scatter_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& src,
                          int64_t dim, optional<int64_t> start, optional<int64_t> end, int64_t step,
                          Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) || !util::require_convertible(ctx, src, out) ||
      !util::require(ctx, rank > 0 && src.dim() == in.dim(), "the ranks do not match") ||
      !util::wrap_dim(ctx, dim, rank) || !util::require(ctx, step > 0, "step must be positive")) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const util::Range range = util::slice_range(in.size(at), start, end, step);
  for (size_t d = 0; d < rank; ++d) {
    const size_t size = d == at ? range.count : static_cast<size_t>(in.size(d));
    if (!util::require(ctx, static_cast<size_t>(src.size(d)) == size,
                       "src does not have the shape of the slice")) {
      return out;
    }
  }
  if (util::resize_like(ctx, in, out)) {
    const util::View target(out);
    util::copy(util::View(in), target);
    util::copy(util::View(src), target.narrow(at, range.start, range.count, range.step));
  }
  return out;
}

}  // namespace torch::executor::native
