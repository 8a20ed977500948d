#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& t_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.dim() <= 2, "t needs a tensor of rank 2 or less")) {
    return out;
  }
  util::Shape shape(in);
  size_t order[2] = {0, 1};
  if (in.dim() == 2) {
    shape.sizes[0] = static_cast<SizesType>(in.size(1));
    shape.sizes[1] = static_cast<SizesType>(in.size(0));
    order[0] = 1;
    order[1] = 0;
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).permute(order), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
