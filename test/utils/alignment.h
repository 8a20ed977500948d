#pragma once

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Whether `ptr` is a multiple of `alignment`, which must not be 0.
inline bool is_aligned(const void* ptr, size_t alignment) {
  return reinterpret_cast<uintptr_t>(ptr) % alignment == 0;
}

namespace internal {
inline ::testing::AssertionResult check_aligned(const char* ptr_text, const char* alignment_text,
                                                const void* ptr, size_t alignment) {
  if (is_aligned(ptr, alignment)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << ptr_text << " (" << ptr << ") is not aligned to "
                                       << alignment_text << " (" << alignment << ")";
}
}  // namespace internal

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

#define EXPECT_ALIGNED(ptr, alignment) \
  EXPECT_PRED_FORMAT2(::executorch::runtime::testing::internal::check_aligned, ptr, alignment)
#define ASSERT_ALIGNED(ptr, alignment) \
  ASSERT_PRED_FORMAT2(::executorch::runtime::testing::internal::check_aligned, ptr, alignment)

namespace torch {
namespace executor {
namespace testing {
using ::executorch::runtime::testing::is_aligned;
}  // namespace testing
}  // namespace executor
}  // namespace torch
