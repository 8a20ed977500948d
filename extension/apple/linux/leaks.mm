#import <Foundation/Foundation.h>
#include <gtest/gtest.h>

// Where a test is built with LeakSanitizer: to tell whose an allocation is takes the whole way to
// it, past libraries without frame pointers.

extern "C" {

void __lsan_disable() __attribute__((weak));
void __lsan_enable() __attribute__((weak));

const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

}  // extern "C"

namespace {

/// What Foundation makes at the first message, and keeps.
class FirstMessage : public ::testing::Environment {
  void SetUp() override {
    if (__lsan_disable != nullptr) {
      __lsan_disable();
      NSAutoreleasePool* pool = [[NSAutoreleasePool alloc] init];
      [[[NSObject alloc] init] release];
      [pool drain];
      __lsan_enable();
    }
  }
};

[[maybe_unused]] const ::testing::Environment* const first_message =
    ::testing::AddGlobalTestEnvironment(new FirstMessage);

}  // namespace
