/**
 * @file
 * Padding with what is inside: mirrored or repeated edges.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

enum class PadMode { kReflect, kReplicate };

/**
 * Pads the last `spatial` dimensions of an input of rank `spatial` + 1 or `spatial` + 2.
 * @param padding Two entries for each of these dimensions, the last one first.
 */
Tensor& pad_edges(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef padding, size_t spatial,
                  PadMode mode, Tensor& out);

}  // namespace torch::executor::native::util
