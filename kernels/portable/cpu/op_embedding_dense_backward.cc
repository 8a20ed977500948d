#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// How often an index occurs.
int64_t occurrences(const Tensor& indices, int64_t index) {
  int64_t count = 0;
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    count += util::read_index(indices, i) == index ? 1 : 0;
  }
  return count;
}

}  // namespace

Tensor& embedding_dense_backward_out(KernelRuntimeContext& ctx, const Tensor& grad_output,
                                     const Tensor& indices, int64_t num_weights,
                                     int64_t padding_idx, bool scale_grad_by_freq, Tensor& out) {
  bool fits = grad_output.dim() == indices.dim() + 1;
  for (ssize_t d = 0; fits && d < indices.dim(); ++d) {
    fits = grad_output.size(d) == indices.size(d);
  }
  util::Shape shape;
  shape.push(num_weights);
  shape.push(fits ? grad_output.size(grad_output.dim() - 1) : 0);
  if (!util::require_floating(ctx, grad_output) ||
      !util::require_same_dtype(ctx, grad_output, out) ||
      !util::require(ctx, fits, "the gradient must have the shape of the indices and a last one") ||
      !util::require(ctx, util::is_index_dtype(indices.scalar_type()),
                     "the indices must be Int or Long") ||
      !util::require(ctx, num_weights >= 0 && num_weights <= INT32_MAX,
                     "num_weights is out of range") ||
      !util::require(ctx, util::is_contiguous(grad_output) && util::is_contiguous(indices),
                     "the gradient and the indices must be contiguous") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  util::fill(util::ScalarValue(int64_t{0}), out);
  const util::View source(grad_output);
  const util::View target(out);
  const ptrdiff_t columns = shape.sizes[1];
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = util::read_index(indices, i);
    if (!util::require(ctx, index >= 0 && index < num_weights, "an index is out of range")) {
      return out;
    }
    if (index == padding_idx) {
      continue;
    }
    const double share =
        scale_grad_by_freq ? 1.0 / static_cast<double>(occurrences(indices, index)) : 1.0;
    for (ptrdiff_t k = 0; k < columns; ++k) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(index) * target.stride[0] + k * target.stride[1];
      const double sum = util::get_element<double>(target, at) +
                         share * util::get_element<double>(source, i * columns + k);
      util::put_element(target, at, sum);
    }
  }
  return out;
}

}  // namespace torch::executor::native
