#include <memory>

#include <gtest/gtest.h>

#include <executorch/runtime/core/function_ref.h>

using executorch::runtime::FunctionRef;

namespace {

int apply(FunctionRef<int(int)> f, int value) { return f(value); }
int twice(int value) { return 2 * value; }

struct Counter {
  int count = 0;
  int operator()(int by) { return count += by; }
};

TEST(FunctionRefTest, CallsLambdasFunctionsAndObjects) {
  int offset = 10;
  EXPECT_EQ(apply([&](int value) { return value + offset; }, 1), 11);
  EXPECT_EQ(apply(twice, 4), 8);
  EXPECT_EQ(apply(&twice, 4), 8);
  Counter counter;
  EXPECT_EQ(apply(counter, 3), 3);
  EXPECT_EQ(apply(counter, 3), 6);
  EXPECT_EQ(counter.count, 6);
  const auto negate = [](int value) { return -value; };
  EXPECT_EQ(apply(negate, 5), -5);
}

TEST(FunctionRefTest, ForwardsReferencesAndMoves) {
  auto store = [](std::unique_ptr<int> source, int& target) { target = *source; };
  const FunctionRef<void(std::unique_ptr<int>, int&)> f = store;
  int target = 0;
  f(std::make_unique<int>(9), target);
  EXPECT_EQ(target, 9);
}

TEST(FunctionRefTest, ResultMayBeDropped) {
  Counter counter;
  FunctionRef<void(int)> f(counter);
  f(4);
  EXPECT_EQ(counter.count, 4);
}

TEST(FunctionRefTest, EmptyIsFalse) {
  FunctionRef<int()> empty;
  EXPECT_FALSE(static_cast<bool>(empty));
  FunctionRef<int()> null(nullptr);
  EXPECT_FALSE(static_cast<bool>(null));
  auto one = [] { return 1; };
  FunctionRef<int()> full(one);
  EXPECT_TRUE(static_cast<bool>(full));
}

}  // namespace
