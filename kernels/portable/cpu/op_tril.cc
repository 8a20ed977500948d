#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& tril_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t diagonal, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank >= 2, "tril needs a matrix") || !util::resize_like(ctx, in, out) ||
      out.numel() == 0) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const int64_t rows = in.size(in.dim() - 2);
  const int64_t columns = in.size(in.dim() - 1);
  // A diagonal beyond the corners is the corner.
  diagonal = diagonal < -rows ? -rows : diagonal > columns ? columns : diagonal;
  // The output may be the input: only the upper part changes.
  util::copy(source, target);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row + diagonal + 1;
    const size_t begin = static_cast<size_t>(first < 0 ? 0 : first > columns ? columns : first);
    const size_t count = static_cast<size_t>(columns) - begin;
    if (count == 0) {
      continue;
    }
    alignas(16) char zero[16] = {};
    util::View zeros =
        target.narrow(rank - 2, static_cast<size_t>(row), 1).narrow(rank - 1, begin, count);
    const util::View upper = zeros;
    zeros.data = zero;
    for (size_t d = 0; d < rank; ++d) {
      zeros.stride[d] = 0;
    }
    util::copy(zeros, upper);
  }
  return out;
}

}  // namespace torch::executor::native
