#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Copies `in` without the dimensions of size 1 that `drop` names.
void squeeze(KernelRuntimeContext& ctx, const Tensor& in, const bool* drop, Tensor& out) {
  util::Shape shape;
  util::View view(in);
  for (size_t d = view.rank; d-- > 0;) {
    if (drop[d] && in.size(d) == 1) {
      view = view.select(d, 0);
    }
  }
  for (size_t d = 0; d < view.rank; ++d) {
    shape.push(static_cast<int64_t>(view.size[d]));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(view, util::View(out));
  }
}

}  // namespace

Tensor& squeeze_copy_dim_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                             Tensor& out) {
  bool drop[util::kMaxRank] = {};
  if (util::require_same_dtype(ctx, in, out) &&
      util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim()))) {
    drop[dim] = true;
    squeeze(ctx, in, drop, out);
  }
  return out;
}

Tensor& squeeze_copy_dims_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dims,
                              Tensor& out) {
  bool drop[util::kMaxRank] = {};
  if (!util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  for (int64_t dim : dims) {
    if (!util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) ||
        !util::require(ctx, !drop[dim], "a dimension is named twice")) {
      return out;
    }
    drop[dim] = true;
  }
  squeeze(ctx, in, drop, out);
  return out;
}

}  // namespace torch::executor::native
