#include <executorch/kernels/portable/cpu/internal/matmul.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& mm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat2, Tensor& out) {
  util::Shape shape;
  if (!util::require_products(ctx, in, mat2, out) ||
      !util::require(ctx, in.dim() == 2 && mat2.dim() == 2 && in.size(1) == mat2.size(0),
                     "mm needs an [m, k] and a [k, n] matrix")) {
    return out;
  }
  shape.push(in.size(0));
  shape.push(mat2.size(1));
  if (util::resize(ctx, shape, out) && out.numel() > 0) {
    util::gemm_strided(util::arithmetic_compute(out.scalar_type()), util::rows(in),
                       util::columns(mat2), util::columns(in), util::as_matrix(in),
                       util::as_matrix(mat2), util::as_gemm_out(out));
  }
  return out;
}

}  // namespace torch::executor::native
