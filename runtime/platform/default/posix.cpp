/// @file
/// Default PAL for hosted systems (POSIX and Windows): steady clock, stderr, abort(), malloc().

// Must come before platform.h: the definitions below shall be weak so that programs can replace
// each of them by defining the symbol.
#define ET_INTERNAL_PLATFORM_WEAKNESS ET_WEAK

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

namespace {

// First call fixes the zero of the clock, so that log lines count from the start of the program's
// run.
std::chrono::steady_clock::time_point start_time() {
  static const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  return start;
}

}  // namespace

void et_pal_init(void) { start_time(); }

ET_NORETURN void et_pal_abort(void) { std::abort(); }

et_timestamp_t et_pal_current_ticks(void) {
  const auto start = start_time();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<et_timestamp_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) { return {1, 1}; }

void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                             const char* filename, ET_UNUSED const char* function, size_t line,
                             const char* message, ET_UNUSED size_t length) {
  const uint64_t microseconds = timestamp / 1000;
  const uint64_t seconds = microseconds / 1000000;
  std::fprintf(stderr,
               "%c %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%06" PRIu64 " executorch:%s:%zu] %s\n",
               static_cast<char>(level), seconds / 3600, (seconds / 60) % 60, seconds % 60,
               microseconds % 1000000, filename, line, message);
  std::fflush(stderr);
}

void* et_pal_allocate(size_t size) { return std::malloc(size); }

void et_pal_free(void* ptr) { std::free(ptr); }
