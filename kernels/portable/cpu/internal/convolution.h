/**
 * @file
 * Convolution of up to three spatial dimensions, plain and transposed, in any dim order.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// Spatial dimensions that a convolution may have; fewer are padded with 1 at the front.
constexpr size_t kMaxSpatial = 3;

/// The operator's arguments as they come from the program.
struct ConvolutionArgs {
  IntArrayRef stride;
  IntArrayRef padding;
  IntArrayRef dilation;
  IntArrayRef output_padding;
  bool transposed;
  int64_t groups;
};

/// One spatial dimension.
struct ConvolutionDim {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  ptrdiff_t in_stride = 0;  // elements, as the two below
  ptrdiff_t out_stride = 0;
  ptrdiff_t weight_stride = 0;
};

/// A checked convolution.
struct Convolution {
  size_t batch;
  size_t groups;
  size_t in_channels;   // of one group
  size_t out_channels;  // of one group
  bool transposed;
  ConvolutionDim dim[kMaxSpatial];
};

/**
 * Checks the arguments and derives the output's shape.
 * @param in [N, C, spatial...] or [C, spatial...].
 * @param weight [O, C / groups, kernel...], or [C, O / groups, kernel...] if transposed.
 * @returns false after setting the context's failure state.
 */
bool check_convolution(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                       const optional<Tensor>& bias, const ConvolutionArgs& args, const Tensor& out,
                       Convolution& conv, Shape& out_shape);

/// Convolves; `out` has the shape that `check_convolution` gave.
void convolve(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
              const optional<Tensor>& bias, Convolution& conv, Tensor& out);

}  // namespace torch::executor::native::util
