#import <Foundation/Foundation.h>

// LeakSanitizer, where a test is built with it: what the runtime keeps of classes is no leak of
// ours. To tell whose an allocation is takes the whole way to it, past libraries without frame
// pointers.

extern "C" {

void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));

const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

const char* __lsan_default_suppressions() {
  return "leak:__objc_exec_class\n"
         "leak:class_addMethod\n"
         "leak:class_copyMethodList\n";
}

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
