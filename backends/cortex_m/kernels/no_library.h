/**
 * @file
 * No library: nothing is left of the questions for one, which took 224 bytes as calls.
 */
#pragma once

#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native::library {

inline Outcome convolve(KernelRuntimeContext& /*ctx*/, const Convolution& /*conv*/,
                        const Weights& /*weights*/, const Tensor& /*scratch*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

inline Outcome convolve_depthwise(KernelRuntimeContext& /*ctx*/, const Convolution& /*conv*/,
                                  const Weights& /*weights*/, int32_t /*multiplier*/,
                                  const Tensor& /*scratch*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

inline Outcome multiply(KernelRuntimeContext& /*ctx*/, const int8_t* /*in*/, size_t /*rows*/,
                        size_t /*depth*/, size_t /*channels*/, const Weights& /*weights*/,
                        const int32_t* /*sums*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

inline Outcome max_pool(KernelRuntimeContext& /*ctx*/, const Windows& /*windows*/,
                        Output /*output*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

inline Outcome average_pool(KernelRuntimeContext& /*ctx*/, const Windows& /*windows*/,
                            const Tensor& /*scratch*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

inline Outcome softmax(const int8_t* /*in*/, size_t /*rows*/, size_t /*n*/, int32_t /*multiplier*/,
                       int32_t /*shift*/, int32_t /*diff_min*/, int8_t* /*out*/) {
  return Outcome::kNone;
}

}  // namespace cortex_m::native::library
