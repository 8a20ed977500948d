#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& transpose_copy_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim0,
                               int64_t dim1, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) || !util::wrap_dim(ctx, dim0, rank) ||
      !util::wrap_dim(ctx, dim1, rank)) {
    return out;
  }
  size_t order[util::kMaxRank];
  for (size_t d = 0; d < rank; ++d) {
    const int64_t from = static_cast<int64_t>(d);
    order[d] = static_cast<size_t>(from == dim0 ? dim1 : from == dim1 ? dim0 : from);
  }
  util::Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    shape.push(in.size(order[d]));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).permute(order), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
