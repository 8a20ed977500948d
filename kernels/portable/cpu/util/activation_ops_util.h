/**
 * @file
 * Activations: checks of their arguments, which log what is wrong.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// @param approximate "none" or "tanh".
bool check_gelu_args(const Tensor& in, string_view approximate, Tensor& out);

bool check_glu_args(const Tensor& in, int64_t dim, Tensor& out);
/// Resizes the output of `glu`, half as large along `dim`. Errors: those of `resize_tensor`.
ET_NODISCARD Error resize_glu_out(const Tensor& in, int64_t dim, Tensor& out);

bool check_log_softmax_args(const Tensor& in, int64_t dim, bool half_to_float, Tensor& out);
bool check_softmax_args(const Tensor& in, int64_t dim, bool half_to_float, Tensor& out);

}  // namespace torch::executor
