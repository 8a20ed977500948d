#include <algorithm>
#include <new>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace extension {

namespace {

/// A damaged file can make the runtime complain about every value in it.
constexpr size_t kMaxLines = 64;

thread_local LogCapture* current_capture = nullptr;

}  // namespace

LogCapture::LogCapture() : outer_(current_capture) { current_capture = this; }

LogCapture::~LogCapture() {
  current_capture = outer_;
  for (const Line& line : lines_) {
    runtime::pal_emit_log_message(line.timestamp, et_pal_log_level_t::kError, line.filename,
                                  line.function, line.line, line.message.c_str(),
                                  line.message.size());
  }
}

std::vector<std::string> LogCapture::take() {
  std::vector<std::string> messages;
  for (Line& line : lines_) {
    if (std::find(messages.begin(), messages.end(), line.message) == messages.end()) {
      messages.push_back(std::move(line.message));
    }
  }
  lines_.clear();
  return messages;
}

void LogCapture::install() { runtime::internal::set_log_filter(&LogCapture::keep); }

bool LogCapture::keep(runtime::LogLevel level, et_timestamp_t timestamp, const char* filename,
                      const char* function, size_t line, const char* message, size_t length) {
  LogCapture* capture = current_capture;
  // What is fatal ends the process: it has to reach the output now.
  if (capture == nullptr || level != runtime::LogLevel::Error) {
    return false;
  }
  if (capture->lines_.size() >= kMaxLines) {
    return true;
  }
#if ET_HAS_EXCEPTIONS
  // The runtime, which calls this, knows nothing of exceptions: what there is no memory for is
  // printed.
  try {
#endif
    capture->lines_.push_back({timestamp, filename, function, line, std::string(message, length)});
    return true;
#if ET_HAS_EXCEPTIONS
  } catch (const std::bad_alloc&) {
    return false;
  }
#endif
}

}  // namespace extension
}  // namespace executorch
