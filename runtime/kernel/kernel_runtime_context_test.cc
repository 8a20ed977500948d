#include <cstdint>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Result;
using executorch::runtime::internal::TensorAccess;

TEST(KernelRuntimeContextTest, RemembersTheLastFailure) {
  KernelRuntimeContext context;
  EXPECT_EQ(context.failure_state(), Error::Ok);
  context.fail(Error::MemoryAllocationFailed);
  EXPECT_EQ(context.failure_state(), Error::MemoryAllocationFailed);
  context.fail(Error::Internal);
  EXPECT_EQ(context.failure_state(), Error::Internal);
  EXPECT_EQ(context.internal_event_tracer(), nullptr);
}

TEST(KernelRuntimeContextTest, WithoutAllocatorThereIsNoTempMemory) {
  KernelRuntimeContext context;
  EXPECT_EQ(context.allocate_temp(4).error(), Error::NotFound);
  EXPECT_EQ(context.failure_state(), Error::Ok) << "allocating does not fail the kernel by itself";
}

TEST(KernelRuntimeContextTest, GivesAlignedTempMemoryUntilItRunsOut) {
  alignas(64) uint8_t memory[128];
  MemoryAllocator allocator(sizeof(memory), memory);
  KernelRuntimeContext context(nullptr, &allocator);
  Result<void*> small = context.allocate_temp(1);
  ASSERT_TRUE(small.ok());
  Result<void*> aligned = context.allocate_temp(16, 64);
  ASSERT_TRUE(aligned.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*aligned) % 64, 0u);
  EXPECT_NE(*small, *aligned);
  EXPECT_EQ(context.allocate_temp(128).error(), Error::MemoryAllocationFailed);
}

TEST(KernelRuntimeContextTest, KnowsWhatMayBeWritten) {
  SizesType size = 1;
  TensorImpl tensors[3] = {TensorImpl(ScalarType::Float, 1, &size),
                           TensorImpl(ScalarType::Float, 1, &size),
                           TensorImpl(ScalarType::Float, 1, &size)};
  uint8_t writable[2] = {0, 0};
  TensorAccess access(&tensors[0], writable, 2);
  access.set_may_write(&tensors[1], true);
  access.set_may_write(&tensors[2], true);  // Not one of the two: ignored.
  const KernelRuntimeContext context(nullptr, nullptr, &access);
  EXPECT_FALSE(context.may_write(Tensor(&tensors[0])));
  EXPECT_TRUE(context.may_write(Tensor(&tensors[1])));
  EXPECT_TRUE(context.may_write(Tensor(&tensors[2]))) << "a tensor of somebody else";
  access.set_may_write(&tensors[1], false);
  EXPECT_FALSE(context.may_write(Tensor(&tensors[1])));
  EXPECT_TRUE(KernelRuntimeContext().may_write(Tensor(&tensors[0])));
}

int checked(KernelRuntimeContext& context, int value) {
  ET_KERNEL_CHECK(context, value > 0, InvalidArgument, -1);
  ET_KERNEL_CHECK_MSG(context, value < 10, NotSupported, -2, "value %d", value);
  ET_KERNEL_CHECK_MSG(context, value != 5, InvalidType, -3, "without arguments");
  return value;
}

TEST(KernelIncludesTest, ChecksFailTheKernelAndReturn) {
  KernelRuntimeContext context;
  EXPECT_EQ(checked(context, 3), 3);
  EXPECT_EQ(context.failure_state(), Error::Ok);
  EXPECT_EQ(checked(context, 0), -1);
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
  EXPECT_EQ(checked(context, 10), -2);
  EXPECT_EQ(context.failure_state(), Error::NotSupported);
  EXPECT_EQ(checked(context, 5), -3);
  EXPECT_EQ(context.failure_state(), Error::InvalidType);
}

TEST(ParallelForTest, WithoutThreadPoolRunsTheWholeRangeOnce) {
  int calls = 0;
  int64_t sum = 0;
  EXPECT_TRUE(executorch::extension::parallel_for(2, 6, 1, [&](int64_t begin, int64_t end) {
    ++calls;
    for (int64_t i = begin; i < end; ++i) {
      sum += i;
    }
  }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(sum, 2 + 3 + 4 + 5);
  EXPECT_EQ(executorch::extension::get_thread_num(), 0);
  EXPECT_EQ(executorch::extension::get_thread_count(), 1);
}

TEST(ParallelForTest, RefusesBadRanges) {
  int calls = 0;
  const auto count = [&](int64_t, int64_t) { ++calls; };
  EXPECT_FALSE(executorch::extension::parallel_for(2, 1, 1, count));
  EXPECT_FALSE(executorch::extension::parallel_for(-1, 1, 1, count));
  EXPECT_FALSE(executorch::extension::parallel_for(0, 1, 0, count));
  EXPECT_TRUE(executorch::extension::parallel_for(3, 3, 1, count));
  EXPECT_EQ(calls, 0);
}

}  // namespace
