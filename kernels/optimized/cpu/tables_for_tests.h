/**
 * @file
 * What the tests of the loops have in common.
 */
#pragma once

#include <random>
#include <vector>

#include <executorch/kernels/optimized/cpu/simd.h>

#if defined(__x86_64__)
#include <executorch/kernels/optimized/cpu/x86_features.h>
#endif

namespace torch::executor::native::optimized {

/// The tables that this machine can run.
inline std::vector<const SimdLoops*> tables() {
  std::vector<const SimdLoops*> result = {&kBaselineSimd};
#if defined(__x86_64__)
  if (x86_features().avx2) {
    result.push_back(&kAvx2Simd);
  }
  if (x86_features().avx512) {
    result.push_back(&kAvx512Simd);
  }
#endif
  return result;
}

/// Evenly distributed, the same ones in every run of a program.
inline std::vector<float> random_floats(size_t n, float low, float high) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> result(n);
  for (float& x : result) {
    x = distribution(generator);
  }
  return result;
}

}  // namespace torch::executor::native::optimized
