#include <utility>

#include <gtest/gtest.h>

#include <executorch/runtime/core/freeable_buffer.h>

using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;

namespace {

struct Freed {
  int calls = 0;
  void* data = nullptr;
  uint64_t address = 0;
  size_t size = 0;
};

void on_free(void* context, void* data, size_t size) {
  auto* freed = static_cast<Freed*>(context);
  ++freed->calls;
  freed->data = data;
  freed->size = size;
}

void on_free_address(void* context, uint64_t address, size_t size) {
  auto* freed = static_cast<Freed*>(context);
  ++freed->calls;
  freed->address = address;
  freed->size = size;
}

TEST(FreeableBufferTest, EmptyHasNothingToFree) {
  FreeableBuffer buffer;
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0u);
  buffer.Free();
}

TEST(FreeableBufferTest, FreesOnceOnDestruction) {
  Freed freed;
  int value = 1;
  {
    FreeableBuffer buffer(&value, sizeof(value), on_free, &freed);
    EXPECT_EQ(buffer.data(), &value);
    EXPECT_EQ(*buffer.data_safe(), &value);
    EXPECT_EQ(buffer.data_uint64_type().error(), Error::InvalidType);
    EXPECT_EQ(freed.calls, 0);
  }
  EXPECT_EQ(freed.calls, 1);
  EXPECT_EQ(freed.data, &value);
  EXPECT_EQ(freed.size, sizeof(value));
}

TEST(FreeableBufferTest, FreeIsIdempotent) {
  Freed freed;
  int value = 1;
  FreeableBuffer buffer(&value, sizeof(value), on_free, &freed);
  buffer.Free();
  buffer.Free();
  EXPECT_EQ(freed.calls, 1);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(FreeableBufferTest, MovesWithItsDuty) {
  Freed first_freed;
  Freed second_freed;
  int value = 1;
  {
    FreeableBuffer first(&value, sizeof(value), on_free, &first_freed);
    FreeableBuffer second(std::move(first));
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.data(), &value);
    FreeableBuffer third(&value, sizeof(value), on_free, &second_freed);
    third = std::move(second);
    EXPECT_EQ(second_freed.calls, 1);
    EXPECT_EQ(first_freed.calls, 0);
  }
  EXPECT_EQ(first_freed.calls, 1);
  EXPECT_EQ(second_freed.calls, 1);
}

TEST(FreeableBufferTest, WithoutFreeFunction) {
  const int value = 1;
  FreeableBuffer buffer(&value, sizeof(value), nullptr);
  buffer.Free();
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(FreeableBufferTest, HoldsAForeignAddress) {
  Freed freed;
  {
    FreeableBuffer buffer(uint64_t{0x1234567890}, 16, on_free_address, &freed);
    EXPECT_EQ(*buffer.data_uint64_type(), 0x1234567890u);
    EXPECT_EQ(buffer.data_safe().error(), Error::InvalidType);
    EXPECT_DEATH((void)buffer.data(), "address");
    FreeableBuffer moved(std::move(buffer));
    EXPECT_EQ(*buffer.data_uint64_type(), 0u);
    EXPECT_EQ(buffer.data_safe().error(), Error::InvalidType);
    moved.Free();
    EXPECT_EQ(*moved.data_uint64_type(), 0u);
    EXPECT_EQ(moved.size(), 0u);
  }
  EXPECT_EQ(freed.calls, 1);
  EXPECT_EQ(freed.address, 0x1234567890u);
  EXPECT_EQ(freed.size, 16u);
}

}  // namespace
