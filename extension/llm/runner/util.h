#pragma once

#include <cstddef>
#include <cstdio>

#if defined(__linux__) || defined(__ANDROID__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace executorch {
namespace extension {
namespace llm {

/// The most memory that this process has had at one time, in bytes; 0 where the system does not
/// say.
inline size_t get_rss_bytes() {
#if defined(__linux__) || defined(__ANDROID__)
  // What getrusage() says begins with the process that started this program, so that a large parent
  // would count.
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[128];
    unsigned long kib = 0;
    while (kib == 0 && std::fgets(line, sizeof(line), status) != nullptr) {
      (void)std::sscanf(line, "VmHWM: %lu kB", &kib);
    }
    std::fclose(status);
    if (kib != 0) {
      return static_cast<size_t>(kib) * 1024;
    }
  }
#endif
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
