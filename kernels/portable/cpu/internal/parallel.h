/**
 * @file
 * Work in parts that threads may share, if the library in use has any.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::util {

/**
 * Calls `fn(begin, end)` for parts that make up [0, count), possibly at the same time; on this
 * thread alone if no other library than the portable one is linked.
 * @param grain The fewest of the count that are worth a thread.
 */
template <typename Fn>
void parallel_for(size_t count, size_t grain, const Fn& fn) {
  if (float_loops.parallel == nullptr || count <= grain) {
    if (count > 0) {
      fn(size_t{0}, count);
    }
    return;
  }
  float_loops.parallel(
      count, grain,
      [](const void* self, size_t begin, size_t end) {
        (*static_cast<const Fn*>(self))(begin, end);
      },
      &fn);
}

}  // namespace torch::executor::native::util
