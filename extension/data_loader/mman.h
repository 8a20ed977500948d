#pragma once

/// One name for the memory-mapping calls of the platform. POSIX only today: a platform without
/// <sys/mman.h> (bare metal, Windows) uses BufferDataLoader or FileDataLoader instead, and
/// including this header there is a compile-time error rather than a failure on the device.

#if defined(_WIN32)
#error "memory-mapped files are not available here; use FileDataLoader or BufferDataLoader"
#endif

#include <cstddef>

#include <sys/mman.h>
#include <unistd.h>

namespace executorch {
namespace extension {
namespace internal {

/// The size of one page in bytes; 0 when the platform does not say.
inline size_t os_page_size() {
  const long size = ::sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
