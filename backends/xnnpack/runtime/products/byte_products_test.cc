// Products of floats by weights of eight bits that this processor has, against sums in double
// precision.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <cpuinfo.h>
#include <gtest/gtest.h>

#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/backends/xnnpack/runtime/products/byte_products_x86.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

constexpr float kUntouched = -7777;

struct Shape {
  size_t columns;
  size_t depth;
};

class ByteProductsTest : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    ASSERT_EQ(initialize(), xnn_status_success);
    for (size_t i = 0; i < shape_.columns * shape_.depth; ++i) {
      weights_.push_back(int8_t(random_()));
    }
  }

  static float bias_of(size_t column) { return 0.25F * float(column % 9); }
  static float scale_of(size_t column) { return 0.01F + 0.001F * float(column % 7); }

  /// As XNNPACK packs them, in panels of `nr` columns.
  std::vector<uint8_t> pack(size_t nr) const {
    const size_t panels = (shape_.columns + nr - 1) / nr;
    const size_t panel_bytes = nr * (2 * sizeof(float) + shape_.depth);
    std::vector<uint8_t> packed(panels * panel_bytes);
    for (size_t n = 0; n < shape_.columns; ++n) {
      uint8_t* const panel = packed.data() + n / nr * panel_bytes;
      const float bias = bias_of(n);
      const float scale = scale_of(n);
      std::memcpy(panel + n % nr * sizeof(float), &bias, sizeof(bias));
      for (size_t k = 0; k < shape_.depth; ++k) {
        panel[nr * (sizeof(float) + k) + n % nr] = uint8_t(weights_[n * shape_.depth + k]);
      }
      std::memcpy(panel + nr * (sizeof(float) + shape_.depth) + n % nr * sizeof(float), &scale,
                  sizeof(scale));
    }
    return packed;
  }

  void check(xnn_byte_product_fn product, size_t nr, size_t rows) {
    const size_t stride = shape_.depth + 5;
    std::normal_distribution<float> normal;
    std::vector<float> a(rows * stride);
    for (float& number : a) {
      number = normal(random_);
    }
    const xnn_byte_product_params params = {-30, 40};
    const size_t c_stride = shape_.columns + 3;
    std::vector<float> c(rows * c_stride, kUntouched);
    const std::vector<uint8_t> packed = pack(nr);
    product(rows, shape_.columns, shape_.depth * sizeof(float), a.data(), stride * sizeof(float),
            packed.data(), c.data(), c_stride * sizeof(float), nr * sizeof(float), &params);
    for (size_t m = 0; m < rows; ++m) {
      for (size_t n = 0; n < c_stride; ++n) {
        double want = kUntouched;
        double size = 0;
        if (n < shape_.columns) {
          want = bias_of(n);
          for (size_t k = 0; k < shape_.depth; ++k) {
            const double term = weights_[n * shape_.depth + k] * double(a[m * stride + k]);
            want += term;
            size += std::fabs(term) * scale_of(n);
          }
          want = std::clamp(want * scale_of(n), -30.0, 40.0);
        }
        ASSERT_NEAR(c[m * c_stride + n], want, 1e-6 * (1 + size)) << m << ", " << n;
      }
    }
  }

  const Shape shape_ = GetParam();
  std::mt19937 random_{7};
  std::vector<int8_t> weights_;
};

#if defined(__x86_64__)
bool has_avx512() { return xnn_get_byte_layout().nr == kBytePanel; }
bool has_tiles() { return has_avx512() && xnn_may_use_amx() && cpuinfo_has_x86_amx_bf16(); }
bool has_products_of_bytes() { return has_avx512() && cpuinfo_has_x86_avx512vnni(); }

struct ProductOfRows {
  xnn_byte_product_fn multiply;
  size_t most;
};

/// What this processor has for many rows.
std::vector<ProductOfRows> products_of_rows() {
  std::vector<ProductOfRows> found;
  if (has_tiles()) {
    found.push_back({multiply_byte_rows_amx, kMostByteRowsAmx});
  }
  if (has_products_of_bytes()) {
    found.push_back({multiply_byte_rows_avx512vnni, kMostByteRowsVnni});
  }
  return found;
}
#endif

TEST_P(ByteProductsTest, ProductsAreSums) {
#if defined(__x86_64__)
  if (cpuinfo_has_x86_avx2() && cpuinfo_has_x86_fma3()) {
    check(multiply_byte_row_avx2, kBytePanelAvx2, 1);
  }
  if (has_avx512()) {
    check(multiply_byte_row_avx512, kBytePanel, 1);
  }
  for (const ProductOfRows& product : products_of_rows()) {
    for (const size_t rows : {1, 2, 3, 15, 16, 17, 31, 32}) {
      if (rows <= product.most) {
        check(product.multiply, kBytePanel, rows);
      }
    }
  }
#else
  GTEST_SKIP() << "products are XNNPACK's own";
#endif
}

// Depths that no tile, no four and no part of a row divides, and ones that sums leave registers
// for.
INSTANTIATE_TEST_SUITE_P(Shapes, ByteProductsTest,
                         ::testing::Values(Shape{1, 1}, Shape{16, 3}, Shape{17, 32}, Shape{32, 33},
                                           Shape{40, 64}, Shape{64, 95}, Shape{100, 576},
                                           Shape{33, 257}, Shape{5, 1536}, Shape{32, 511},
                                           Shape{33, 1025}));

#if defined(__x86_64__)
/// Weights of a panel, 1 to 32, of so deep rows, with scales of 1 and no biases.
std::vector<uint8_t> numbered_panel(size_t depth) {
  std::vector<uint8_t> packed(kBytePanel * (8 + depth));
  for (size_t n = 0; n < kBytePanel; ++n) {
    const float one = 1;
    for (size_t k = 0; k < depth; ++k) {
      packed[kBytePanel * (4 + k) + n] = uint8_t(n + 1);
    }
    std::memcpy(packed.data() + kBytePanel * (4 + depth) + n * sizeof(float), &one, sizeof(one));
  }
  return packed;
}
#endif

TEST(ByteProductsOfSpecialNumbersTest, AreThoseOfFloats) {
#if defined(__x86_64__)
  ASSERT_EQ(initialize(), xnn_status_success);
  if (products_of_rows().empty()) {
    GTEST_SKIP() << "this processor has products of single rows only";
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSmallest = std::numeric_limits<float>::min();
  uint32_t payload = 0x7F800001;
  float nan;
  std::memcpy(&nan, &payload, sizeof(nan));
  // A row each: finite, infinite, no number, no number in its lower half, the smallest, zeros.
  constexpr size_t kRows = 6;
  const float a[kRows][2] = {{16777215.0F, 0}, {-kInfinity, 1}, {1, std::nanf("")},
                             {nan, 1},         {kSmallest, 0},  {0, -0.0F}};
  const std::vector<uint8_t> packed = numbered_panel(2);
  const xnn_byte_product_params params = {-kInfinity, kInfinity};
  for (const ProductOfRows& product : products_of_rows()) {
    float c[kRows][kBytePanel];
    product.multiply(kRows, kBytePanel, sizeof(a[0]), a[0], sizeof(a[0]), packed.data(), c[0],
                     sizeof(c[0]), sizeof(c[0]), &params);
    for (size_t n = 0; n < kBytePanel; ++n) {
      EXPECT_FLOAT_EQ(c[0][n], 16777215.0F * float(n + 1));
      EXPECT_EQ(c[1][n], -kInfinity);
      EXPECT_TRUE(std::isnan(c[2][n]));
      EXPECT_TRUE(std::isnan(c[3][n]));
      EXPECT_EQ(c[4][n], kSmallest * float(n + 1));
      EXPECT_EQ(c[5][n], 0);
    }
  }
#else
  GTEST_SKIP() << "products are XNNPACK's own";
#endif
}

// Numbers beside others that are a million times as large are not lost where these are taken away
// again, or have no weight.
TEST(ByteProductsOfSpecialNumbersTest, SmallOnesCountBesideLargeOnes) {
#if defined(__x86_64__)
  ASSERT_EQ(initialize(), xnn_status_success);
  if (products_of_rows().empty()) {
    GTEST_SKIP() << "this processor has products of single rows only";
  }
  constexpr size_t kDepth = 600;
  constexpr size_t kRows = 2;
  std::vector<float> a(kRows * kDepth, 0.001F);
  a[3] = 1000;
  a[4] = -1000;
  a[kDepth + 5] = 1e8F;
  a[kDepth + 6] = 1e4F;
  std::vector<uint8_t> packed = numbered_panel(kDepth);
  // Of the last two.
  std::memset(packed.data() + kBytePanel * (4 + 5), 0, 2 * kBytePanel);
  const xnn_byte_product_params params = {-1e6F, 1e6F};
  for (const ProductOfRows& product : products_of_rows()) {
    float c[kRows][kBytePanel];
    product.multiply(kRows, kBytePanel, kDepth * sizeof(float), a.data(), kDepth * sizeof(float),
                     packed.data(), c[0], sizeof(c[0]), sizeof(c[0]), &params);
    for (size_t n = 0; n < kBytePanel; ++n) {
      const double one = double(n + 1) * 0.001F;
      // A float sum rounds as much beside 1000.
      EXPECT_NEAR(c[0][n], one * (kDepth - 4), 2e-4 * double(n + 1));
      EXPECT_NEAR(c[1][n], one * (kDepth - 2), 2e-6 * one * kDepth);
    }
  }
#else
  GTEST_SKIP() << "products are XNNPACK's own";
#endif
}

TEST(ByteLayoutTest, TakesAsManyRowsAsItsProducts) {
  ASSERT_EQ(initialize(), xnn_status_success);
  const xnn_block_layout layout = xnn_get_byte_layout();
  EXPECT_GT(layout.nr, 0U);
#if defined(__x86_64__)
  if (!products_of_rows().empty()) {
    EXPECT_EQ(layout.mr, has_tiles() ? kMostByteRowsAmx : kMostByteRowsVnni);
  }
#endif
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
