/**
 * @file
 * The loops of `FloatLoops` for x86-64 processors with AVX2 and FMA, and with AVX-512.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/float_loops.h>

namespace torch::executor::native::optimized {

extern const util::FloatLoops kAvx2Loops;
extern const util::FloatLoops kAvx512Loops;

}  // namespace torch::executor::native::optimized
