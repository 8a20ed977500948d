// What the compiler's own target has: NEON on Arm, SSE2 on x86, plain arithmetic where there are no
// vectors.
#define ET_TARGET
#define ET_VECTOR_BYTES 16
#if defined(__aarch64__)
#define ET_TILE_ROWS 8
#else
#define ET_TILE_ROWS 4
#endif
#define ET_TILE_VECTORS 3
#include <executorch/kernels/optimized/cpu/simd_loops.h>

namespace torch::executor::native::optimized {

const SimdLoops kBaselineSimd = kSimdLoops;

}  // namespace torch::executor::native::optimized
