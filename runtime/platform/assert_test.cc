#include <gtest/gtest.h>

#include <executorch/runtime/platform/assert.h>

namespace {

TEST(AssertTest, TrueConditionsPassAndAreEvaluatedOnce) {
  int count = 0;
  ET_CHECK(++count == 1);
  ET_CHECK_MSG(++count == 2, "count %d", count);
  EXPECT_EQ(count, 2);
}

TEST(AssertTest, FalseConditionsSayWhat) {
  EXPECT_DEATH(ET_CHECK(1 + 1 == 3), "1 \\+ 1 == 3");
  EXPECT_DEATH(ET_CHECK_MSG(false, "because %d", 5), "because 5");
}

TEST(AssertTest, UnreachableAborts) {
  EXPECT_DEATH(ET_ASSERT_UNREACHABLE(), "should not have reached");
  EXPECT_DEATH(ET_ASSERT_UNREACHABLE_MSG("tag 7"), "tag 7");
}

TEST(AssertTest, DebugChecksFollowTheBuild) {
  int count = 0;
  ET_DCHECK(++count > 0);
  ET_DCHECK_MSG(++count > 0, "count %d", count);
#ifdef NDEBUG
  EXPECT_EQ(count, 0);
  ET_DCHECK(false);
#else
  EXPECT_EQ(count, 2);
  EXPECT_DEATH(ET_DCHECK(false), "");
#endif
}

}  // namespace
