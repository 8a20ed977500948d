#include <atomic>
#include <cstdio>

#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

et_pal_log_level_t to_pal_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return kDebug;
    case LogLevel::Info:
      return kInfo;
    case LogLevel::Error:
      return kError;
    case LogLevel::Fatal:
      return kFatal;
    case LogLevel::NumLevels:
      break;
  }
  return kUnknown;
}

std::atomic<LogFilter> log_filter{nullptr};

}  // namespace

void set_log_filter(LogFilter filter) { log_filter.store(filter, std::memory_order_relaxed); }

et_timestamp_t get_log_timestamp() { return pal_current_ticks(); }

void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function,
           size_t line, const char* format, va_list args) {
  char message[kMaxLogMessageLength];
  const int written = vsnprintf(message, sizeof(message), format, args);
  size_t length = 0;
  if (written < 0) {
    message[0] = '\0';
  } else {
    length = static_cast<size_t>(written);
    if (length >= sizeof(message)) {
      length = sizeof(message) - 1;
    }
  }
  const LogFilter filter = log_filter.load(std::memory_order_relaxed);
  if (filter == nullptr || !filter(level, timestamp, filename, function, line, message, length)) {
    pal_emit_log_message(timestamp, to_pal_level(level), filename, function, line, message, length);
  }
}

void log_now(LogLevel level, const char* filename, const char* function, size_t line,
             const char* format, ...) {
  va_list args;
  va_start(args, format);
  vlogf(level, get_log_timestamp(), filename, function, line, format, args);
  va_end(args);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
