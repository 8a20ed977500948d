#pragma once

#include <cstddef>

#if defined(__linux__) || defined(__ANDROID__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace executorch {
namespace extension {
namespace llm {

/// The most memory that this process has had at one time, in bytes; 0 where the system does not
/// say.
inline size_t get_rss_bytes() {
#if defined(__linux__) || defined(__ANDROID__) || defined(__APPLE__)
  struct rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
#if defined(__APPLE__)
    return static_cast<size_t>(usage.ru_maxrss);
#else
    return static_cast<size_t>(usage.ru_maxrss) * 1024;  // The kernel counts KiB.
#endif
  }
#endif
  return 0;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
