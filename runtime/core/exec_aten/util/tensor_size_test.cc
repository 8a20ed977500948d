#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>

using executorch::runtime::checked_nbytes;
using executorch::runtime::checked_numel;
using executorch::runtime::Error;
using executorch::runtime::Span;
using executorch::runtime::tensor_shape_to_c_string;
using executorch::runtime::etensor::ScalarType;

namespace {

using Sizes = std::vector<int32_t>;

auto numel(const Sizes& sizes) { return checked_numel(Span<const int32_t>(sizes)); }
std::string text(const Sizes& sizes) { return tensor_shape_to_c_string(sizes).data(); }

TEST(TensorSizeTest, Counts) {
  EXPECT_EQ(*numel({}), 1u);
  EXPECT_EQ(*numel({2, 3, 4}), 24u);
  EXPECT_EQ(*numel({2, 0, 4}), 0u);
  EXPECT_EQ(*checked_nbytes(Sizes{2, 3}, ScalarType::Double), 48u);
  EXPECT_EQ(*checked_nbytes(Sizes{}, ScalarType::Bool), 1u);
}

TEST(TensorSizeTest, RefusesWhatCannotBe) {
  EXPECT_EQ(numel({2, -3}).error(), Error::InvalidArgument);
  EXPECT_EQ(numel({0, INT32_MIN}).error(), Error::InvalidArgument);
  EXPECT_EQ(numel({INT32_MAX, INT32_MAX, 5}).error(), Error::InvalidArgument);
  // Wraps around to 0 in 64 bits.
  EXPECT_EQ(numel({1 << 30, 1 << 30, 1 << 4}).error(), Error::InvalidArgument);
  EXPECT_EQ(checked_nbytes(Sizes{2}, ScalarType::Undefined).error(), Error::InvalidArgument);
  EXPECT_EQ(checked_nbytes(Sizes{2}, static_cast<ScalarType>(77)).error(), Error::InvalidArgument);
}

TEST(TensorSizeTest, ZeroWinsOverOverflow) {
  EXPECT_EQ(*numel({INT32_MAX, INT32_MAX, INT32_MAX, 0}), 0u);
  EXPECT_EQ(*numel({0, INT32_MAX, INT32_MAX, INT32_MAX}), 0u);
}

TEST(TensorSizeTest, BytesMayOverflowWhereElementsDoNot) {
  if (sizeof(size_t) == 8) {
    const Sizes sizes = {INT32_MAX, INT32_MAX};
    EXPECT_TRUE(numel(sizes).ok());
    EXPECT_EQ(*checked_nbytes(sizes, ScalarType::Byte), *numel(sizes));
    EXPECT_EQ(checked_nbytes(sizes, ScalarType::Long).error(), Error::InvalidArgument);
  }
}

TEST(TensorShapeTest, Text) {
  EXPECT_EQ(text({}), "()");
  EXPECT_EQ(text({1}), "(1)");
  EXPECT_EQ(text({1, 20, 300}), "(1, 20, 300)");
  EXPECT_EQ(text({-1}), "(-1)");
  std::string longest = "(";
  for (int i = 0; i < 16; ++i) {
    longest += std::string(i == 0 ? "" : ", ") + "-2147483648";
  }
  EXPECT_EQ(text(Sizes(16, INT32_MIN)), longest + ")");
  EXPECT_NE(text(Sizes(17, 1)).find("ERR"), std::string::npos);
}

}  // namespace
