#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& select_copy_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, int64_t index,
                            Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank > 0, "select needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const int64_t size = in.size(at);
  if (!util::require(ctx, index >= -size && index < size, "the index is out of range")) {
    return out;
  }
  index += index < 0 ? size : 0;
  util::Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    if (d != at) {
      shape.push(in.size(d));
    }
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in).select(at, static_cast<size_t>(index)), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
