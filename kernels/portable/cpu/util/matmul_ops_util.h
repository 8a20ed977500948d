/**
 * @file
 * Matrix products: checks of their arguments, which log what is wrong, and the sizes they give.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

bool check_addmm_args(const Tensor& in, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                      const Scalar& alpha, Tensor& out);

bool check_bmm_args(const Tensor& in, const Tensor& mat2, Tensor& out);
void get_bmm_out_target_size(const Tensor& in, const Tensor& mat2, SizesType* out_sizes,
                             size_t* out_ndim);

bool check_mm_args(const Tensor& in, const Tensor& mat2, Tensor& out);
void get_mm_out_target_size(const Tensor& mat1, const Tensor& mat2, SizesType* out_sizes,
                            size_t* out_ndim);

bool check_linear_args(const Tensor& in, const Tensor& mat2, Tensor& out);
void get_linear_out_target_size(const Tensor& mat1, const Tensor& mat2, SizesType* out_sizes,
                                size_t* out_ndim);

}  // namespace torch::executor
