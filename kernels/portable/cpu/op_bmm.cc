#include <executorch/kernels/portable/cpu/util/matmul.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native {
namespace {

/// Matrix `index` of a batch.
util::Matrix at(const Tensor& t, ptrdiff_t index) {
  const ptrdiff_t offset = index * t.strides()[0] * static_cast<ptrdiff_t>(t.element_size());
  return {static_cast<const char*>(t.const_data_ptr()) + offset, t.scalar_type(), t.strides()[1],
          t.strides()[2]};
}

}  // namespace

Tensor& bmm_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mat2, Tensor& out) {
  util::Shape shape;
  if (!util::require_products(ctx, in, mat2, out) ||
      !util::require(ctx,
                     in.dim() == 3 && mat2.dim() == 3 && in.size(0) == mat2.size(0) &&
                         in.size(2) == mat2.size(1),
                     "bmm needs a [b, m, k] and a [b, k, n] tensor")) {
    return out;
  }
  shape.push(in.size(0));
  shape.push(in.size(1));
  shape.push(mat2.size(2));
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  for (ptrdiff_t b = 0; b < in.size(0); ++b) {
    const util::Matrix target = at(out, b);
    util::GemmOut gemm_out = {const_cast<void*>(target.data), target.dtype, target.row_stride,
                              target.column_stride};
    util::gemm_strided(util::arithmetic_compute(out.scalar_type()), static_cast<size_t>(in.size(1)),
                       static_cast<size_t>(mat2.size(2)), static_cast<size_t>(in.size(2)),
                       at(in, b), at(mat2, b), gemm_out);
  }
  return out;
}

}  // namespace torch::executor::native
