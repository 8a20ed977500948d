/**
 * @file
 * Normalizations: checks of their arguments, which log what is wrong, and the sizes they give.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

bool check_batch_norm_args(const Tensor& in, const optional<Tensor>& weight,
                           const optional<Tensor>& bias, const optional<Tensor>& running_mean,
                           const optional<Tensor>& running_var, double momentum, double eps,
                           Tensor& out, Tensor& mean_out, Tensor& invstd_out);

bool check_layer_norm_args(const Tensor& input, IntArrayRef normalized_shape,
                           const optional<Tensor>& weight, const optional<Tensor>& bias,
                           Tensor& out, Tensor& mean_out, Tensor& rstd_out);
/// The sizes of the mean and of the reciprocal deviation: 1 for each normalized dimension.
void get_layer_norm_out_target_size(const Tensor& in, IntArrayRef normalized_shape,
                                    SizesType* mean_rstd_sizes, size_t* mean_rstd_ndim);

bool check_group_norm_args(const Tensor& input, const optional<Tensor>& weight,
                           const optional<Tensor>& bias, int64_t N, int64_t C, int64_t HxW,
                           int64_t group, Tensor& out, Tensor& mean_out, Tensor& rstd_out);

}  // namespace torch::executor
