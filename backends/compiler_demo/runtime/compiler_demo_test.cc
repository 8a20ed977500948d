#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using Floats = std::vector<float>;

// As the compiler of the published package writes them.
const char* const kSin =
    "1version:0#op:demo::aten.sin.default, numel:2, dtype:torch.float32<debug_handle>1#";
const char* const kMmAdd =
    "2version:0#op:demo::aten.mm.default, numel:4, dtype:torch.float32<debug_handle>1#"
    "op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<debug_handle>2#";

/// A method that hands its inputs to one delegate.
ProgramBuilder delegated(const std::string& blob, std::vector<std::vector<int32_t>> inputs,
                         const std::vector<int32_t>& output, const std::string& max_value = "") {
  ProgramBuilder b;
  std::vector<int32_t> args;
  for (const std::vector<int32_t>& sizes : inputs) {
    args.push_back(b.add_planned_tensor(sizes));
  }
  b.set_inputs(args);
  args.push_back(b.add_planned_tensor(output));
  b.set_outputs({args.back()});
  std::vector<std::pair<std::string, std::string>> specs;
  if (!max_value.empty()) {
    specs.emplace_back("max_value", max_value);
  }
  b.call_delegate(
      b.add_delegate("BackendWithCompilerDemo", std::vector<uint8_t>(blob.begin(), blob.end()),
                     /*inline_data=*/false, specs),
      args);
  return b;
}

TEST(BackendWithCompilerDemoTest, TheSineIsATaylorPolynomial) {
  MethodHarness harness(delegated(kSin, {{2}}, {2}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 0}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  const Floats result = floats(harness.method().get_output(0));
  EXPECT_NEAR(result[0], 0.8333, 1e-4);
  EXPECT_EQ(result[1], 0);
}

TEST(BackendWithCompilerDemoTest, OperatorsTakeTheResultBeforeThemAndTheNextInput) {
  MethodHarness harness(delegated(kMmAdd, {{2, 2}, {2, 2}, {2, 2}}, {2, 2}));
  ASSERT_EQ(harness.error, Error::Ok);
  const auto a = float_tensor({2, 2}, {1, 2, 3, 4});
  const auto x = float_tensor({2, 2}, {5, 6, 7, 8});
  const auto b = float_tensor({2, 2}, {100, 200, 300, 400});
  ASSERT_EQ(harness.method().set_input(a.value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_input(x.value(), 1), Error::Ok);
  ASSERT_EQ(harness.method().set_input(b.value(), 2), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{119, 222, 343, 450}));
}

TEST(BackendWithCompilerDemoTest, ShapesThatDoNotFitAreRefused) {
  MethodHarness harness(delegated(kMmAdd, {{2, 3}, {2, 2}, {2, 2}}, {2, 2}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2, 3}, Floats(6)).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2, 2}, Floats(4)).value(), 1), Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2, 2}, Floats(4)).value(), 2), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
}

TEST(BackendWithCompilerDemoTest, ProductsOfResults) {
  // ((x + x) x) (x + x): the sum and the first product lie in memory of the delegate.
  MethodHarness harness(delegated(
      "3version:1#op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<from>0,0<to>2"
      "<debug_handle>1#op:demo::aten.mm.default, numel:4, dtype:torch.float32<from>2,0<to>3"
      "<debug_handle>2#op:demo::aten.mm.default, numel:4, dtype:torch.float32<from>3,2<to>1"
      "<debug_handle>3#",
      {{2, 2}}, {2, 2}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2, 2}, {1, 2, 3, 4}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{148, 216, 324, 472}));
}

TEST(BackendWithCompilerDemoTest, OneElementGoesWithAnyOther) {
  // (c - x) x + c, where c is a number.
  MethodHarness harness(delegated(
      "3version:1#op:demo::aten.sub.Tensor, numel:4, dtype:torch.float32<from>0,1<to>3"
      "<debug_handle>1#op:demo::aten.mm.default, numel:4, dtype:torch.float32<from>3,1<to>4"
      "<debug_handle>2#op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<from>4,0<to>2"
      "<debug_handle>3#",
      {{}, {2, 2}}, {2, 2}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({}, {2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({2, 2}, {1, 2, 3, 4}).value(), 1), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{3, 4, -5, -8}));
}

TEST(BackendWithCompilerDemoTest, ThreeElementsDoNotGoWithFour) {
  MethodHarness harness(
      delegated("1version:1#op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<from>0,1<to>2"
                "<debug_handle>1#",
                {{3}, {4}}, {4}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({3}, Floats(3)).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({4}, Floats(4)).value(), 1), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
}

TEST(BackendWithCompilerDemoTest, MoreElementsThanItWasCompiledForAreRefused) {
  MethodHarness harness(delegated(kSin, {{6}}, {6}));
  ASSERT_EQ(harness.error, Error::Ok);
  ASSERT_EQ(harness.method().set_input(float_tensor({6}, Floats(6)).value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
}

TEST(BackendWithCompilerDemoTest, AMaxValueOfMoreThanFourDoesNotRun) {
  for (const char max_value : {4, 5}) {
    MethodHarness harness(delegated(kSin, {{2}}, {2}, std::string(1, max_value)));
    ASSERT_EQ(harness.error, Error::Ok);
    ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 0}).value(), 0), Error::Ok);
    EXPECT_EQ(harness.method().execute(), max_value == 4 ? Error::Ok : Error::InvalidArgument);
  }
}

TEST(BackendWithCompilerDemoTest, DamagedBytesAreRefused) {
  const std::string whole = kMmAdd;
  for (size_t length = 1; length < whole.size(); ++length) {
    MethodHarness harness(delegated(whole.substr(0, length), {{2, 2}}, {2, 2}));
    EXPECT_EQ(harness.error, Error::DelegateInvalidCompatibility) << length;
  }
  for (const char* const blob :
       {"1version:1#op:demo::aten.sin.default, numel:2, dtype:torch.float32<debug_handle>1#",
        "4294967295version:0#", "99999999999version:0#", "0version:0#",
        "1version:0#op:demo::aten.cos.default, numel:2, dtype:torch.float32<debug_handle>1#"}) {
    MethodHarness harness(delegated(blob, {{2}}, {2}));
    EXPECT_EQ(harness.error, Error::DelegateInvalidCompatibility) << blob;
  }
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
