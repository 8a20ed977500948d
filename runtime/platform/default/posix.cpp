/// @file
/// Default PAL for hosted systems (POSIX and Windows): steady clock, stderr, abort(), malloc().

// Must come before platform.h: the definitions below shall be weak so that programs can replace
// each of them by defining the symbol.
#if defined(_WIN32)
// An archive there does not list what is weak, so the linker would not find it; a program's own
// definitions still come first, as long as there is one of each.
#define ET_INTERNAL_PLATFORM_WEAKNESS
#else
#define ET_INTERNAL_PLATFORM_WEAKNESS ET_WEAK
#endif

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include <time.h>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

namespace {

// POSIX's clock and not std::chrono's, which brings the C++ library's exceptions along.
int64_t nanoseconds() {
  struct timespec now = {};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// The zero of the clock, fixed by the first call, so that log lines count from the start of the
// program's run.
std::atomic<int64_t> start_time{0};

int64_t started_at(int64_t now) {
  int64_t start = 0;
  return start_time.compare_exchange_strong(start, now) ? now : start;
}

}  // namespace

void et_pal_init(void) { (void)started_at(nanoseconds()); }

ET_NORETURN void et_pal_abort(void) { std::abort(); }

et_timestamp_t et_pal_current_ticks(void) {
  const int64_t now = nanoseconds();
  return static_cast<et_timestamp_t>(now - started_at(now));
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
