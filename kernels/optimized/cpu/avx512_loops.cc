// AVX-512, in the parts that servers have had from the first: 32 registers hold a tile of 8 rows of
// 48 elements.
#define ET_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#define ET_VECTOR_BYTES 64
#define ET_TILE_ROWS 8
#define ET_TILE_VECTORS 3
#include <executorch/kernels/optimized/cpu/simd_loops.h>

namespace torch::executor::native::optimized {

const SimdLoops kAvx512Simd = kSimdLoops;

}  // namespace torch::executor::native::optimized
