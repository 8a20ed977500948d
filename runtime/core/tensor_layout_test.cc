#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/tensor_layout.h>

using executorch::aten::ScalarType;
using executorch::runtime::Error;
using executorch::runtime::Span;
using executorch::runtime::TensorLayout;

namespace {

Error create_error(std::vector<int32_t> sizes, std::vector<uint8_t> dim_order,
                   ScalarType type = ScalarType::Float) {
  return TensorLayout::create(Span<const int32_t>(sizes), Span<const uint8_t>(dim_order), type)
      .error();
}

TEST(TensorLayoutTest, Describes) {
  const std::array<int32_t, 3> sizes = {2, 3, 4};
  const std::array<uint8_t, 3> dim_order = {0, 2, 1};
  auto layout = TensorLayout::create(sizes, dim_order, ScalarType::Half);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 48u);
  EXPECT_EQ(layout->scalar_type(), ScalarType::Half);
  EXPECT_EQ(layout->sizes().size(), 3u);
  EXPECT_EQ(layout->sizes()[2], 4);
  EXPECT_EQ(layout->dim_order()[1], 2);
}

TEST(TensorLayoutTest, Scalars) {
  auto layout = TensorLayout::create({}, {}, ScalarType::Long);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 8u);
}

TEST(TensorLayoutTest, RefusesWhatIsNoTensor) {
  EXPECT_EQ(create_error({2, 3}, {0, 1}), Error::Ok);
  EXPECT_EQ(create_error({2, 3}, {0}), Error::InvalidArgument);
  EXPECT_EQ(create_error({2, 3}, {0, 0}), Error::InvalidArgument);
  EXPECT_EQ(create_error({2, 3}, {1, 2}), Error::InvalidArgument);
  EXPECT_EQ(create_error({2, -3}, {0, 1}), Error::InvalidArgument);
  EXPECT_EQ(create_error({INT32_MAX, INT32_MAX, INT32_MAX}, {0, 1, 2}), Error::InvalidArgument);
  EXPECT_EQ(create_error({2}, {0}, ScalarType::Undefined), Error::InvalidArgument);
  EXPECT_EQ(create_error({2}, {0}, static_cast<ScalarType>(-1)), Error::InvalidArgument);
  EXPECT_EQ(create_error(std::vector<int32_t>(17, 1), std::vector<uint8_t>(17, 0)),
            Error::InvalidArgument);
}

}  // namespace
