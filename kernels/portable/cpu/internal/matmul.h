/**
 * @file
 * What the matrix product kernels share: views of tensors as matrices.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// Requires one real dtype for a product's factors and its result; Bool has no products.
inline bool require_products(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                             const Tensor& out) {
  return require_real(ctx, a) && require_same_dtype(ctx, a, b) && require_same_dtype(ctx, a, out) &&
         require(ctx, a.scalar_type() != ScalarType::Bool, "products are not defined for Bool");
}

/// Rows of a tensor of rank 2.
inline size_t rows(const Tensor& t) { return static_cast<size_t>(t.size(0)); }

/// Columns of a tensor of rank 2.
inline size_t columns(const Tensor& t) { return static_cast<size_t>(t.size(1)); }

/// A tensor of rank 2.
inline Matrix as_matrix(const Tensor& t) {
  return {t.const_data_ptr(), t.scalar_type(), t.strides()[0], t.strides()[1]};
}

/// A tensor of rank 2 that takes a product.
inline GemmOut as_gemm_out(Tensor& t) {
  return {t.mutable_data_ptr(), t.scalar_type(), t.strides()[0], t.strides()[1]};
}

}  // namespace torch::executor::native::util
