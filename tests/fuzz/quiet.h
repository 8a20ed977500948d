#pragma once

#include <cstdio>

#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace fuzz {

/// Leaves out all messages but the last words of a crash: thousands of files, each with its own
/// complaint.
inline void silence_log() {
  static const bool once = runtime::register_pal(runtime::PalImpl::create(
      [](et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t line,
         const char* message, size_t) {
        if (level == kFatal) {
          std::fprintf(stderr, "%s:%zu] %s\n", filename, line, message);
        }
      },
      __FILE__));
  (void)once;
}

}  // namespace fuzz
}  // namespace executorch
