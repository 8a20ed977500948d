#include <executorch/kernels/optimized/cpu/x86_features.h>
#include <executorch/kernels/optimized/cpu/x86_loops.h>

namespace torch::executor::native::optimized {
namespace {

/// Puts the loops for this processor in place; runs before main.
bool select_loops() {
  const X86Features features = x86_features();
  if (features.avx512) {
    util::float_loops = kAvx512Loops;
  } else if (features.avx2) {
    util::float_loops = kAvx2Loops;
  }
  return features.avx2;
}

[[maybe_unused]] const bool kSelected = select_loops();

}  // namespace
}  // namespace torch::executor::native::optimized
