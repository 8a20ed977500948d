#pragma once

#include <cstddef>

#include <executorch/runtime/platform/platform.h>

/// What a test puts in the place of the platform: derive, override what the test wants to see or
/// decide, and install it with InterceptWith. What is not overridden is quiet: time stands still,
/// messages vanish.
class PlatformIntercept {
 public:
  PlatformIntercept() = default;
  virtual ~PlatformIntercept() = default;

  virtual void init() {}
  virtual et_timestamp_t current_ticks() { return 0; }
  virtual et_tick_ratio_t ticks_to_ns_multiplier() { return {1, 1}; }
  virtual void emit_log_message(et_timestamp_t /*timestamp*/, et_pal_log_level_t /*level*/,
                                const char* /*filename*/, const char* /*function*/, size_t /*line*/,
                                const char* /*message*/, size_t /*length*/) {}
  /// By default the heap.
  virtual void* allocate(size_t size);
  virtual void free(void* ptr);
};

/// Sends the platform's calls to an intercept as long as this lives, and to whatever had them
/// before afterwards. May be nested; not for several threads at once. The end of the process
/// (pal_abort) is not intercepted: nothing that must not return can be faked by returning.
class InterceptWith {
 public:
  explicit InterceptWith(PlatformIntercept& intercept);
  InterceptWith(const InterceptWith&) = delete;
  InterceptWith& operator=(const InterceptWith&) = delete;
  ~InterceptWith();

 private:
  PlatformIntercept* outer_;
  executorch::runtime::PalImpl outer_pal_;
};
