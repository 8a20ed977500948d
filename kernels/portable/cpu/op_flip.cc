#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& flip_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dims, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  bool reversed[util::kMaxRank] = {};
  if (!util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  for (int64_t dim : dims) {
    if (!util::wrap_dim(ctx, dim, rank) ||
        !util::require(ctx, !reversed[dim], "a dimension is named twice")) {
      return out;
    }
    reversed[dim] = true;
  }
  if (!util::resize_like(ctx, in, out) || in.numel() == 0) {
    return out;
  }
  util::View view(in);
  for (size_t d = 0; d < rank; ++d) {
    if (reversed[d]) {
      view = view.narrow(d, view.size[d] - 1, view.size[d], -1);
    }
  }
  util::copy(view, util::View(out));
  return out;
}

}  // namespace torch::executor::native
