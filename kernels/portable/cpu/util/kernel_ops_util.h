/**
 * @file
 * Operators with windows (convolution, pooling) and others with a kernel: checks of their
 * arguments, which log what is wrong, the sizes of what they give, and loops over windows.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// Entry `i` of an argument with one entry for all dimensions, or one for each, or none, which
/// means the default.
inline int64_t val_at(IntArrayRef array, size_t i, int64_t default_value = 1) {
  return array.empty() ? default_value : array[array.size() == 1 ? 0 : i];
}

/// True if no entry is below `val`.
bool int_array_all_ge(IntArrayRef array, int64_t val);

/// True if the argument has one entry or `length` of them, none below `min_val`; with
/// `allow_empty`, also if it has none.
bool param_array_is_valid(const char* name, IntArrayRef array, int64_t min_val, size_t length,
                          bool allow_empty);

bool kernel_size_is_valid(IntArrayRef kernel_size, size_t kernel_ndim);
bool stride_is_valid(IntArrayRef stride, size_t kernel_ndim, bool allow_empty);
/// @param enforce_half_kernel The padding is at most half of the kernel.
bool padding_is_valid(IntArrayRef padding, IntArrayRef kernel_size, size_t kernel_ndim,
                      bool enforce_half_kernel);
bool dilation_is_valid(IntArrayRef dilation, size_t kernel_ndim);
bool output_padding_is_valid(IntArrayRef output_padding, IntArrayRef stride, IntArrayRef dilation,
                             size_t kernel_ndim);
/// True if the last `kernel_ndim` sizes are positive.
bool output_size_is_valid(ArrayRef<SizesType> output_size, size_t kernel_ndim);

/// The sizes, and the dim order, with a dimension of size 1 in front of dimension `unsqueeze_dim`.
void get_unsqueezed_sizes(const Tensor& t, int64_t unsqueeze_dim, SizesType* sizes_arr,
                          size_t& ndim);
void get_unsqueezed_dim_order(const Tensor& t, DimOrderType unsqueeze_dim,
                              DimOrderType* dim_order_arr);

/// The size that windows give along one dimension.
int64_t _kernel_output_size_helper(size_t inputSize, int64_t pad, int64_t kernelSize,
                                   int64_t stride, int64_t dilation, bool ceil_mode,
                                   bool transposed, int64_t output_padding);

/// The sizes that windows give along the last `kernel_ndim` dimensions, into the same entries of
/// `out_sizes`, which has one for each dimension of `in`.
void calculate_kernel_output_sizes(const Tensor& in, size_t kernel_ndim, IntArrayRef kernel_size,
                                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                   SizesType* out_sizes, bool ceil_mode = false,
                                   bool transposed = false, IntArrayRef output_padding = {});

/// A row-major index [n, c, h, w] as a position.
inline size_t calculate_linear_index(size_t n, size_t c, size_t h, size_t w,
                                     ArrayRef<StridesType> strides) {
  return n * static_cast<size_t>(strides[0]) + c * static_cast<size_t>(strides[1]) +
         h * static_cast<size_t>(strides[2]) + w * static_cast<size_t>(strides[3]);
}

bool check_adaptive_avg_pool2d_args(const Tensor& in, IntArrayRef output_size, const Tensor& out);
void get_adaptive_avg_pool2d_out_target_size(const Tensor& in, IntArrayRef output_size,
                                             SizesType* out_sizes, size_t* out_ndim);

bool check_arange_args(double start, double end, double step, Tensor& out);

bool check_avg_pool2d_args(const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride,
                           IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                           const optional<int64_t>& divisor_override, const Tensor& out);
void get_avg_pool2d_out_target_size(const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride,
                                    IntArrayRef padding, bool ceil_mode, SizesType* out_sizes,
                                    size_t* out_ndim);

bool check_convolution_args(const Tensor& in, const Tensor& weight, const optional<Tensor>& bias,
                            IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                            bool transposed, IntArrayRef output_padding, int64_t groups,
                            const Tensor& out);
void get_convolution_out_target_size(const Tensor& in, const Tensor& weight, IntArrayRef stride,
                                     IntArrayRef padding, IntArrayRef dilation, bool transposed,
                                     IntArrayRef output_padding, int64_t groups,
                                     SizesType* out_sizes, size_t* out_ndim);

bool check_cumsum_args(const Tensor& in, int64_t dim, optional<ScalarType> enforced_dtype,
                       Tensor& out);

bool check_max_pool2d_with_indices_args(const Tensor& in, IntArrayRef kernel_size,
                                        IntArrayRef stride, IntArrayRef padding,
                                        IntArrayRef dilation, bool ceil_mode, const Tensor& out,
                                        const Tensor& indices);
void get_max_pool2d_with_indices_out_target_size(const Tensor& in, IntArrayRef kernel_size,
                                                 IntArrayRef stride, IntArrayRef padding,
                                                 IntArrayRef dilation, bool ceil_mode,
                                                 SizesType* out_sizes, size_t* out_ndim);

bool check_masked_fill_args(const Tensor& in, const Tensor& mask, const Scalar& value, Tensor& out);

bool check_constant_pad_args(const Tensor& in, IntArrayRef pad, const Scalar& value, Tensor& out);
/// Resizes the output of `constant_pad_nd`. Errors: those of `resize_tensor`.
ET_NODISCARD Error resize_constant_pad_output(const Tensor& in, IntArrayRef pad, Tensor& out);

bool check_embedding_args(const Tensor& weight, const Tensor& indices, const Tensor& out);
/// Resizes the output of `embedding`. Errors: those of `resize_tensor`.
ET_NODISCARD Error resize_embedding_output(const Tensor& weight, const Tensor& indices,
                                           const Tensor& out);

bool check_alpha_type(const ScalarType alpha_type, const ScalarType common_type);

/**
 * Folds the window of each output element of images [N, C, H, W] or [C, H, W], of any dim order.
 *
 * @param reduce_fn `(in_value, in_index, accumulated, accumulated_index)` to a tuple of the new
 *     two; the window's first element (0 in padding) is where accumulation begins.
 * @param map_fn `(count, accumulated)` to the output's element.
 * @param include_pad Count, and fold as 0, what lies in padding.
 * @param indices Takes the index of the element that won, in its image's channel.
 */
template <typename CTYPE, typename ReduceOp, typename MapOp>
void apply_kernel_2d_reduce_then_map_fn(const ReduceOp& reduce_fn, const MapOp& map_fn,
                                        const bool include_pad, const Tensor& in,
                                        const IntArrayRef kernel_size, const IntArrayRef stride,
                                        const IntArrayRef padding, const IntArrayRef dilation,
                                        Tensor& out, optional<Tensor> indices = {});

}  // namespace torch::executor

#include <executorch/kernels/portable/cpu/util/kernel_ops_windows.h>
