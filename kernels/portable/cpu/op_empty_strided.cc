#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& empty_strided_out(KernelRuntimeContext& ctx, IntArrayRef size, IntArrayRef stride,
                          Tensor& out) {
  if (!util::require(ctx, size.size() == stride.size(), "there must be a stride for each size") ||
      !util::resize(ctx, size, out)) {
    return out;
  }
  for (size_t d = 0; d < size.size(); ++d) {
    // Where a dimension has at most one element, its stride means nothing.
    if (!util::require(ctx, out.numel() == 0 || size[d] == 1 || stride[d] == out.strides()[d],
                       "the strides are not those of the output's dim order")) {
      return out;
    }
  }
  return out;
}

}  // namespace torch::executor::native
