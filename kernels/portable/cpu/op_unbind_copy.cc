#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
void unbind_copy_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, TensorList out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require(ctx, rank > 0, "unbind needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return;
  }
  const size_t at = static_cast<size_t>(dim);
  if (!util::require(ctx, static_cast<int64_t>(out.size()) == in.size(at),
                     "unbind needs one output for each index")) {
    return;
  }
  util::Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    if (d != at) {
      shape.push(in.size(d));
    }
  }
  const util::View view(in);
  for (size_t i = 0; i < out.size(); ++i) {
    Tensor target = out[i];
    if (!util::require_same_dtype(ctx, in, target) || !util::resize(ctx, shape, target)) {
      return;
    }
    util::copy(view.select(at, i), util::View(target));
  }
}

}  // namespace torch::executor::native
