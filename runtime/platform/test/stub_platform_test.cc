#include <gtest/gtest.h>

#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/test/pal_spy.h>
#include <executorch/runtime/platform/test/stub_platform.h>

namespace {

using executorch::runtime::pal_allocate;
using executorch::runtime::pal_current_ticks;
using executorch::runtime::pal_free;
using executorch::runtime::runtime_init;
using executorch::runtime::ticks_to_ns;

TEST(StubPlatformTest, ASpySeesMessages) {
  PalSpy spy;
  const InterceptWith intercept(spy);
  ET_LOG(Error, "number %d", 7);
  EXPECT_EQ(spy.emit_log_message_call_count, 1u);
  EXPECT_EQ(spy.current_ticks_call_count, 1u);
  EXPECT_EQ(spy.last_log_message_args.message, "number 7");
  EXPECT_EQ(spy.last_log_message_args.level, et_pal_log_level_t::kError);
  EXPECT_EQ(spy.last_log_message_args.timestamp, PalSpy::kTimestamp);
  EXPECT_EQ(spy.last_log_message_args.length, 8u);
}

TEST(StubPlatformTest, ASpyDecidesWhatTheClockSays) {
  PalSpy spy;
  const InterceptWith intercept(spy);
  spy.tick_ns_multiplier = {3, 2};
  EXPECT_EQ(ticks_to_ns(10), 15u);
  EXPECT_EQ(pal_current_ticks(), PalSpy::kTimestamp);
  runtime_init();
  EXPECT_EQ(spy.init_call_count, 1u);
}

TEST(StubPlatformTest, ASpySeesMemory) {
  PalSpy spy;
  const InterceptWith intercept(spy);
  void* const memory = pal_allocate(16);
  EXPECT_EQ(memory, spy.last_allocated_ptr);
  EXPECT_EQ(spy.last_allocated_size, 16u);
  pal_free(memory);
  EXPECT_EQ(spy.last_freed_ptr, memory);
  EXPECT_EQ(spy.allocate_call_count, 1u);
  EXPECT_EQ(spy.free_call_count, 1u);
}

TEST(StubPlatformTest, TheOneBeforeIsBackAfterwards) {
  PalSpy outer;
  const InterceptWith first(outer);
  {
    PlatformIntercept quiet;
    const InterceptWith second(quiet);
    EXPECT_EQ(pal_current_ticks(), 0u);
    void* const memory = pal_allocate(1);
    EXPECT_NE(memory, nullptr);
    pal_free(memory);
  }
  EXPECT_EQ(outer.current_ticks_call_count, 0u);
  EXPECT_EQ(pal_current_ticks(), PalSpy::kTimestamp);
  EXPECT_EQ(outer.allocate_call_count, 0u);
}

}  // namespace
