#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& narrow_copy_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, int64_t start,
                        int64_t length, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank > 0, "narrow needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const int64_t size = in.size(at);
  if (!util::require(ctx,
                     start >= -size && start <= size && length >= 0 &&
                         length <= size - (start < 0 ? start + size : start),
                     "the range is outside of the dimension")) {
    return out;
  }
  start += start < 0 ? size : 0;
  util::Shape shape(in);
  shape.sizes[at] = static_cast<SizesType>(length);
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).narrow(at, static_cast<size_t>(start), static_cast<size_t>(length)),
               util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
