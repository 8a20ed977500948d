#include <cstdlib>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/test/utils/DeathTest.h>
#include <executorch/test/utils/alignment.h>

namespace {

TEST(DeathTest, SeesChecksFail) {
  executorch::runtime::runtime_init();
  ET_EXPECT_DEATH(ET_CHECK_MSG(false, "the answer is %d", 42), "the answer is 42");
  EXPECT_NONFATAL_FAILURE(ET_EXPECT_DEATH(std::exit(0), ""), "not with expected exit code");
}

TEST(AlignmentTest, SaysWhatIsWrong) {
  alignas(8) static const char bytes[16] = {};
  EXPECT_ALIGNED(bytes, 8);
  ASSERT_ALIGNED(bytes + 4, 4);
  EXPECT_NONFATAL_FAILURE(EXPECT_ALIGNED(bytes + 4, 8), "not aligned to 8");
}

}  // namespace
