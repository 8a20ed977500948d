#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
void split_copy_Tensor_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t split_size,
                           int64_t dim, TensorList out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require(ctx, rank > 0, "split needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank)) {
    return;
  }
  const size_t at = static_cast<size_t>(dim);
  const int64_t size = in.size(at);
  if (!util::require(ctx, split_size > 0 || (split_size == 0 && size == 0),
                     "split_size must be positive")) {
    return;
  }
  const int64_t full = split_size == 0 ? 0 : size / split_size;
  const int64_t parts = full + (split_size != 0 && size % split_size != 0 ? 1 : 0);
  if (!util::require(ctx, static_cast<int64_t>(out.size()) == (parts == 0 ? 1 : parts),
                     "the number of outputs is not that of the parts")) {
    return;
  }
  const util::View view(in);
  size_t offset = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    Tensor target = out[i];
    const int64_t left = size - static_cast<int64_t>(offset);
    const int64_t count = left < split_size ? left : split_size;
    util::Shape shape(in);
    shape.sizes[at] = static_cast<SizesType>(count);
    if (!util::require_same_dtype(ctx, in, target) || !util::resize(ctx, shape, target)) {
      return;
    }
    util::copy(view.narrow(at, offset, static_cast<size_t>(count)), util::View(target));
    offset += static_cast<size_t>(count);
  }
}

}  // namespace torch::executor::native
