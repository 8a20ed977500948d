#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

#if defined(__x86_64__)
#include <executorch/kernels/optimized/cpu/x86_features.h>
#endif

namespace torch::executor::native::optimized {

// Constant-initialised, as `float_loops` is.
const SimdLoops* simd = &kBaselineSimd;

void parallel(size_t count, size_t grain, void (*run)(const void* self, size_t begin, size_t end),
              const void* self) {
  ::executorch::extension::parallel_for(0, static_cast<int64_t>(count), static_cast<int64_t>(grain),
                                        [run, self](int64_t begin, int64_t end) {
                                          run(self, static_cast<size_t>(begin),
                                              static_cast<size_t>(end));
                                        });
}

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
