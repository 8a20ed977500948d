#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
void split_with_sizes_copy_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef split_sizes,
                               int64_t dim, TensorList out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require(ctx, rank > 0, "split needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank) ||
      !util::require(ctx, out.size() == split_sizes.size(),
                     "the number of outputs is not that of the parts")) {
    return;
  }
  const size_t at = static_cast<size_t>(dim);
  int64_t total = 0;
  for (const int64_t count : split_sizes) {
    if (!util::require(ctx, count >= 0 && count <= in.size(at), "a part is out of range")) {
      return;
    }
    total += count;
  }
  if (!util::require(ctx, total == in.size(at), "the parts do not add up to the dimension")) {
    return;
  }
  const util::View view(in);
  size_t offset = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    Tensor target = out[i];
    const size_t count = static_cast<size_t>(split_sizes[i]);
    util::Shape shape(in);
    shape.sizes[at] = static_cast<SizesType>(count);
    if (!util::require_same_dtype(ctx, in, target) || !util::resize(ctx, shape, target)) {
      return;
    }
    util::copy(view.narrow(at, offset, count), util::View(target));
    offset += count;
  }
}

}  // namespace torch::executor::native
