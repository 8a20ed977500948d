// Values whose size has no bound: where their memory comes from when they outgrow the plan.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/counting_allocator.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using Floats = std::vector<float>;

constexpr size_t kSlack = internal::DynamicMemory::kSlack;
constexpr int8_t kBound = 1;
constexpr int8_t kUnbound = 2;

/// What the plan's string value says: `bits` from the first dimension of the first tensor on.
std::string unbounded_dims(const std::vector<bool>& bits) {
  std::string text = "executorch.unbounded_dims:";
  for (size_t i = 0; i < bits.size(); i += 6) {
    int character = '0';
    for (size_t k = i; k < i + 6 && k < bits.size(); ++k) {
      character += bits[k] ? 1 << (k - i) : 0;
    }
    text += static_cast<char>(character);
  }
  return text;
}

/// A method with an allocator for what outgrows its plan.
class DynamicMethod {
 public:
  explicit DynamicMethod(const ProgramBuilder& builder, MemoryAllocator* allocator)
      : file_(builder.build()), loader_(file_), program_(Program::load(&loader_)) {
    const Result<MethodMeta> meta = program_->method_meta("forward");
    memory_ = std::make_unique<MethodMemory>(*meta);
    memory_->manager->set_dynamic_allocator(allocator);
    EXPECT_EQ(memory_->manager->dynamic_allocator(), allocator);
    loaded_ =
        std::make_unique<Result<Method>>(program_->load_method("forward", memory_->manager.get()));
    EXPECT_EQ(loaded_->error(), Error::Ok);
  }

  Method* operator->() { return &loaded_->get(); }

  Error run(const std::vector<int32_t>& sizes, const Floats& x) {
    const auto input = float_tensor(sizes, x);
    const Error error = loaded_->get().set_inputs({input.value()});
    return error == Error::Ok ? loaded_->get().execute() : error;
  }

 private:
  PteFile file_;
  MemoryLoader loader_;
  Result<Program> program_;
  std::unique_ptr<MethodMemory> memory_;
  std::unique_ptr<Result<Method>> loaded_;
};

class DynamicMemoryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

Floats ramp(int count) {
  Floats values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i));
  }
  return values;
}

Floats times(float factor, const Floats& values) {
  Floats result;
  for (const float value : values) {
    result.push_back(factor * value);
  }
  return result;
}

// out = 4 x, of shape (2, 3) in the plan, where the first size has no bound. x and out share their
// place.
ProgramBuilder doubling_program(int8_t dynamism = kBound) {
  ProgramBuilder b;
  TensorOptions options;
  options.sizes = {2, 3};
  options.shape_dynamism = dynamism;
  options.memory_id = 1;
  const int x = b.add_tensor(options);
  options.memory_offset = 32;
  const int middle = b.add_tensor(options);
  options.memory_offset = 0;
  const int out = b.add_tensor(options);
  b.set_planned_buffers({64});
  if (dynamism == kBound) {
    b.add_string(unbounded_dims({true, false, true, false, true, false}));
  }
  const int add = b.add_operator("test::add");
  b.call_kernel(add, {x, x, middle, middle});
  b.call_kernel(add, {middle, middle, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  return b;
}

TEST_F(DynamicMemoryTest, GrowsShrinksAndGrows) {
  for (const int8_t dynamism : {kBound, kUnbound}) {
    CountingAllocator allocator;
    DynamicMethod method(doubling_program(dynamism), &allocator);
    for (const int rows : {2, 1, 5, 2, 0, 5, 40, 3, 41}) {
      ASSERT_EQ(method.run({rows, 3}, ramp(3 * rows)), Error::Ok) << rows;
      EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(3 * rows)));
      EXPECT_EQ(method->get_output(0).toTensor().size(0), rows);
      EXPECT_EQ(method->get_output(0).toTensor().strides()[0], 3);
    }
    // Two places, x and out have the same one; each grew to 5, to 40 and by half.
    EXPECT_EQ(allocator.sizes.size(), 6u);
    EXPECT_EQ(allocator.given, 2 * (60u + 480u + 720u) + 6 * kSlack);
  }
}

TEST_F(DynamicMemoryTest, RowsStayWhenMoreAreAdded) {
  CountingAllocator allocator;
  Floats planned = {1, 2};
  SizesType sizes[] = {1, 2};
  executorch::aten::TensorImpl impl(executorch::aten::ScalarType::Float, 2, sizes, planned.data(),
                                    nullptr, nullptr, TensorShapeDynamism::DYNAMIC_UNBOUND);
  internal::DynamicMemory memory(&allocator, planned.data(), 8);
  memory.serve(impl);
  const Tensor tensor(&impl);
  for (SizesType rows = 2; rows < 40; ++rows) {
    ASSERT_EQ(resize_tensor(tensor, {rows, 2}), Error::Ok);
    tensor.mutable_data_ptr<float>()[2 * rows - 2] = static_cast<float>(2 * rows - 1);
    tensor.mutable_data_ptr<float>()[2 * rows - 1] = static_cast<float>(2 * rows);
    for (int i = 0; i < 2 * rows; ++i) {
      ASSERT_EQ(tensor.const_data_ptr<float>()[i], static_cast<float>(i + 1)) << rows;
    }
  }
  // Three times what it asked for last, which may be half as much again as it needs.
  EXPECT_LE(allocator.given, 39 * 36u + allocator.sizes.size() * kSlack);
  EXPECT_EQ(planned, (Floats{1, 2}));
  const SizesType too_many[] = {1 << 30, 1 << 30};
  // Where an address has 32 bits, no allocator is asked: there cannot be a tensor of this shape.
  EXPECT_EQ(resize_tensor(tensor, {too_many, 2}),
            sizeof(void*) > 4 ? Error::MemoryAllocationFailed : Error::InvalidArgument);
  EXPECT_EQ(tensor.size(0), 39);
}

TEST_F(DynamicMemoryTest, WhatFitsIntoThePlanTakesNoMore) {
  CountingAllocator allocator;
  DynamicMethod method(doubling_program(), &allocator);
  ASSERT_EQ(method.run({2, 3}, ramp(6)), Error::Ok);
  ASSERT_EQ(method.run({1, 3}, ramp(3)), Error::Ok);
  EXPECT_TRUE(allocator.sizes.empty());
}

TEST_F(DynamicMemoryTest, WithoutAnAllocatorThePlanIsTheBound) {
  DynamicMethod method(doubling_program(), nullptr);
  ASSERT_EQ(method.run({2, 3}, ramp(6)), Error::Ok);
  EXPECT_EQ(method.run({3, 3}, ramp(9)), Error::MemoryAllocationFailed);
  ASSERT_EQ(method.run({1, 3}, ramp(3)), Error::Ok);
  EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(3)));
}

TEST_F(DynamicMemoryTest, EveryAllocationMayFailAndTheNextCallWorks) {
  constexpr size_t kEnough = 2 * (180 + kSlack);
  for (size_t limit = 0; limit <= kEnough; limit += 8) {
    CountingAllocator allocator(limit);
    DynamicMethod method(doubling_program(), &allocator);
    const Error error = method.run({15, 3}, ramp(45));
    EXPECT_EQ(error == Error::Ok, limit >= kEnough) << limit;
    ASSERT_EQ(method.run({2, 3}, ramp(6)), Error::Ok) << limit;
    EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(6)));
    allocator.limit = 1 << 20;
    ASSERT_EQ(method.run({15, 3}, ramp(45)), Error::Ok) << limit;
    EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(45)));
  }
}

TEST_F(DynamicMemoryTest, TakesWhatIsNeededWhereHalfAsMuchAgainIsNotThere) {
  alignas(16) uint8_t bytes[2 * (228 + 28) + (342 + 26) + (240 + kSlack)];
  MemoryAllocator allocator(sizeof(bytes), bytes);
  DynamicMethod method(doubling_program(), &allocator);
  ASSERT_EQ(method.run({19, 3}, ramp(57)), Error::Ok);
  ASSERT_EQ(method.run({20, 3}, ramp(60)), Error::Ok);
  EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(60)));
}

TEST_F(DynamicMemoryTest, ValuesWithoutAPlaceTakeAllOfTheirMemoryThere) {
  ProgramBuilder b;
  TensorOptions options;
  options.sizes = {0, 3};
  options.shape_dynamism = kUnbound;
  const int x = b.add_tensor(options);
  const int middle = b.add_tensor(options);
  const int out = b.add_tensor(options);
  const int add = b.add_operator("test::add");
  b.call_kernel(add, {x, x, middle, middle});
  b.call_kernel(add, {middle, middle, out, out});
  b.free_value(middle);
  b.set_inputs({x});
  b.set_outputs({out});
  CountingAllocator allocator;
  DynamicMethod method(b, &allocator);
  for (const int rows : {2, 5, 1, 5}) {
    const auto input = float_tensor({rows, 3}, ramp(3 * rows));
    ASSERT_EQ(method->set_inputs({input.value()}), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok) << rows;
    EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(3 * rows)));
  }
  EXPECT_EQ(allocator.given, 2 * (24u + 60u) + 4 * kSlack) << "the input is read where it lies";
  // Memory of the application's, as long as it is enough.
  Floats memory(6);
  ASSERT_EQ(method->set_output_data_ptr(memory.data(), 24, 0), Error::Ok);
  EXPECT_EQ(method->get_output(0).toTensor().numel(), 0);
  ASSERT_EQ(method.run({2, 3}, ramp(6)), Error::Ok);
  EXPECT_EQ(memory, times(4, ramp(6)));
  ASSERT_EQ(method.run({3, 3}, ramp(9)), Error::Ok);
  EXPECT_EQ(memory, times(4, ramp(6)));
  EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(9)));
  // What it took for itself is not taken anew with each buffer that is too small.
  const size_t given = allocator.given;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(method->set_output_data_ptr(memory.data(), 24, 0), Error::Ok);
    ASSERT_EQ(method.run({5, 3}, ramp(15)), Error::Ok);
    EXPECT_EQ(floats(method->get_output(0)), times(4, ramp(15)));
  }
  EXPECT_EQ(allocator.given, given);
}

TEST_F(DynamicMemoryTest, OnlyMarkedTensorsGrow) {
  ProgramBuilder b;
  b.add_string(unbounded_dims({false, false, true, false}));
  const int x = b.add_planned_tensor({2, 3}, 6, kBound);
  const int out = b.add_planned_tensor({2, 3}, 6, kBound);
  b.set_inputs({x});
  b.set_outputs({out});
  b.call_kernel(b.add_operator("test::add"), {x, x, out, out});
  CountingAllocator allocator;
  DynamicMethod method(b, &allocator);
  EXPECT_EQ(method->get_value(1).toTensor().shape_dynamism(), TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(method->get_output(0).toTensor().shape_dynamism(),
            TensorShapeDynamism::DYNAMIC_UNBOUND);
  EXPECT_EQ(method.run({3, 3}, ramp(9)), Error::NotSupported);
  EXPECT_EQ(method.run({2, 3}, ramp(6)), Error::Ok);
}

TEST_F(DynamicMemoryTest, ConstantsAndStaticTensorsStayAsTheyAre) {
  ProgramBuilder b;
  TensorOptions options;
  options.sizes = {4};
  options.shape_dynamism = kUnbound;
  options.data_buffer_idx = b.add_constant_data(std::vector<uint8_t>(16));
  const int constant = b.add_tensor(options);
  const int x = b.add_planned_tensor({4});
  b.add_string(unbounded_dims({true, true}));
  b.set_inputs({x});
  b.set_outputs({constant, x});
  CountingAllocator allocator;
  DynamicMethod method(b, &allocator);
  for (size_t i = 0; i < 2; ++i) {
    const auto* impl = method->get_output(i).toTensor().unsafeGetTensorImpl();
    EXPECT_EQ(internal::DynamicMemory::of(*impl), nullptr);
  }
  EXPECT_EQ(method.run({5}, ramp(5)), Error::NotSupported);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
