#include "extension/apple/linux/leaks.h"

// Where a test is built with LeakSanitizer.

extern "C" {

void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));

/// To tell whose an allocation is takes the whole way to it, past libraries without frame pointers.
const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

}  // extern "C"

LeaksAllowed::LeaksAllowed() {
  if (__lsan_disable != nullptr) {
    __lsan_disable();
  }
}

LeaksAllowed::~LeaksAllowed() {
  if (__lsan_enable != nullptr) {
    __lsan_enable();
  }
}
