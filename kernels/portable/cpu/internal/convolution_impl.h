/**
 * @file
 * The two ways in which one image is convolved. Internal to the convolution.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/convolution.h>

namespace torch::executor::native::util {

/// One image of the batch, and the weights.
struct ConvolutionImage {
  const Convolution* conv;
  const char* in;
  char* out;
  const char* weight;
  const char* bias;     // may be null
  ScalarType in_dtype;  // the output's and the weight's too
  ScalarType bias_dtype;
  ptrdiff_t in_channel_stride;   // elements
  ptrdiff_t out_channel_stride;  // elements
  ptrdiff_t weight_stride[2];    // of the weight's dimensions 0 and 1, elements
};

/// Convolves one image.
void convolve_image(const ConvolutionImage& image);

/// As a matrix product of the weight and patches of the image that are packed on the fly.
void convolve_gemm(const ConvolutionImage& image);

/// Every output channel reads one input channel: the taps are applied one after the other.
void convolve_depthwise(const ConvolutionImage& image);

/// The indices i in [0, count) for which 0 <= i * stride + offset < limit: [begin, end).
struct ValidRange {
  int64_t begin;
  int64_t end;
};

inline ValidRange valid_range(int64_t offset, int64_t stride, int64_t limit, int64_t count) {
  int64_t begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t end = limit <= offset ? 0 : (limit - offset + stride - 1) / stride;
  begin = begin > count ? count : begin;
  end = end > count ? count : end;
  return {begin, end < begin ? begin : end};
}

}  // namespace torch::executor::native::util
