#include <stdexcept>
#include <string>
#include <gtest/gtest.h>
TEST(Toolchain, ThrowsAndCatches) {
  EXPECT_THROW(throw std::runtime_error("x"), std::runtime_error);
}
