#include <cstdlib>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <executorch/test/utils/DeathTest.h>
#include <executorch/test/utils/alignment.h>

namespace {

TEST(UtilsTest, DeathIsNoticedWithItsMessage) {
  ET_EXPECT_DEATH(
      {
        std::fputs("last words\n", stderr);
        std::abort();
      },
      "last words");
  ET_ASSERT_DEATH(std::abort(), "");
}

TEST(UtilsTest, AlignmentIsThatOfTheAddress) {
  alignas(16) static char memory[32];
  EXPECT_ALIGNED(memory, 16);
  ASSERT_ALIGNED(memory + 4, 4);
  EXPECT_TRUE(executorch::runtime::testing::is_aligned(memory + 8, 8));
  EXPECT_FALSE(torch::executor::testing::is_aligned(memory + 8, 16));
  EXPECT_NONFATAL_FAILURE(EXPECT_ALIGNED(memory + 1, 2), "is not aligned to 2");
}

}  // namespace
