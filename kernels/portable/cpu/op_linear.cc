#include <executorch/kernels/portable/cpu/internal/matmul.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& linear_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                   const optional<Tensor>& bias, Tensor& out) {
  if (!util::require_products(ctx, in, weight, out) ||
      !util::require(ctx,
                     in.dim() >= 1 && weight.dim() == 2 && in.size(in.dim() - 1) == weight.size(1),
                     "linear needs an input [..., k] and a weight [n, k]") ||
      !util::require(ctx,
                     !bias.has_value() || (bias->dim() <= 1 &&
                                           (bias->numel() == 1 || bias->numel() == weight.size(0))),
                     "the bias must have one element, or one for each row of the weight")) {
    return out;
  }
  util::Shape shape(in);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(weight.size(0));
  if (!util::resize(ctx, shape, out) ||
      !util::require(ctx, util::is_contiguous(in) && util::is_contiguous(out),
                     "linear needs a contiguous input and output") ||
      (bias.has_value() && !util::require_real(ctx, *bias)) || out.numel() == 0) {
    return out;
  }
  // The weight is the left matrix: its rows are long and contiguous whatever the number of inputs.
  const size_t n = util::rows(weight);
  const size_t k = util::columns(weight);
  const size_t m = static_cast<size_t>(out.numel()) / n;
  util::GemmOut target = {out.mutable_data_ptr(), out.scalar_type(), 1, static_cast<ptrdiff_t>(n)};
  if (bias.has_value()) {
    target.bias = bias->const_data_ptr();
    target.bias_dtype = bias->scalar_type();
    target.bias_row_stride = bias->numel() == 1 ? 0 : 1;
  }
  const util::Matrix columns = {in.const_data_ptr(), in.scalar_type(), 1,
                                static_cast<ptrdiff_t>(k)};
  util::gemm_strided(util::arithmetic_compute(out.scalar_type()), n, m, k, util::as_matrix(weight),
                     columns, target);
  return out;
}

}  // namespace torch::executor::native
