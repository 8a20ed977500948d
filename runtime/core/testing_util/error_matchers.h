#pragma once

#include <cstdint>
#include <ostream>
#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

/// Matchers for `Error` and `Result<T>`, so that a failing test names the error instead of saying
/// that something was not true:
///
///     EXPECT_OK(module.load());
///     auto meta = ASSERT_OK_AND_UNWRAP(program.method_meta("forward"));
///     EXPECT_THAT(method.execute(), ErrorIs(Error::InvalidArgument));
///     EXPECT_THAT(module.num_methods(), IsOkAndHolds(testing::Gt(0)));

namespace executorch {
namespace runtime {

/// Prints the error's name and number, for gtest.
inline void PrintTo(Error error, std::ostream* os) {
  *os << to_string(error) << " (" << static_cast<uint32_t>(error) << ")";
}

namespace testing {
namespace internal {

inline Error error_of(Error error) { return error; }
template <typename T>
Error error_of(const Result<T>& result) {
  return result.error();
}

inline void explain(Error error, ::testing::MatchResultListener* listener) {
  *listener << "whose error is " << to_string(error);
}

/// Matches a Result that has a value which `inner` matches.
template <typename Inner>
class IsOkAndHoldsMatcher {
 public:
  explicit IsOkAndHoldsMatcher(Inner inner) : inner_(std::move(inner)) {}

  template <typename Arg>
  operator ::testing::Matcher<Arg>() const {  // NOLINT(google-explicit-constructor)
    return ::testing::MakeMatcher(new Impl<Arg>(inner_));
  }

 private:
  template <typename Arg>
  class Impl : public ::testing::MatcherInterface<Arg> {
   public:
    using Value = typename std::decay_t<Arg>::value_type;

    explicit Impl(const Inner& inner) : inner_(::testing::SafeMatcherCast<const Value&>(inner)) {}

    void DescribeTo(std::ostream* os) const override {
      *os << "is ok and holds a value that ";
      inner_.DescribeTo(os);
    }
    void DescribeNegationTo(std::ostream* os) const override {
      *os << "is not ok or holds a value that ";
      inner_.DescribeNegationTo(os);
    }
    bool MatchAndExplain(Arg result, ::testing::MatchResultListener* listener) const override {
      if (!result.ok()) {
        explain(result.error(), listener);
        return false;
      }
      return inner_.MatchAndExplain(result.get(), listener);
    }

   private:
    ::testing::Matcher<const Value&> inner_;
  };

  Inner inner_;
};

}  // namespace internal

/// Matches `Error::Ok` and a Result that has a value.
MATCHER(IsOk, "") {
  const Error error = internal::error_of(arg);
  internal::explain(error, result_listener);
  return error == Error::Ok;
}

/// Matches an Error, or a Result with an error, that `matcher` (or an Error to be equal to)
/// matches.
MATCHER_P(ErrorIs, matcher, "") {
  const Error error = internal::error_of(arg);
  internal::explain(error, result_listener);
  return ::testing::Matches(::testing::SafeMatcherCast<Error>(matcher))(error);
}

/// Matches a Result that has a value which `inner`, a matcher or a value to be equal to, matches.
template <typename Inner>
internal::IsOkAndHoldsMatcher<std::decay_t<Inner>> IsOkAndHolds(Inner&& inner) {
  return internal::IsOkAndHoldsMatcher<std::decay_t<Inner>>(std::forward<Inner>(inner));
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

#ifndef EXPECT_OK
#define EXPECT_OK(result__) EXPECT_THAT((result__), ::executorch::runtime::testing::IsOk())
#endif
#ifndef ASSERT_OK
#define ASSERT_OK(result__) ASSERT_THAT((result__), ::executorch::runtime::testing::IsOk())
#endif

/// The value of a Result; leaves the test when there is none.
#define ASSERT_OK_AND_UNWRAP(result__)                                \
  ({                                                                  \
    auto&& et_result__ = (result__);                                  \
    ASSERT_THAT(et_result__, ::executorch::runtime::testing::IsOk()); \
    std::move(*et_result__);                                          \
  })

/// Sets or declares `lhs__` from the value of a Result; leaves the test when there is none.
#define ASSERT_OK_AND_ASSIGN(lhs__, result__) lhs__ = ASSERT_OK_AND_UNWRAP(result__)
