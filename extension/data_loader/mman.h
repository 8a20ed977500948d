#pragma once

/// One name for the memory-mapping calls of the platform: POSIX's, or mman_windows.h in their
/// place. A platform with neither (bare metal) uses BufferDataLoader or FileDataLoader instead, and
/// including this header there is a compile-time error rather than a failure on the device.

#include <cstddef>

#if defined(_WIN32)
#include <executorch/extension/data_loader/mman_windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

/// What the offset of a mapping has to be a multiple of, in bytes; 0 when the platform does not
/// say.
inline size_t get_os_page_size() {
#if defined(_WIN32)
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwAllocationGranularity;
#else
  const long size = ::sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<size_t>(size) : 0;
#endif
}

/// Tells the system that these pages are going to be read soon, from the first to the last. Advice
/// only: nothing where the system takes none.
inline void madvise_pages_willneed_sequential([[maybe_unused]] void* address,
                                              [[maybe_unused]] size_t length) {
#if !defined(_WIN32) && defined(MADV_WILLNEED) && defined(MADV_SEQUENTIAL)
  (void)::madvise(address, length, MADV_SEQUENTIAL);
  (void)::madvise(address, length, MADV_WILLNEED);
#endif
}
