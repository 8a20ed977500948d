#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& permute_copy_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dims,
                         Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, dims.size() == rank, "permute needs one entry for each dimension")) {
    return out;
  }
  size_t order[util::kMaxRank];
  bool seen[util::kMaxRank] = {};
  util::Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    int64_t dim = dims[d];
    if (!util::wrap_dim(ctx, dim, rank) ||
        !util::require(ctx, !seen[dim], "a dimension is named twice")) {
      return out;
    }
    seen[dim] = true;
    order[d] = static_cast<size_t>(dim);
    shape.push(in.size(dim));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).permute(order), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
