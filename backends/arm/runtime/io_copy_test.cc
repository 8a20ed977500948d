#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/arm/runtime/io_copy.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

using extension::make_tensor_ptr;
using extension::TensorPtr;
using runtime::Error;

VelaIo io_of(const std::vector<uint32_t>& shape, uint32_t element_size = 1) {
  VelaIo io{{1, 1, 1, 1, 1, 1}, element_size, 0, kScratch, 1};
  for (size_t i = 0; i < shape.size(); ++i) {
    io.shape[kVelaDimensions - shape.size() + i] = shape[i];
    io.elements *= shape[i];
  }
  return io;
}

// Bytes 0 to 23 in the order of memory.
TensorPtr counted(const std::vector<executorch::aten::SizesType>& sizes,
                  const std::vector<executorch::aten::DimOrderType>& order = {}) {
  std::vector<int8_t> data(24);
  std::iota(data.begin(), data.end(), int8_t{0});
  return make_tensor_ptr(sizes, std::move(data), order);
}

std::vector<int> copied(const TensorPtr& tensor, const VelaIo& io) {
  runtime::runtime_init();
  EXPECT_EQ(check_tensor(*tensor, io, "input", 0), Error::Ok);
  std::vector<uint8_t> place(io.bytes());
  copy_in(*tensor, io, place.data());
  // And back, into a tensor of zeros.
  const std::vector<uint8_t> before(
      static_cast<const uint8_t*>(tensor->const_data_ptr()),
      static_cast<const uint8_t*>(tensor->const_data_ptr()) + io.bytes());
  std::fill_n(static_cast<uint8_t*>(tensor->mutable_data_ptr()), io.bytes(), uint8_t{0});
  copy_out(*tensor, io, place.data());
  EXPECT_EQ(
      std::vector<uint8_t>(static_cast<const uint8_t*>(tensor->const_data_ptr()),
                           static_cast<const uint8_t*>(tensor->const_data_ptr()) + io.bytes()),
      before);
  return {place.begin(), place.end()};
}

std::vector<int> sequence() {
  std::vector<int> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Element (c, y, x) of [1, 2, 3, 4] in the order y, x, c.
std::vector<int> channels_last() {
  std::vector<int> numbers;
  for (int pixel = 0; pixel < 12; ++pixel) {
    numbers.push_back(pixel);
    numbers.push_back(12 + pixel);
  }
  return numbers;
}

TEST(IoCopyTest, TheSameShapeIsCopiedAsItIs) {
  EXPECT_EQ(copied(counted({1, 2, 3, 4}), io_of({2, 3, 4})), sequence());
  EXPECT_EQ(copied(counted({2, 1, 3, 4}), io_of({1, 2, 3, 4, 1})), sequence());
  EXPECT_EQ(copied(counted({24}), io_of({4, 6})), sequence()) << "reshaped by Vela";
}

TEST(IoCopyTest, BlobsWithChannelsLast) {
  EXPECT_EQ(copied(counted({1, 2, 3, 4}), io_of({3, 4, 2})), channels_last());
  EXPECT_EQ(copied(counted({1, 2, 3, 4}, {0, 2, 3, 1}), io_of({3, 4, 2})), sequence());
}

TEST(IoCopyTest, TensorsWithChannelsLast) {
  std::vector<int> expected;
  for (int channel = 0; channel < 2; ++channel) {
    for (int pixel = 0; pixel < 12; ++pixel) {
      expected.push_back(2 * pixel + channel);
    }
  }
  EXPECT_EQ(copied(counted({1, 2, 3, 4}, {0, 2, 3, 1}), io_of({2, 3, 4})), expected);
}

TEST(IoCopyTest, SizesThatFitBothOrdersAreInTheOrderOfMemory) {
  EXPECT_EQ(copied(counted({1, 24, 1, 1}, {0, 2, 3, 1}), io_of({24})), sequence());
  EXPECT_EQ(copied(counted({6, 2, 2, 1}, {0, 2, 3, 1}), io_of({6, 2, 2})), sequence());
  EXPECT_EQ(copied(counted({6, 2, 2, 1}), io_of({6, 2, 2})), sequence());
}

TEST(IoCopyTest, WhatDoesNotFitIsRefused) {
  runtime::runtime_init();
  EXPECT_EQ(check_tensor(*counted({24}), io_of({23}), "input", 0), Error::InvalidArgument);
  EXPECT_EQ(check_tensor(*counted({24}), io_of({6}, 4), "output", 0), Error::InvalidArgument);
  EXPECT_EQ(check_tensor(*counted({24}), io_of({24}, 2), "output", 0), Error::InvalidArgument);
}

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch
