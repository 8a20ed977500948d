#include <gtest/gtest.h>

#include <executorch/runtime/platform/clock.h>

namespace {

et_tick_ratio_t ratio = {1, 1};
et_tick_ratio_t get_ratio() { return ratio; }

uint64_t convert(uint64_t ticks, et_tick_ratio_t r) {
  ratio = r;
  return executorch::runtime::ticks_to_ns(ticks);
}

TEST(ClockTest, TicksBecomeNanoseconds) {
  executorch::runtime::PalImpl impl;
  impl.ticks_to_ns_multiplier = get_ratio;
  ASSERT_TRUE(executorch::runtime::register_pal(impl));
  EXPECT_EQ(convert(5, {1, 1}), 5u);
  EXPECT_EQ(convert(3, {125, 3}), 125u);
  EXPECT_EQ(convert(1, {125, 3}), 41u);
  EXPECT_EQ(convert(7, {1, 0}), 0u);
  // A 24 MHz clock after 300 years: ticks * 1000 alone would overflow.
  EXPECT_EQ(convert(227059200000000000u, {1000, 24}), 9460800000000000000u);
  executorch::runtime::register_pal({});
}

}  // namespace
