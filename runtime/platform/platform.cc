#include <atomic>

#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace {

// Constant-initialized, so registration from static constructors in any order is safe.
constexpr PalImpl kDefaultPal = {
    et_pal_init,
    et_pal_abort,
    et_pal_current_ticks,
    et_pal_ticks_to_ns_multiplier,
    et_pal_emit_log_message,
    et_pal_allocate,
    et_pal_free,
    nullptr,
};

PalImpl current_pal = kDefaultPal;
// The init() that ran last; null before the first. Atomic, since modules on several threads each
// call runtime_init().
std::atomic<pal_init_method> initialized_by{nullptr};

void run_init() {
  current_pal.init();
  initialized_by.store(current_pal.init, std::memory_order_relaxed);
}

}  // namespace

PalImpl PalImpl::create(pal_emit_log_message_method emit_log_message, const char* source_filename) {
  return create(nullptr, nullptr, nullptr, nullptr, emit_log_message, nullptr, nullptr,
                source_filename);
}

PalImpl PalImpl::create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename) {
  PalImpl impl;
  impl.init = init;
  impl.abort = abort;
  impl.current_ticks = current_ticks;
  impl.ticks_to_ns_multiplier = ticks_to_ns_multiplier;
  impl.emit_log_message = emit_log_message;
  impl.allocate = allocate;
  impl.free = free;
  impl.source_filename = source_filename;
  return impl;
}

bool register_pal(PalImpl impl) {
  if ((impl.allocate == nullptr) != (impl.free == nullptr)) {
    return false;
  }
  PalImpl merged = kDefaultPal;
  if (impl.init != nullptr) merged.init = impl.init;
  if (impl.abort != nullptr) merged.abort = impl.abort;
  if (impl.current_ticks != nullptr) merged.current_ticks = impl.current_ticks;
  if (impl.ticks_to_ns_multiplier != nullptr) {
    merged.ticks_to_ns_multiplier = impl.ticks_to_ns_multiplier;
  }
  if (impl.emit_log_message != nullptr) merged.emit_log_message = impl.emit_log_message;
  if (impl.allocate != nullptr) merged.allocate = impl.allocate;
  if (impl.free != nullptr) merged.free = impl.free;
  merged.source_filename = impl.source_filename;

  current_pal = merged;
  // The functions of a table may be called from now on, whether runtime_init() has been or is yet
  // to come: a table's own init() runs at once, and the default's if that has not been the last.
  const pal_init_method last = initialized_by.load(std::memory_order_relaxed);
  if (impl.init != nullptr || (last != nullptr && last != merged.init)) {
    run_init();
  }
  return true;
}

const PalImpl* get_pal_impl() { return &current_pal; }

void pal_init() {
  if (initialized_by.load(std::memory_order_relaxed) != current_pal.init) {
    run_init();
  }
}

void pal_abort() {
  current_pal.abort();
  // A user's abort() may be declared without noreturn, or return by mistake. The caller's
  // invariants are broken, so do not continue.
  for (;;) {
    et_pal_abort();
  }
}

et_timestamp_t pal_current_ticks() { return current_pal.current_ticks(); }

et_tick_ratio_t pal_ticks_to_ns_multiplier() { return current_pal.ticks_to_ns_multiplier(); }

void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length) {
  current_pal.emit_log_message(timestamp, level, filename, function, line, message, length);
}

void* pal_allocate(size_t size) { return current_pal.allocate(size); }

void pal_free(void* ptr) { current_pal.free(ptr); }

}  // namespace runtime
}  // namespace executorch
