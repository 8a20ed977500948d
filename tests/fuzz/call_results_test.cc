#include <gtest/gtest.h>

#include <executorch/tests/fuzz/call_results.h>
#include <executorch/tests/fuzz/mutator.h>

namespace {

using executorch::aten::ScalarType;
using executorch::fuzz::CallResult;
using executorch::fuzz::difference;

CallResult floats(std::vector<float> values) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {0,
          {{ScalarType::Float,
            {static_cast<int32_t>(values.size())},
            {bytes, bytes + values.size() * sizeof(float)}}}};
}

TEST(CallResultsTest, RoundingIsNoDifferenceAndMoreIs) {
  const float nan = __builtin_nanf("");
  EXPECT_EQ(difference(floats({1, nan}), floats({1.00001f, nan})), "");
  EXPECT_NE(difference(floats({1, 2}), floats({1, 2.01f})), "");
  EXPECT_NE(difference(floats({1, nan}), floats({1, 1})), "");
  EXPECT_NE(difference(floats({1, 2}), floats({1})), "");
  CallResult whole = {0, {{ScalarType::Int, {1}, {1, 0, 0, 0}}}};
  CallResult other = {0, {{ScalarType::Int, {1}, {2, 0, 0, 0}}}};
  EXPECT_EQ(difference(whole, whole), "");
  EXPECT_NE(difference(whole, other), "");
  other.error = 18;
  EXPECT_EQ(difference(whole, other), "") << "one of them refuses";
}

TEST(CallResultsTest, InputsMayBeLessExactThanWhatIsWritten) {
  const auto doubles = [](double value, double tolerance) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
    return CallResult{0, {{ScalarType::Double, {1}, {bytes, bytes + sizeof(value)}}}, tolerance};
  };
  EXPECT_NE(difference(doubles(0.879826725, 0), doubles(0.879826665, 0)), "");
  EXPECT_EQ(difference(doubles(0.879826725, 1e-4), doubles(0.879826665, 0)), "");
  EXPECT_NE(difference(doubles(0.8794, 1e-4), doubles(0.8798, 0)), "");
}

TEST(CallResultsTest, TravelAsBytes) {
  const CallResult sent = floats({1, 2, 3});
  const CallResult came = executorch::fuzz::from_bytes(executorch::fuzz::to_bytes(sent));
  EXPECT_EQ(difference(sent, came), "");
  EXPECT_EQ(came.outputs.size(), 1u);
  EXPECT_EQ(came.outputs[0].sizes, std::vector<int32_t>{3});
}

TEST(CallResultsTest, CallsAreTheSameAgainAndMostOperatorsAreReached) {
  const executorch::fuzz::Mutator mutator(1, {});
  size_t num_ok = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    const auto bytes = mutator.random_bytes(i, 96);
    CallResult first;
    CallResult second;
    if (executorch::fuzz::run_call(bytes.data(), bytes.size(), first) == nullptr) {
      continue;
    }
    (void)executorch::fuzz::run_call(bytes.data(), bytes.size(), second);
    EXPECT_EQ(first.error, second.error);
    EXPECT_EQ(difference(first, second), "");
    num_ok += first.error == 0;
  }
  EXPECT_GT(num_ok, 400u);
}

}  // namespace
