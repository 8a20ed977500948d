// A planned buffer without memory of its own: what it takes for the sizes that inputs come with.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/counting_allocator.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using Floats = std::vector<float>;

constexpr int8_t kBound = 1;
constexpr int kMaxRows = 64;
constexpr size_t kFront = 16;
constexpr size_t kSlack = 8;

/// y = 2 x, z = 2 y, out = 2 z for x of at most 64 rows of 4; state changes its sign with each
/// call. The text has three blocks, of which out lies where y was. Tensors: x, y, z, out, state,
/// counter.
ProgramBuilder doubling_program(const std::string& text) {
  ProgramBuilder b;
  TensorOptions options;
  options.sizes = {kMaxRows, 4};
  options.shape_dynamism = kBound;
  options.memory_id = 1;
  options.memory_offset = kFront;
  const int x = b.add_tensor(options);
  options.memory_offset += 1024;
  const int y = b.add_tensor(options);
  options.memory_offset += 1024;
  const int z = b.add_tensor(options);
  options.memory_offset -= 1024;
  const int out = b.add_tensor(options);
  TensorOptions fixed;
  fixed.sizes = {2};
  fixed.memory_id = 1;
  const Floats initial = {1, 3};
  const auto* bytes = reinterpret_cast<const uint8_t*>(initial.data());
  fixed.data_buffer_idx = b.add_mutable_data({bytes, bytes + 8});
  fixed.name = "state";
  const int state = b.add_tensor(fixed);
  b.set_planned_buffers({kFront + 3 * 1024});
  if (!text.empty()) {
    b.add_string("executorch.arena:" + text);
  }
  const int add = b.add_operator("test::add");
  b.call_kernel(add, {x, x, y, y});
  b.call_kernel(add, {y, y, z, z});
  b.call_kernel(add, {z, z, out, out});
  b.call_kernel(b.add_operator("test::neg_", ""), {state, state});
  b.set_inputs({x});
  b.set_outputs({out, state});
  return b;
}

const char* const kText = "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2;";

/// A method whose planned buffer has no memory.
class SizedMethod {
 public:
  SizedMethod(const ProgramBuilder& builder, MemoryAllocator* allocator)
      : file_(builder.build()),
        loader_(file_),
        program_(Program::load(&loader_)),
        method_bytes_(64 * 1024),
        method_allocator_(method_bytes_.size(), method_bytes_.data()),
        manager_(&method_allocator_) {
    manager_.set_dynamic_allocator(allocator);
    loaded_ = std::make_unique<Result<Method>>(program_->load_method("forward", &manager_));
  }

  Error error() const { return loaded_->error(); }
  Method* operator->() { return &loaded_->get(); }

  Error run(int rows) {
    Floats x;
    for (int i = 0; i < 4 * rows; ++i) {
      x.push_back(static_cast<float>(i));
    }
    const auto input = float_tensor({rows, 4}, x);
    const Error error = loaded_->get().set_inputs({input.value()});
    return error == Error::Ok ? loaded_->get().execute() : error;
  }

  void expect_result(int rows) {
    const Floats result = floats(loaded_->get().get_output(0));
    ASSERT_EQ(result.size(), 4u * rows);
    for (int i = 0; i < 4 * rows; ++i) {
      ASSERT_EQ(result[i], 8.0f * static_cast<float>(i));
    }
  }

 private:
  PteFile file_;
  MemoryLoader loader_;
  Result<Program> program_;
  std::vector<uint8_t> method_bytes_;
  MemoryAllocator method_allocator_;
  MemoryManager manager_;
  std::unique_ptr<Result<Method>> loaded_;
};

class SizedArenaTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

TEST_F(SizedArenaTest, TakesWhatTheSizesNeed) {
  CountingAllocator allocator;
  SizedMethod method(doubling_program(kText), &allocator);
  ASSERT_EQ(method.error(), Error::Ok);
  EXPECT_EQ(allocator.sizes, (std::vector<size_t>{kFront + kSlack}));
  for (const int rows : {2, 1, 2, 0}) {
    ASSERT_EQ(method.run(rows), Error::Ok);
    method.expect_result(rows);
  }
  // x has its own, two blocks of 32 bytes follow.
  EXPECT_EQ(allocator.sizes.back(), 2 * 32 + kSlack);
  const size_t count = allocator.sizes.size();
  ASSERT_EQ(method.run(40), Error::Ok);
  method.expect_result(40);
  EXPECT_EQ(allocator.sizes.back(), 2 * 640 + kSlack);
  // Step by step: half as much again, but not more than the bound.
  ASSERT_EQ(method.run(41), Error::Ok);
  method.expect_result(41);
  EXPECT_EQ(allocator.sizes.back(), 2 * 960 + kSlack);
  for (int rows = 42; rows <= kMaxRows; ++rows) {
    ASSERT_EQ(method.run(rows), Error::Ok);
    method.expect_result(rows);
  }
  EXPECT_EQ(allocator.sizes.back(), 2 * 1024 + kSlack);
  EXPECT_LE(allocator.sizes.size(), count + 6);
  EXPECT_EQ(method.run(kMaxRows + 1), Error::NotSupported);
}

TEST_F(SizedArenaTest, StateStaysWhereItIs) {
  CountingAllocator allocator;
  SizedMethod method(doubling_program(kText), &allocator);
  ASSERT_EQ(method.error(), Error::Ok);
  float factor = 1;
  for (const int rows : {1, 2, 64, 3, 64}) {
    ASSERT_EQ(method.run(rows), Error::Ok);
    factor = -factor;
    EXPECT_EQ(floats(method->get_output(1)), (Floats{factor, 3 * factor}));
  }
}

TEST_F(SizedArenaTest, RunsStepByStep) {
  CountingAllocator allocator;
  SizedMethod method(doubling_program(kText), &allocator);
  const auto input = float_tensor({1, 4}, {0, 1, 2, 3});
  ASSERT_EQ(method->set_inputs({input.value()}), Error::Ok);
  while (method->step() == Error::Ok) {
  }
  method.expect_result(1);
  ASSERT_EQ(method->reset_execution(), Error::Ok);
  ASSERT_EQ(method.run(5), Error::Ok);
  method.expect_result(5);
}

TEST_F(SizedArenaTest, MemoryForTheWholePlanIsUsedAsItIs) {
  for (const std::string text : {"", kText}) {
    MethodHarness harness(doubling_program(text).build());
    ASSERT_EQ(harness.error, Error::Ok);
    const auto input = float_tensor({2, 4}, Floats(8, 1));
    ASSERT_EQ(harness.method().set_inputs({input.value()}), Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)), Floats(8, 8));
    const MethodMeta meta = *harness.program->method_meta("forward");
    EXPECT_EQ(meta.memory_planned_buffer_follows_sizes(0), !text.empty());
    EXPECT_FALSE(meta.memory_planned_buffer_follows_sizes(1));
  }
}

TEST_F(SizedArenaTest, WithoutFunctionsOrAllocatorThePlanNeedsItsMemory) {
  CountingAllocator allocator;
  EXPECT_EQ(SizedMethod(doubling_program(""), &allocator).error(), Error::InvalidArgument);
  EXPECT_EQ(SizedMethod(doubling_program(kText), nullptr).error(), Error::InvalidArgument);
}

TEST_F(SizedArenaTest, EveryAllocationMayFailAndTheNextCallWorks) {
  const size_t enough = (kFront + kSlack) + (40 * 16 + 16) + (2 * 40 * 16 + kSlack);
  for (size_t limit = 0; limit <= enough; limit += 8) {
    CountingAllocator allocator(limit);
    SizedMethod method(doubling_program(kText), &allocator);
    if (limit < kFront + kSlack) {
      ASSERT_EQ(method.error(), Error::MemoryAllocationFailed);
      continue;
    }
    ASSERT_EQ(method.error(), Error::Ok);
    ASSERT_EQ(method.run(40), limit < enough ? Error::MemoryAllocationFailed : Error::Ok) << limit;
    allocator.limit = 1 << 20;
    ASSERT_EQ(method.run(41), Error::Ok) << limit;
    method.expect_result(41);
  }
}

TEST_F(SizedArenaTest, ABlockThatIsTooSmallTakesMemoryOfItsOwn) {
  for (const char* blocks : {"0@:1,3; $0,16*@0:2;", "$0@:1,3; $0,2/@:2;", "$0,100-@:1,3; 1@:2;"}) {
    CountingAllocator allocator;
    SizedMethod method(doubling_program(std::string("16 8 16 1 2 0.0.64 ") + blocks), &allocator);
    ASSERT_EQ(method.error(), Error::Ok);
    for (const int rows : {3, 1, 64, 2}) {
      ASSERT_EQ(method.run(rows), Error::Ok) << blocks;
      method.expect_result(rows);
    }
  }
}

TEST_F(SizedArenaTest, WhatDoesNotFitTheMethodIsRefused) {
  const std::vector<std::string> texts = {
      // The header.
      "16", "16 8 0 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2;",
      "16 8 3 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2;", "16 8 16 99999 2 0.0.64 16$0*@:1,3; $0,16*@0:2;",
      "16 8 16 1 4000000000 0.0.64 16$0*@:1,3; $0,16*@0:2;",
      "99999999999999999999 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2;",
      // Functions.
      "16 8 16 1 2 0.0.64 16$1*@:1,3; $0,16*@0:2;", "16 8 16 1 2 0.0.64 *@:1,3; $0,16*@0:2;",
      "16 8 16 1 2 0.0.64 1,2@:1,3; $0,16*@0:2;", "16 8 16 1 2 0.0.64 1,0/@:1,3; $0,16*@0:2;",
      "16 8 16 1 2 0.0.64 1,2%@:1,3; $0,16*@0:2;", "16 8 16 1 2 0.0.64 @:1,3; $0,16*@0:2;",
      "16 8 16 1 2 0.0.64 99999999,99999999*@:1,3; $0,16*@0:2;",
      "16 8 16 1 2 0.0.64 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1++++++++++++++++@:1,3; $0,16*@0:2;",
      // Places.
      "16 8 16 1 2 0.0.64 16$0*@0:1,3; $0,16*@0:2;", "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@1:2;",
      "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:3;", "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:9;",
      "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2", "16 8 16 1 2 0.0.64 16$0*@:1,3; $0,16*@0:2; ",
      // The state in a block.
      "0 8 16 1 2 0.0.64 16$0*@:1,3,4; $0,16*@0:2;"};
  for (const std::string& text : texts) {
    CountingAllocator allocator;
    EXPECT_EQ(SizedMethod(doubling_program(text), &allocator).error(), Error::InvalidProgram)
        << text;
  }
  for (const char* size : {"1.0.64", "0.2.64"}) {
    CountingAllocator allocator;
    SizedMethod method(
        doubling_program(std::string("16 8 16 1 2 ") + size + " 16$0*@:1,3; $0,16*@0:2;"),
        &allocator);
    ASSERT_EQ(method.error(), Error::Ok);
    EXPECT_EQ(method.run(2), Error::InvalidProgram) << size;
  }
  CountingAllocator allocator;
  SizedMethod method(doubling_program("16 8 16 1 2 0.0.64 $0,99999999999*@:1,3; $0,16*@0:2;"),
                     &allocator);
  EXPECT_EQ(method.run(64), Error::MemoryAllocationFailed);
}

TEST_F(SizedArenaTest, EveryPrefixOfTheTextIsRefusedOrRuns) {
  const std::string text = kText;
  for (size_t length = 0; length < text.size(); ++length) {
    CountingAllocator allocator;
    SizedMethod method(doubling_program(text.substr(0, length)), &allocator);
    EXPECT_NE(method.error(), Error::Ok) << length;
  }
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
