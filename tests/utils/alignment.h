#pragma once

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

/// Whether `pointer` is a multiple of `alignment`, which is a power of two.
inline bool is_aligned(const void* pointer, size_t alignment) {
  return (reinterpret_cast<uintptr_t>(pointer) & (alignment - 1)) == 0;
}

#define EXPECT_ALIGNED(pointer, alignment)        \
  EXPECT_TRUE(is_aligned((pointer), (alignment))) \
      << static_cast<const void*>(pointer) << " is not aligned to " << (alignment)
#define ASSERT_ALIGNED(pointer, alignment)        \
  ASSERT_TRUE(is_aligned((pointer), (alignment))) \
      << static_cast<const void*>(pointer) << " is not aligned to " << (alignment)
