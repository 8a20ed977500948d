#include <cstdlib>

#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/test/stub_platform.h>

using executorch::runtime::get_pal_impl;
using executorch::runtime::PalImpl;
using executorch::runtime::register_pal;

namespace {

PlatformIntercept* active = nullptr;

PalImpl to_active() {
  return PalImpl::create(
      [] { active->init(); }, nullptr, [] { return active->current_ticks(); },
      [] { return active->ticks_to_ns_multiplier(); },
      [](et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
         const char* function, size_t line, const char* message, size_t length) {
        active->emit_log_message(timestamp, level, filename, function, line, message, length);
      },
      [](size_t size) { return active->allocate(size); }, [](void* ptr) { active->free(ptr); },
      __FILE__);
}

}  // namespace

void* PlatformIntercept::allocate(size_t size) { return std::malloc(size); }

void PlatformIntercept::free(void* ptr) { std::free(ptr); }

InterceptWith::InterceptWith(PlatformIntercept& intercept)
    : outer_(active), outer_pal_(*get_pal_impl()) {
  active = &intercept;
  ET_CHECK_MSG(register_pal(to_active()), "The platform cannot be intercepted");
}

InterceptWith::~InterceptWith() {
  // In this order: registration calls init() of the outer one.
  active = outer_;
  register_pal(outer_pal_);
}
