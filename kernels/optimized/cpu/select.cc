#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>

#if defined(__x86_64__)
#include <executorch/kernels/optimized/cpu/x86_features.h>
#endif

namespace torch::executor::native::optimized {

// Constant-initialised, as `float_loops` is.
const SimdLoops* simd = &kBaselineSimd;

namespace {

/// Puts the loops for this processor in place; runs before main.
bool select_loops() {
#if defined(__x86_64__)
  const X86Features features = x86_features();
  if (features.avx512) {
    simd = &kAvx512Simd;
  } else if (features.avx2) {
    simd = &kAvx2Simd;
  }
#endif
  util::float_loops = simd->loops;
  util::float_loops.multiply = multiply;
  util::float_loops.convolve = convolve;
  util::float_loops.parallel = parallel;
  return true;
}

[[maybe_unused]] const bool kSelected = select_loops();

}  // namespace
}  // namespace torch::executor::native::optimized
