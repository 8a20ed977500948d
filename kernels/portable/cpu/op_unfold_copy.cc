#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& unfold_copy_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dimension,
                        int64_t size, int64_t step, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank < util::kMaxRank, "the rank is at its limit") ||
      !util::wrap_dim(ctx, dimension, rank)) {
    return out;
  }
  const int64_t own = rank == 0 ? 1 : in.size(dimension);
  if (!util::require(ctx, size >= 0 && size <= own && step > 0,
                     "the window must fit the dimension and step must be positive")) {
    return out;
  }
  const size_t at = static_cast<size_t>(dimension);
  util::View view(in);
  const ptrdiff_t stride = rank == 0 ? 1 : view.stride[at];
  const int64_t windows = (own - size) / step + 1;
  if (rank > 0) {
    view.size[at] = static_cast<size_t>(windows);
    // With one window the step is never taken, and may be too large to multiply.
    view.stride[at] = windows == 1 ? 0 : stride * static_cast<ptrdiff_t>(step);
  }
  view.size[view.rank] = static_cast<size_t>(size);
  view.stride[view.rank++] = stride;
  util::Shape shape;
  for (size_t d = 0; d < view.rank; ++d) {
    shape.push(static_cast<int64_t>(view.size[d]));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(view, util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
