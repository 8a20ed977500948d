#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace utils {

/// How many bytes to ask malloc() for so that a block of `size` bytes that starts at a multiple of
/// `alignment` fits into the answer. InvalidArgument when that number does not exist.
inline runtime::Result<size_t> get_aligned_size(size_t size, size_t alignment) {
  // What malloc() promises without being asked.
  constexpr size_t kMallocAlignment = alignof(std::max_align_t);
  if (alignment <= kMallocAlignment) {
    return size;
  }
  if (size > std::numeric_limits<size_t>::max() - alignment) {
    ET_LOG(Error, "%zu bytes aligned to %zu do not fit into the address space", size, alignment);
    return runtime::Error::InvalidArgument;
  }
  return size + alignment;
}

}  // namespace utils
}  // namespace extension
}  // namespace executorch
