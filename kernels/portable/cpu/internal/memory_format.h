/**
 * @file
 * The `memory_format` arguments of operators that make tensors.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// Requires a memory format that there is. The output's dim order says which one is meant.
inline bool require_memory_format(KernelRuntimeContext& ctx,
                                  const optional<executorch::aten::MemoryFormat>& format) {
  using executorch::aten::MemoryFormat;
  return require(ctx,
                 !format.has_value() || *format == MemoryFormat::Contiguous ||
                     *format == MemoryFormat::Preserve,
                 "the memory format must be contiguous or preserve");
}

}  // namespace torch::executor::native::util
