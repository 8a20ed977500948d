// Test cases of a bundle reach a method, its outputs are compared, and damaged bundles are refused.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/schema/bundled_program_generated.h>

namespace executorch {
namespace bundled_program {
namespace {

namespace schema = bundled_program_flatbuffer;

using runtime::Error;
using runtime::EValue;
using runtime::testing::MethodHarness;
using runtime::testing::ProgramBuilder;

/// A method that returns its two inputs, a float tensor [2, 2] and an int.
ProgramBuilder identity() {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2, 2});
  const int n = b.add_int(3);
  b.set_inputs({x, n});
  b.set_outputs({x, n});
  return b;
}

class BundleBuilder {
 public:
  using Values = std::vector<flatbuffers::Offset<schema::Value>>;

  flatbuffers::Offset<schema::Value> tensor(const std::vector<float>& data,
                                            const std::vector<int32_t>& sizes = {2, 2},
                                            const std::vector<uint8_t>& order = {0, 1},
                                            aten::ScalarType type = aten::ScalarType::Float) {
    fbb_.ForceVectorAlignment(data.size() * sizeof(float), 1, 16);
    const auto bytes = fbb_.CreateVector(reinterpret_cast<const uint8_t*>(data.data()),
                                         data.size() * sizeof(float));
    const auto made =
        schema::CreateTensor(fbb_, static_cast<executorch_flatbuffer::ScalarType>(type),
                             fbb_.CreateVector(sizes), bytes, fbb_.CreateVector(order));
    return schema::CreateValue(fbb_, schema::ValueUnion::Tensor, made.Union());
  }
  flatbuffers::Offset<schema::Value> integer(int64_t value) {
    return schema::CreateValue(fbb_, schema::ValueUnion::Int,
                               schema::CreateInt(fbb_, value).Union());
  }

  void add_case(const Values& inputs, const Values& outputs) {
    cases_.push_back(schema::CreateBundledMethodTestCase(fbb_, fbb_.CreateVector(inputs),
                                                         fbb_.CreateVector(outputs)));
  }

  void* finish(const std::vector<uint8_t>& program, const char* method = "forward") {
    const auto suite = schema::CreateBundledMethodTestSuite(fbb_, fbb_.CreateString(method),
                                                            fbb_.CreateVector(cases_));
    const auto suites = fbb_.CreateVector(&suite, 1);
    fbb_.ForceVectorAlignment(program.size(), 1, 32);
    const auto bytes = fbb_.CreateVector(program);
    schema::FinishBundledProgramBuffer(fbb_, schema::CreateBundledProgram(fbb_, 2, suites, bytes));
    return fbb_.GetBufferPointer();
  }
  size_t size() const { return fbb_.GetSize(); }

 private:
  flatbuffers::FlatBufferBuilder fbb_;
  std::vector<flatbuffers::Offset<schema::BundledMethodTestCase>> cases_;
};

const std::vector<uint8_t> kProgram = {0, 0, 0, 0, 'E', 'T', '1', '2', 9};

TEST(BundledProgramTest, InputsAndOutputs) {
  MethodHarness harness(identity());
  ASSERT_TRUE(harness.ok());
  BundleBuilder b;
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {b.tensor({1, 2, 3, 4}), b.integer(3)});
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {b.tensor({1, 2, 3, 5}), b.integer(3)});
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {b.tensor({1, 2, 3, 4}), b.integer(4)});
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {});
  void* bundle = b.finish(kProgram);
  ASSERT_TRUE(is_bundled_program(bundle, b.size()));
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(load_bundled_input(harness.method(), bundle, i), Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
  }
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 0), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1), Error::NotFound);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1, /*rtol=*/0.2), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1, /*rtol=*/0, /*atol=*/1), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 2), Error::NotFound);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 3), Error::NotSupported);
  EXPECT_EQ(load_bundled_input(harness.method(), bundle, 4), Error::InvalidArgument);

  const ErrorStats stats = compute_method_output_error_stats(harness.method(), bundle, 1);
  EXPECT_EQ(stats.status, Error::Ok);
  EXPECT_DOUBLE_EQ(stats.max_abs_error, 1);
  EXPECT_DOUBLE_EQ(stats.mean_abs_error, 0.25);
  EXPECT_DOUBLE_EQ(stats.max_relative_error, 0.2);
  EXPECT_DOUBLE_EQ(stats.mean_relative_error, 0.05);
  EXPECT_EQ(compute_method_output_error_stats(harness.method(), bundle, 3).status,
            Error::NotSupported);
}

TEST(BundledProgramTest, NanAndInfinity) {
  const float nan = std::nanf("");
  const float inf = std::numeric_limits<float>::infinity();
  MethodHarness harness(identity());
  BundleBuilder b;
  b.add_case({b.tensor({nan, inf, -inf, 0}), b.integer(3)},
             {b.tensor({nan, inf, -inf, 0}), b.integer(3)});
  b.add_case({b.tensor({nan, inf, -inf, 0}), b.integer(3)},
             {b.tensor({nan, -inf, -inf, 0}), b.integer(3)});
  b.add_case({b.tensor({nan, inf, -inf, 0}), b.integer(3)},
             {b.tensor({0, inf, -inf, 0}), b.integer(3)});
  void* bundle = b.finish(kProgram);
  ASSERT_EQ(load_bundled_input(harness.method(), bundle, 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 0), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1, 1, 1), Error::NotFound);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 2, 1, 1), Error::NotFound);
}

TEST(BundledProgramTest, ComplexNumbersAreComparedByTheirParts) {
  constexpr auto kComplex = aten::ScalarType::ComplexFloat;
  ProgramBuilder program;
  const int x = program.add_planned_tensor({2}, static_cast<int8_t>(kComplex));
  program.set_inputs({x});
  program.set_outputs({x});
  MethodHarness harness(program);
  ASSERT_TRUE(harness.ok());
  BundleBuilder b;
  const auto pair = [&b](const std::vector<float>& parts) {
    return b.tensor(parts, {2}, {0}, kComplex);
  };
  b.add_case({pair({1, 2, 3, 4})}, {pair({1, 2, 3, 4})});
  b.add_case({pair({1, 2, 3, 4})}, {pair({1, 2, 3, 5})});
  void* bundle = b.finish(kProgram);
  ASSERT_EQ(load_bundled_input(harness.method(), bundle, 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 0), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1), Error::NotFound);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 1, /*rtol=*/0.2), Error::Ok);
  const ErrorStats stats = compute_method_output_error_stats(harness.method(), bundle, 1);
  EXPECT_DOUBLE_EQ(stats.max_abs_error, 1);
  EXPECT_DOUBLE_EQ(stats.mean_abs_error, 0.25);
}

TEST(BundledProgramTest, WhatDoesNotFitIsRefused) {
  MethodHarness harness(identity());
  BundleBuilder b;
  b.add_case({b.tensor({1, 2, 3, 4})}, {});
  b.add_case({b.tensor({1, 2, 3}), b.integer(3)}, {});
  b.add_case({b.tensor({1, 2, 3, 4}, {2, -2}), b.integer(3)}, {});
  b.add_case({b.tensor({1, 2, 3, 4}, {2, 2}, {0, 0}), b.integer(3)}, {});
  b.add_case({b.tensor({}, {1 << 30, 1 << 30, 1 << 30}, {0, 1, 2}), b.integer(3)}, {});
  b.add_case({b.tensor({1}, std::vector<int32_t>(17, 1), {}), b.integer(3)}, {});
  b.add_case({b.tensor({1, 2, 3, 4}, {4}, {0}), b.integer(3)}, {});
  b.add_case({b.integer(3), b.integer(3)}, {});
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {b.tensor({1, 2}, {2}, {0}), b.integer(3)});
  b.add_case({b.tensor({1, 2, 3, 4}), b.integer(3)}, {b.integer(3)});
  void* bundle = b.finish(kProgram);
  EXPECT_EQ(load_bundled_input(harness.method(), bundle, 0), Error::InvalidArgument);
  for (size_t i = 1; i < 8; ++i) {
    EXPECT_NE(load_bundled_input(harness.method(), bundle, i), Error::Ok) << i;
  }
  ASSERT_EQ(load_bundled_input(harness.method(), bundle, 8), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 8), Error::NotFound);
  EXPECT_EQ(compute_method_output_error_stats(harness.method(), bundle, 8).status,
            Error::InvalidArgument);
  EXPECT_EQ(verify_method_outputs(harness.method(), bundle, 9), Error::InvalidArgument);

  BundleBuilder other;
  EXPECT_EQ(load_bundled_input(harness.method(), other.finish(kProgram, "encode"), 0),
            Error::InvalidArgument);
  EXPECT_EQ(load_bundled_input(harness.method(), kProgram.data(), 0), Error::NotSupported);
  EXPECT_EQ(load_bundled_input(harness.method(), nullptr, 0), Error::NotSupported);
}

TEST(BundledProgramTest, TheProgramInside) {
  BundleBuilder b;
  b.add_case({b.integer(1)}, {});
  auto* bundle = static_cast<uint8_t*>(b.finish(kProgram));
  const void* program = nullptr;
  size_t size = 0;
  ASSERT_EQ(get_program_data(bundle, b.size(), &program, &size), Error::Ok);
  EXPECT_EQ(std::vector<uint8_t>(static_cast<const uint8_t*>(program),
                                 static_cast<const uint8_t*>(program) + size),
            kProgram);
  // A program alone is its own program.
  std::vector<uint8_t> plain = kProgram;
  ASSERT_EQ(get_program_data(plain.data(), plain.size(), &program, &size), Error::Ok);
  EXPECT_EQ(program, plain.data());
  EXPECT_EQ(size, plain.size());
  // Whatever is cut off or is no bundle is refused.
  for (size_t length = 0; length < b.size(); ++length) {
    std::vector<uint8_t> cut(bundle, bundle + length);
    EXPECT_NE(get_program_data(cut.data(), cut.size(), &program, &size), Error::Ok) << length;
  }
  EXPECT_FALSE(is_bundled_program(plain.data(), plain.size()));
  EXPECT_FALSE(is_bundled_program(nullptr, 100));
  BundleBuilder empty;
  void* without = empty.finish({});
  EXPECT_EQ(get_program_data(without, empty.size(), &program, &size), Error::InvalidProgram);
}

}  // namespace
}  // namespace bundled_program
}  // namespace executorch
