#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& stack_out(KernelRuntimeContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  if (!util::require(ctx, tensors.size() > 0, "stack needs a tensor")) {
    return out;
  }
  const Tensor& first = tensors[0];
  const size_t rank = static_cast<size_t>(first.dim());
  if (!util::require(ctx, rank < util::kMaxRank, "the rank is at its limit") ||
      !util::wrap_dim(ctx, dim, rank + 1)) {
    return out;
  }
  for (const Tensor& t : tensors) {
    if (!util::require_castable(ctx, t, out) ||
        !util::require(ctx, util::same_shape(t, first), "stack needs tensors of one shape")) {
      return out;
    }
  }
  const size_t at = static_cast<size_t>(dim);
  util::Shape shape;
  for (size_t d = 0; d <= rank; ++d) {
    shape.push(d == at ? static_cast<int64_t>(tensors.size()) : first.size(d < at ? d : d - 1));
  }
  if (util::resize(ctx, shape, out)) {
    const util::View target(out);
    for (size_t i = 0; i < tensors.size(); ++i) {
      util::copy(util::View(tensors[i]), target.select(at, i));
    }
  }
  return out;
}

}  // namespace torch::executor::native
