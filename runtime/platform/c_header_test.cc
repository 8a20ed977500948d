#include <gtest/gtest.h>

#include <executorch/runtime/platform/platform.h>

// et_pal_ticks_to_ns_multiplier() is defined in c_header_test.c.
TEST(CHeaderTest, FunctionDefinedInCReplacesTheDefault) {
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().numerator, 7u);
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().denominator, 5u);
}
