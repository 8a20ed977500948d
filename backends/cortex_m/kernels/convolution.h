/**
 * @file
 * What all convolutions are given, and how it is read.
 */
#pragma once

#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

/// The operators' arguments. `output_padding` is null, `depth_multiplier` one where there is none.
struct ConvolutionArguments {
  const Tensor& input;
  const Tensor& weight;
  const optional<Tensor>& bias;
  IntArrayRef stride;
  IntArrayRef padding;
  const IntArrayRef* output_padding;
  IntArrayRef dilation;
  int64_t depth_multiplier;
  int64_t input_offset;
  int64_t output_offset;
  const Tensor& multipliers;
  const Tensor& shifts;
  int64_t activation_min;
  int64_t activation_max;
  const Tensor& scratch;
};

/// The operators' arguments in the order of the struct.
template <typename... Given>
ConvolutionArguments arguments_of(const Given&... given) {
  return {given...};
}

/// A convolution, checked; pairs are height and width. `out` is the operator's to fill in.
struct Convolution {
  Images in;
  Images out;
  int32_t kernel[2];
  int32_t stride[2];
  int32_t padding[2];
  int32_t output_padding[2];
  int32_t dilation[2];
  int32_t run;  // inputs of an output at one tap: all, or those of its group
  int8_t fill;  // what stands beyond the borders: the input's zero point
  bool transposed = false;
};

/**
 * Checks all but the sizes of weights, factors, bias and output; sets the layer's weight and
 * output.
 * @returns false after failing the kernel.
 */
bool read_convolution(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
                      Convolution& conv, Layer& layer, ScalarType type = ScalarType::Char);

/// Rows (axis 0) or columns (axis 1) that a convolution makes of `in`; negative if there are none.
int32_t convolved_size(const Convolution& conv, size_t axis, int32_t in);

}  // namespace cortex_m::native
