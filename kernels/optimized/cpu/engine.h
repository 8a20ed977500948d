/**
 * @file
 * Products and convolutions of floats by tiles that stay in registers. Entered through
 * `FloatLoops`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::optimized {

/// See `FloatLoops::multiply`.
bool multiply(const util::FloatProduct& product);

/// See `FloatLoops::convolve`.
bool convolve(::executorch::runtime::KernelRuntimeContext& context,
              const util::ConvolutionImage& image);

/// See `FloatLoops::parallel`.
void parallel(size_t count, size_t grain, void (*run)(const void* self, size_t begin, size_t end),
              const void* self);

}  // namespace torch::executor::native::optimized
