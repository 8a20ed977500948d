#pragma once

#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdio>

#if defined(__linux__) || defined(__ANDROID__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace executorch {
namespace extension {
namespace llm {

/// Milliseconds of the clock that Stats are taken with.
inline long time_in_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

/// Prints a piece of text that a tokenizer made. Nothing for none, or for a byte alone that a
/// terminal would take for a command.
inline void safe_printf(const char* piece) {
  if (piece == nullptr || piece[0] == '\0') {
    return;
  }
  const auto first = static_cast<unsigned char>(piece[0]);
  const bool is_shown = std::isprint(first) != 0 || std::isspace(first) != 0;
  if (piece[1] == '\0' && !is_shown) {
    return;
  }
  (void)std::fputs(piece, stdout);
}

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

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::llm::get_rss_bytes;
using ::executorch::extension::llm::safe_printf;
using ::executorch::extension::llm::time_in_ms;
}  // namespace util
}  // namespace executor
}  // namespace torch
