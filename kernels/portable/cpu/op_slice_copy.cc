#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& slice_copy_Tensor_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                              optional<int64_t> start, optional<int64_t> end, int64_t step,
                              Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank > 0, "slice needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank) || !util::require(ctx, step > 0, "step must be positive")) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const util::Range range = util::slice_range(in.size(at), start, end, step);
  util::Shape shape(in);
  shape.sizes[at] = static_cast<SizesType>(range.count);
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).narrow(at, range.start, range.count, range.step), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
