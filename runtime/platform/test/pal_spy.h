#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include <executorch/runtime/platform/test/stub_platform.h>

/// Counts the calls of the platform and remembers what they were given. Install it with
/// InterceptWith, or call it from PAL functions of the test's own.
class PalSpy : public PlatformIntercept {
 public:
  /// What the clock says.
  static constexpr et_timestamp_t kTimestamp = 1234;

  void init() override { ++init_call_count; }

  et_timestamp_t current_ticks() override {
    ++current_ticks_call_count;
    return kTimestamp;
  }

  et_tick_ratio_t ticks_to_ns_multiplier() override { return tick_ns_multiplier; }

  void emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                        const char* function, size_t line, const char* message,
                        size_t length) override {
    ++emit_log_message_call_count;
    last_log_message_args = {timestamp, level, filename, function, line, message, length};
  }

  void* allocate(size_t size) override {
    ++allocate_call_count;
    last_allocated_size = size;
    last_allocated_ptr = std::malloc(size);
    return last_allocated_ptr;
  }

  void free(void* ptr) override {
    ++free_call_count;
    last_freed_ptr = ptr;
    std::free(ptr);
  }

  size_t init_call_count = 0;
  size_t current_ticks_call_count = 0;
  size_t emit_log_message_call_count = 0;
  size_t allocate_call_count = 0;
  size_t free_call_count = 0;
  size_t last_allocated_size = 0;
  void* last_allocated_ptr = nullptr;
  void* last_freed_ptr = nullptr;
  et_tick_ratio_t tick_ns_multiplier = {1, 1};

  struct LogMessageArgs {
    et_timestamp_t timestamp = 0;
    et_pal_log_level_t level = et_pal_log_level_t::kUnknown;
    std::string filename;
    std::string function;
    size_t line = 0;
    std::string message;
    size_t length = 0;
  };
  LogMessageArgs last_log_message_args;
};
