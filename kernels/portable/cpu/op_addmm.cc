#include <executorch/kernels/portable/cpu/internal/matmul.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

/// Whether the factor is a number of the products.
bool check_factor(KernelRuntimeContext& ctx, const Scalar& factor, const Tensor& out) {
  return util::is_floating(out.scalar_type()) ? util::require_factor(ctx, factor, out.scalar_type())
                                              : util::require_representable(ctx, factor, out);
}

}  // namespace

Tensor& addmm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat1,
                  const Tensor& mat2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
  util::Shape shape;
  if (!util::require_products(ctx, mat1, mat2, out) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0),
                     "addmm needs an [m, k] and a [k, n] matrix") ||
      !check_factor(ctx, alpha, out) || !check_factor(ctx, beta, out)) {
    return out;
  }
  shape.push(mat1.size(0));
  shape.push(mat2.size(1));
  if (!util::resize(ctx, shape, out) ||
      !util::require(ctx, util::broadcasts_to(in, out), "the addend does not broadcast") ||
      out.numel() == 0) {
    return out;
  }
  util::GemmOut target = util::as_gemm_out(out);
  // Factors lose their fractions where the elements are integers.
  target.alpha = util::ScalarValue(alpha);
  target.beta = util::ScalarValue(beta);
  target.scaled = target.alpha.d != 1 || target.beta.d != 1;
  const util::View addend = util::View(in).expand(util::View(out));
  target.bias = in.const_data_ptr();
  target.bias_dtype = in.scalar_type();
  target.bias_row_stride = addend.stride[0];
  target.bias_column_stride = addend.stride[1];
  util::gemm_strided(util::arithmetic_compute(out.scalar_type()), util::rows(mat1),
                     util::columns(mat2), util::columns(mat1), util::as_matrix(mat1),
                     util::as_matrix(mat2), target);
  return out;
}

}  // namespace torch::executor::native
