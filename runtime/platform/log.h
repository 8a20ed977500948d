/// @file
/// Logging through the platform layer: ET_LOG(level, printf-format, args...).
///
/// Compile-time switches:
///   ET_LOG_ENABLED    0 removes every message and its strings. Default 1.
///   ET_MIN_LOG_LEVEL  Debug, Info, Error or Fatal: messages below are removed. Default Info.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/types.h>

#ifndef ET_LOG_ENABLED
#define ET_LOG_ENABLED 1
#endif

#ifndef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info
#endif

namespace executorch {
namespace runtime {

/// Severity, lowest first.
enum class LogLevel : uint8_t {
  Debug,
  Info,
  Error,
  Fatal,
  NumLevels,  ///< Number of levels, not a level.
};

namespace internal {

/// Longest message in bytes, terminator included; longer ones are cut off.
constexpr size_t kMaxLogMessageLength = 256;

/// Ticks to stamp a message with.
et_timestamp_t get_log_timestamp();

/// Sees every message before the platform layer; returns whether it keeps it.
using LogFilter = bool (*)(LogLevel level, et_timestamp_t timestamp, const char* filename,
                           const char* function, size_t line, const char* message, size_t length);

/// Sets the only filter of the process; null for none. The platform layer stays as it is.
void set_log_filter(LogFilter filter);

/// Formats and emits one message. Does not allocate.
ET_PRINTFLIKE(6, 0)
void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function,
           size_t line, const char* format, va_list args);

/// Formats and emits one message. Does not allocate.
ET_PRINTFLIKE(6, 7)
inline void logf(LogLevel level, et_timestamp_t timestamp, const char* filename,
                 const char* function, size_t line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vlogf(level, timestamp, filename, function, line, format, args);
  va_end(args);
}

/// The same, stamped with the present time: what every ET_LOG calls, with as little code as it can
/// be.
ET_PRINTFLIKE(5, 6)
void log_now(LogLevel level, const char* filename, const char* function, size_t line,
             const char* format, ...);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

#define ET_INTERNAL_LOG_IMPL(_level, _enabled, _format, ...)                            \
  do {                                                                                  \
    if (_enabled) {                                                                     \
      ::executorch::runtime::internal::log_now(::executorch::runtime::LogLevel::_level, \
                                               ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, \
                                               _format, ##__VA_ARGS__);                 \
    }                                                                                   \
  } while (0)

/// Logs a printf-style message, e.g. ET_LOG(Error, "bad rank %zd", rank);
///
/// A disabled message still has its format checked against its arguments, and evaluates nothing.
#if ET_LOG_ENABLED
#define ET_LOG(_level, _format, ...)                                                \
  ET_INTERNAL_LOG_IMPL(                                                             \
      _level,                                                                       \
      static_cast<uint32_t>(::executorch::runtime::LogLevel::_level) >=             \
          static_cast<uint32_t>(::executorch::runtime::LogLevel::ET_MIN_LOG_LEVEL), \
      _format, ##__VA_ARGS__)
#else
#define ET_LOG(_level, _format, ...) ET_INTERNAL_LOG_IMPL(_level, false, _format, ##__VA_ARGS__)
#endif

/// If `cond__` is false, logs the printf-style message and goes on: for clean-up, which has nobody
/// to return an error to.
#define ET_CHECK_OR_LOG_ERROR(cond__, message__, ...) \
  do {                                                \
    if (ET_UNLIKELY(!(cond__))) {                     \
      ET_LOG(Error, message__, ##__VA_ARGS__);        \
    }                                                 \
  } while (0)

namespace torch {
namespace executor {
using ::executorch::runtime::LogLevel;
}  // namespace executor
}  // namespace torch
