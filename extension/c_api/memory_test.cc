// Without memory: the process has an operator new of its own, which fails when a test says so.

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/error.h>

namespace {

constexpr size_t kAny = ~size_t{0};

/// What this thread has allocated and not given back.
thread_local long num_held = 0;

/// How many more allocations of this thread there is memory for.
thread_local size_t num_left = kAny;

/// While it lives, there is memory for so many.
struct MemoryFor {
  explicit MemoryFor(size_t count) { num_left = count; }
  ~MemoryFor() { num_left = kAny; }
};

}  // namespace

void* operator new(size_t size) {
  const bool is_left = num_left != 0;
  num_left -= is_left && num_left != kAny ? 1 : 0;
  void* memory = is_left ? std::malloc(size == 0 ? 1 : size) : nullptr;
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  ++num_held;
  return memory;
}
void operator delete(void* memory) noexcept {
  num_held -= memory != nullptr ? 1 : 0;
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace executorch {
namespace extension {
namespace {

using runtime::Error;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CApiMemoryTest, TheMessageIsNotThatOfTheFailureBefore) {
  const std::string path(200, 'x');  // Longer than what a string has room for in itself.
  executorch_module* module = nullptr;
  ASSERT_NE(executorch_module_load(path.c_str(), nullptr, &module), 0u);
  ASSERT_THAT(executorch_last_message(), HasSubstr(path));
  executorch_error error = 0;
  {
    const MemoryFor nothing(0);
    error = executorch_module_load(path.c_str(), nullptr, &module);
  }
  EXPECT_EQ(error, static_cast<executorch_error>(Error::MemoryAllocationFailed));
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(executorch_last_message(), HasSubstr("no more memory"));
  EXPECT_THAT(executorch_last_message(), Not(HasSubstr(path)));
  // And the other way round.
  EXPECT_NE(executorch_module_load("/no/such/model.pte", nullptr, &module), 0u);
  EXPECT_THAT(executorch_last_message(), HasSubstr("/no/such/model.pte"));
}

// The runtime says what is wrong while it holds what its own returns give back: no exception may
// pass it.
TEST(CApiMemoryTest, WhateverCannotBeAllocatedIsSaid) {
  const testing::TempFile file(std::vector<uint8_t>(256));
  executorch_module* module = nullptr;
  const auto load = [&](size_t count) {
    const MemoryFor some(count);
    return executorch_module_load(file.path().c_str(), nullptr, &module);
  };
  ASSERT_EQ(load(kAny), static_cast<executorch_error>(Error::InvalidProgram));
  const std::string reason = executorch_last_message();
  const long held = num_held;
  size_t count = 0;
  for (; count < 100; ++count) {
    const executorch_error error = load(count);
    ASSERT_EQ(module, nullptr);
    ASSERT_LE(num_held, held) << count;
    EXPECT_TRUE(error == static_cast<executorch_error>(Error::MemoryAllocationFailed) ||
                error == static_cast<executorch_error>(Error::InvalidProgram))
        << count << ": " << executorch_last_message();
    if (executorch_last_message() == reason) {
      break;
    }
  }
  EXPECT_GT(count, 2u);
  EXPECT_EQ(executorch_last_message(), reason);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
