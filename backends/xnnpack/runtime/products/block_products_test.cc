// Packing by blocks of four bits against XNNPACK's own function, byte by byte, and the products
// that this processor has against sums in double precision over the numbers that the weights stand
// for.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/products/block_packing.h>
#include <executorch/backends/xnnpack/runtime/products/block_products_x86.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

constexpr size_t kKr = 8;
constexpr float kUntouched = -7777;

struct Shape {
  size_t columns;
  size_t block;
  size_t blocks;
  /// Columns of a panel.
  size_t nr = kBlockPanel;

  size_t depth() const { return block * blocks; }
  size_t panels() const { return (columns + nr - 1) / nr; }
  size_t block_bytes() const { return nr * (block / 2 + 2); }
  size_t panel_bytes() const { return nr * 8 + blocks * block_bytes(); }
};

float float_of(uint16_t bfloat16) {
  const uint32_t bits = uint32_t{bfloat16} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

class BlocksTest : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    ASSERT_EQ(initialize(), xnn_status_success);
    weights_.resize(shape_.columns * shape_.depth() / 2);
    for (uint8_t& byte : weights_) {
      byte = uint8_t(random_());
    }
    scales_.resize(shape_.columns * shape_.blocks);
    for (uint16_t& scale : scales_) {
      scale = uint16_t(0x3C00 + random_() % 512);
    }
  }

  std::vector<uint8_t> pack(xnn_block_packing_fn packing, size_t kr) const {
    // As XNNPACK calls it: the input's zero point is unknown, so sums are of 1.
    const struct {
      int8_t input_zero_point;
      uint8_t kernel_zero_point;
    } params = {1, 8};
    std::vector<uint8_t> packed(shape_.panels() * shape_.panel_bytes());
    packing(1, shape_.columns, shape_.depth(), shape_.nr, kr, 1, shape_.block, weights_.data(),
            nullptr, scales_.data(), packed.data(), shape_.nr * 2, shape_.nr * 4, &params);
    return packed;
  }

  /// Packed weights with all that XNNPACK adds to them.
  std::vector<uint8_t> pack_whole() const {
    std::vector<uint8_t> packed = pack(pack_blocks, kKr);
    for (size_t n = 0; n < shape_.columns; ++n) {
      uint8_t* const panel = packed.data() + n / shape_.nr * shape_.panel_bytes();
      uint8_t* block = panel + shape_.nr * sizeof(float);
      for (size_t i = 0; i < shape_.blocks; ++i, block += shape_.block_bytes()) {
        // A sixteenth: four less in the exponent.
        const auto scale = uint16_t(scales_[n * shape_.blocks + i] - (4 << 7));
        std::memcpy(block + shape_.nr * shape_.block / 2 + n % shape_.nr * 2, &scale,
                    sizeof(scale));
      }
      const float bias = bias_of(n);
      std::memcpy(block + n % shape_.nr * sizeof(float), &bias, sizeof(bias));
    }
    return packed;
  }

  static float bias_of(size_t column) { return 0.25F * float(column % 9); }

  double weight(size_t column, size_t k) const {
    const size_t index = column * shape_.depth() + k;
    const int half = weights_[index / 2] >> (index % 2 * 4) & 15;
    return (half - 8) * double(float_of(scales_[column * shape_.blocks + k / shape_.block]));
  }

  void check(xnn_block_product_fn product, size_t rows) {
    const size_t depth = shape_.depth();
    const size_t stride = depth + 5;
    std::vector<int8_t> a(rows * stride);
    for (int8_t& number : a) {
      number = int8_t(random_());
    }
    std::vector<xnn_row_quantization> quantization(rows);
    for (xnn_row_quantization& row : quantization) {
      row = {int32_t(random_() % 256) - 128, 0.01F + 0.001F * float(random_() % 9)};
    }
    const xnn_block_product_params params = {-300, 400, shape_.block};
    const size_t c_stride = shape_.columns + 3;
    std::vector<float> c(rows * c_stride, kUntouched);
    const std::vector<uint8_t> packed = pack_whole();
    product(rows, shape_.columns, depth, a.data(), stride, packed.data(), c.data(),
            c_stride * sizeof(float), shape_.nr * sizeof(float), &params, quantization.data());
    for (size_t m = 0; m < rows; ++m) {
      for (size_t n = 0; n < c_stride; ++n) {
        double want = kUntouched;
        double size = 0;
        if (n < shape_.columns) {
          want = 0;
          for (size_t k = 0; k < depth; ++k) {
            const double term = weight(n, k) * (a[m * stride + k] - quantization[m].zero_point);
            want += term;
            size += std::fabs(term) * quantization[m].inv_scale;
          }
          want = std::clamp(want * quantization[m].inv_scale + bias_of(n), -300.0, 400.0);
        }
        ASSERT_NEAR(c[m * c_stride + n], want, 1e-6 * size) << m << ", " << n;
      }
    }
  }

  const Shape shape_ = GetParam();
  std::mt19937 random_{7};
  std::vector<uint8_t> weights_;
  std::vector<uint16_t> scales_;
};

TEST_P(BlocksTest, PacksAsXnnpackDoes) {
  EXPECT_EQ(pack(pack_blocks, kKr), pack(xnn_reference_block_packing, kKr));
}

TEST_P(BlocksTest, LeavesOtherLayoutsToXnnpack) {
  EXPECT_EQ(pack(pack_blocks, 4), pack(xnn_reference_block_packing, 4));
}

TEST_P(BlocksTest, ProductsAreSums) {
#if defined(__x86_64__)
  const size_t nr = xnn_get_block_layout().nr;
  if (shape_.nr == kBlockPanelAvx2 && nr >= kBlockPanelAvx2) {
    for (const size_t rows : {1, 2, 7, 11, 12}) {
      check(multiply_rows_avx2, rows);
    }
    return;
  }
  if (shape_.nr != nr) {
    GTEST_SKIP() << "this processor has no products for panels of " << shape_.nr;
  }
  check(multiply_row_avx512vnni, 1);
  for (const size_t rows : {1, 2, 7, 15, 16}) {
    check(multiply_rows_avx512vnni, rows);
  }
  for (const size_t rows : {1, 2, 15, 16, 17, 31, 32}) {
    if (xnn_may_use_amx()) {
      check(multiply_rows_amx, rows);
    }
  }
#else
  GTEST_SKIP() << "products are XNNPACK's own";
#endif
}

// The last is deeper than the sums of rows that have a place.
INSTANTIATE_TEST_SUITE_P(Shapes, BlocksTest,
                         ::testing::Values(Shape{1, 32, 1}, Shape{16, 32, 3}, Shape{17, 64, 2},
                                           Shape{40, 32, 18}, Shape{33, 96, 5}, Shape{5, 256, 9},
                                           Shape{3, 32, 600}, Shape{1, 32, 1, 8},
                                           Shape{17, 64, 3, 8}, Shape{24, 32, 18, 8},
                                           Shape{5, 96, 4, 8}, Shape{3, 32, 600, 8}));

TEST(BlockLayoutTest, TakesAsManyRowsAsItsProducts) {
  ASSERT_EQ(initialize(), xnn_status_success);
  const xnn_block_layout layout = xnn_get_block_layout();
  EXPECT_GT(layout.nr, 0U);
  if (layout.nr == kBlockPanelAvx2 && layout.kr == kKr) {
    EXPECT_EQ(layout.mr, kMostRowsAvx2);
  }
  if (layout.nr == kBlockPanel && layout.kr == kKr) {
    EXPECT_EQ(layout.mr, xnn_may_use_amx() ? kMostRowsAmx : kMostRowsAvx512vnni);
  }
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
