/**
 * @file
 * Where kernels of another library stand in for the loops here: `:library` of the BUILD file is
 * `no_library.h`, or `cmsis_nn.cc` over the user's checkout of CMSIS-NN. Arguments are checked,
 * outputs have their sizes.
 */
#pragma once

#include <executorch/backends/cortex_m/kernels/convolution.h>

namespace cortex_m::native::library {

/// What came of a call.
enum class Outcome : uint8_t {
  kNone,    // the library has nothing for it; nothing was written
  kDone,    // the output is written
  kFailed,  // the kernel failed
};

/// Weights, and what becomes of sums of products with them.
struct Weights {
  const int8_t* values;
  const int32_t* bias;  // one for each output, or null
  int32_t input_offset;
  Factors factors;
  Output output;
};

/// A convolution in one group. `scratch` is what the program planned for it.
Outcome convolve(KernelRuntimeContext& ctx, const Convolution& conv, const Weights& weights,
                 const Tensor& scratch, int8_t* out);

/// A convolution with `multiplier` outputs for each input.
Outcome convolve_depthwise(KernelRuntimeContext& ctx, const Convolution& conv,
                           const Weights& weights, int32_t multiplier, const Tensor& scratch,
                           int8_t* out);

/**
 * [rows, depth] times [channels, depth] transposed.
 * @param sums bias and offset times the sums of weights, one for each output, in place of a bias;
 * null where the program has none.
 */
Outcome multiply(KernelRuntimeContext& ctx, const int8_t* in, size_t rows, size_t depth,
                 size_t channels, const Weights& weights, const int32_t* sums, int8_t* out);

/// Windows over images; pairs are height and width.
struct Windows {
  Images in;
  Images out;
  int32_t kernel[2];
  int32_t stride[2];
  int32_t padding[2];
  int32_t dilation[2];
};

Outcome max_pool(KernelRuntimeContext& ctx, const Windows& windows, Output output, int8_t* out);
Outcome average_pool(KernelRuntimeContext& ctx, const Windows& windows, const Tensor& scratch,
                     int8_t* out);

/// Along rows of `n` inputs.
Outcome softmax(const int8_t* in, size_t rows, size_t n, int32_t multiplier, int32_t shift,
                int32_t diff_min, int8_t* out);

}  // namespace cortex_m::native::library

#ifdef EXECUTORCH_CORTEX_M_NO_LIBRARY
#include <executorch/backends/cortex_m/kernels/no_library.h>
#endif
