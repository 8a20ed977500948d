// AVX2 and FMA.
#define ET_TARGET __attribute__((target("avx2,fma")))
#define ET_VECTOR_BYTES 32
#define ET_TILE_ROWS 4
#define ET_TILE_VECTORS 3
#include <executorch/kernels/optimized/cpu/simd_loops.h>

namespace torch::executor::native::optimized {

const SimdLoops kAvx2Simd = kSimdLoops;

}  // namespace torch::executor::native::optimized
