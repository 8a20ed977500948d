#import <Foundation/Foundation.h>

// Where a test is built with LeakSanitizer: to tell whose an allocation is takes the whole way to it,
// past libraries without frame pointers.

extern "C" {

void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));

const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

}  // extern "C"

namespace {

/// What Foundation makes at the first message.
__attribute__((constructor)) void wake_foundation() {
  if (__lsan_disable != nullptr) {
    __lsan_disable();
    [[NSObject new] release];
    __lsan_enable();
  }
}

}  // namespace
