#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/testing_util/error_matchers.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::Result;
using namespace executorch::runtime::testing;
using ::testing::AnyOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

Result<int> seven() { return 7; }
Result<int> missing() { return Error::NotFound; }

TEST(ErrorMatchersTest, MatchErrors) {
  EXPECT_OK(Error::Ok);
  ASSERT_OK(Error::Ok);
  EXPECT_THAT(Error::Internal, Not(IsOk()));
  EXPECT_THAT(Error::Internal, ErrorIs(Error::Internal));
  EXPECT_THAT(Error::Internal, Not(ErrorIs(Error::NotFound)));
  EXPECT_THAT(Error::Internal, ErrorIs(AnyOf(Error::NotFound, Error::Internal)));
}

TEST(ErrorMatchersTest, MatchResults) {
  EXPECT_OK(seven());
  EXPECT_THAT(missing(), Not(IsOk()));
  EXPECT_THAT(missing(), ErrorIs(Error::NotFound));
  EXPECT_THAT(seven(), Not(ErrorIs(Error::NotFound)));
  EXPECT_THAT(seven(), IsOkAndHolds(7));
  EXPECT_THAT(seven(), IsOkAndHolds(Gt(6)));
  EXPECT_THAT(seven(), Not(IsOkAndHolds(8)));
  EXPECT_THAT(missing(), Not(IsOkAndHolds(7)));
}

TEST(ErrorMatchersTest, Unwrap) {
  const int value = ASSERT_OK_AND_UNWRAP(seven());
  EXPECT_EQ(value, 7);
  ASSERT_OK_AND_ASSIGN(const auto text, Result<std::string>(std::string("seven")));
  EXPECT_EQ(text, "seven");
  auto owned = ASSERT_OK_AND_UNWRAP(Result<std::unique_ptr<int>>(std::make_unique<int>(7)));
  EXPECT_EQ(*owned, 7);
}

TEST(ErrorMatchersTest, MessagesNameTheError) {
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(::testing::ExplainMatchResult(IsOk(), Error::NotFound, &listener));
  EXPECT_THAT(listener.str(), HasSubstr("NotFound"));
  ::testing::StringMatchResultListener holder;
  const Result<int> result = missing();
  EXPECT_FALSE(::testing::ExplainMatchResult(IsOkAndHolds(7), result, &holder));
  EXPECT_THAT(holder.str(), HasSubstr("NotFound"));
  EXPECT_THAT(::testing::PrintToString(Error::NotFound), HasSubstr("NotFound"));
}

}  // namespace
