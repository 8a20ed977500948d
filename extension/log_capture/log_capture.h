/// @file
/// What the runtime logs as errors, gathered for the message of the call that failed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/types.h>

namespace executorch {
namespace extension {

/// Collects what the runtime logs as errors on this thread while the object lives.
///
/// The lines of a call that fails become part of its message through take(); those of a
/// call that succeeds go where they would have gone without the capture, so nothing is lost. Other
/// threads and lower levels are not affected.
class LogCapture {
 public:
  LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture();

  /// The messages so far, without repetitions, oldest first; the capture is empty afterwards.
  std::vector<std::string> take();

  /// Puts the capture between the runtime and the platform layer, which stays the application's,
  /// now and when it registers another one. As often as you like.
  static void install();

 private:
  struct Line {
    et_timestamp_t timestamp;
    const char* filename;
    const char* function;
    size_t line;
    std::string message;
  };

  static bool keep(runtime::LogLevel level, et_timestamp_t timestamp, const char* filename,
                   const char* function, size_t line, const char* message, size_t length);

  LogCapture* outer_;
  std::vector<Line> lines_;
};

}  // namespace extension
}  // namespace executorch
