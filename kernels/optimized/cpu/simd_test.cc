#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/tables_for_tests.h>

namespace {

using namespace torch::executor::native::optimized;
using torch::executor::native::util::FloatProduct;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Compares a loop with the C library's function, special values and every length of the last
/// vector included.
void expect_function(void (*loop)(const float*, size_t, float*), double (*reference)(double),
                     float range, double tolerance) {
  for (size_t n = 0; n < 70; ++n) {
    std::vector<float> x = random_floats(n, -range, range);
    if (n > 8) {
      x[0] = kNan;
      x[1] = kInfinity;
      x[2] = -kInfinity;
      x[3] = 0.0f;
      x[4] = 1e-6f;
    }
    std::vector<float> y(n + 1, 123.0f);
    loop(x.data(), n, y.data());
    EXPECT_EQ(y[n], 123.0f);
    for (size_t i = 0; i < n; ++i) {
      const float expected = static_cast<float>(reference(static_cast<double>(x[i])));
      if (std::isnan(expected) || std::isinf(expected)) {
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(y[i]) : y[i] == expected)
            << x[i] << " gives " << y[i];
      } else {
        EXPECT_NEAR(y[i], expected,
                    tolerance * std::max(1e-4, std::fabs(static_cast<double>(expected))))
            << x[i] << " lanes " << simd->lanes;
      }
    }
  }
}

TEST(SimdTest, FunctionsAreTheLibrarys) {
  for (const SimdLoops* table : tables()) {
    simd = table;
    expect_function(table->loops.exponential, [](double x) { return std::exp(x); }, 87, 1e-6);
    expect_function(table->loops.tanh, [](double x) { return std::tanh(x); }, 12, 1e-6);
    expect_function(
        table->loops.sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 20, 1e-6);
  }
}

TEST(SimdTest, ExpOverflowsAndUnderflows) {
  for (const SimdLoops* table : tables()) {
    const std::vector<float> x = {88.7f, 89.5f, -87.5f, -100.0f, -103.0f, -110.0f};
    std::vector<float> y(x.size());
    table->loops.exponential(x.data(), x.size(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const float expected = std::exp(x[i]);
      EXPECT_TRUE(y[i] == expected || std::fabs(y[i] - expected) <= 2e-6f * expected + 3e-45f)
          << x[i] << " gives " << y[i] << ", expected " << expected;
    }
  }
}

TEST(SimdTest, Extremes) {
  for (const SimdLoops* table : tables()) {
    for (size_t n = 1; n < 100; ++n) {
      std::vector<float> x = random_floats(n, -5, 5);
      EXPECT_EQ(table->loops.largest(x.data(), n), *std::max_element(x.begin(), x.end()));
      EXPECT_EQ(table->loops.smallest(x.data(), n), *std::min_element(x.begin(), x.end()));
      for (const size_t at : {size_t{0}, n / 2, n - 1}) {
        std::vector<float> with = x;
        with[at] = kNan;
        EXPECT_TRUE(std::isnan(table->loops.largest(with.data(), n))) << n << " " << at;
        EXPECT_TRUE(std::isnan(table->loops.smallest(with.data(), n))) << n << " " << at;
      }
    }
  }
}

TEST(SimdTest, SumsOfLines) {
  for (const SimdLoops* table : tables()) {
    for (size_t n = 0; n < 150; ++n) {
      const std::vector<float> x = random_floats(n, -1, 1);
      std::vector<float> e(n);
      double sum = 0;
      double squares = 0;
      double exponentials = 0;
      for (const float v : x) {
        sum += v;
        squares += (v - 0.25) * (v - 0.25);
        exponentials += std::exp(v - 1);
      }
      EXPECT_NEAR(table->loops.sum(x.data(), n), sum, 1e-5);
      EXPECT_NEAR(table->loops.squared_distances(x.data(), n, 0.25f), squares, 1e-4);
      EXPECT_NEAR(table->loops.exp_sum(x.data(), n, 1.0f, e.data()), exponentials, 1e-4);
    }
  }
}

TEST(SimdTest, MovesElements) {
  for (const SimdLoops* table : tables()) {
    for (size_t n = 0; n < 70; ++n) {
      // Just as long as may be read.
      const std::vector<float> x = random_floats(n == 0 ? 0 : 2 * n - 1, -1, 1);
      std::vector<float> y(n + 1, 7.0f);
      table->loops.even(x.data(), n, y.data());
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(y[i], x[2 * i]);
      }
      EXPECT_EQ(y[n], 7.0f);
    }
  }
}

TEST(SimdTest, TransposesAllSizes) {
  for (const SimdLoops* table : tables()) {
    for (const size_t rows : {1, 3, 4, 8, 15, 16, 17, 33, 50}) {
      for (const size_t columns : {1, 2, 5, 8, 16, 18, 31, 48}) {
        // Neither side has more memory than it needs.
        const std::vector<float> x = random_floats((rows - 1) * (columns + 3) + columns, -1, 1);
        std::vector<float> y((columns - 1) * (rows + 1) + rows, 7.0f);
        table->loops.transpose(x.data(), static_cast<ptrdiff_t>(columns + 3), rows, columns,
                               y.data(), static_cast<ptrdiff_t>(rows + 1));
        for (size_t j = 0; j < columns; ++j) {
          for (size_t i = 0; i < rows; ++i) {
            ASSERT_EQ(y[j * (rows + 1) + i], x[i * (columns + 3) + j]) << rows << " x " << columns;
          }
          if (j + 1 < columns) {
            EXPECT_EQ(y[j * (rows + 1) + rows], 7.0f);
          }
        }
      }
    }
  }
}

TEST(SimdTest, AddsFloatsToDoubles) {
  for (const SimdLoops* table : tables()) {
    for (size_t n = 0; n < 70; ++n) {
      const std::vector<float> x = random_floats(n, -1, 1);
      std::vector<double> acc(n + 1, 1e9);
      table->loops.add_floats(acc.data(), x.data(), n);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(acc[i], 1e9 + static_cast<double>(x[i]));
      }
      EXPECT_EQ(acc[n], 1e9);
    }
  }
}

TEST(SimdTest, QuantizesBytes) {
  for (const SimdLoops* table : tables()) {
    for (size_t n = 0; n < 70; ++n) {
      std::vector<float> x = random_floats(n, -40, 40);
      if (n > 4) {
        x[0] = kInfinity;
        x[1] = -kInfinity;
        x[2] = 0.25f;  // between two steps
        x[3] = -0.75f;
      }
      std::vector<uint8_t> q(n + 1, 77);
      table->loops.quantize(x.data(), n, 2.0f, 3.0f, -131.0f, 124.0f, q.data());
      EXPECT_EQ(q[n], 77);
      std::vector<float> back(n + 1, 7.0f);
      table->loops.dequantize(q.data(), n, /*is_signed=*/true, 0.5f, 3.0f, back.data());
      EXPECT_EQ(back[n], 7.0f);
      for (size_t i = 0; i < n; ++i) {
        const float expected = std::nearbyint(std::min(std::max(x[i] * 2, -131.0f), 124.0f)) + 3;
        EXPECT_EQ(static_cast<float>(static_cast<int8_t>(q[i])), expected) << x[i];
        EXPECT_EQ(back[i], (expected - 3) * 0.5f);
      }
      table->loops.dequantize(q.data(), n, /*is_signed=*/false, 0.5f, 3.0f, back.data());
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(back[i], (static_cast<float>(q[i]) - 3) * 0.5f);
      }
    }
  }
}

TEST(SimdTest, LinesWithPadding) {
  for (const SimdLoops* table : tables()) {
    for (size_t step = 1; step < 5; ++step) {
      for (size_t n = 0; n < 70; ++n) {
        PaddedLines p = {};
        p.lines = 3;
        p.step = step;
        p.before = n % 3;
        p.count = n;
        p.after = n % 2;
        p.from_stride = static_cast<ptrdiff_t>(n * step + 1);
        // Just as long as may be read.
        const size_t line = n == 0 ? 0 : (n - 1) * step + 1;
        const std::vector<float> x = random_floats(2 * (n * step + 1) + line, -1, 1);
        const size_t pitch = p.before + n + p.after;
        std::vector<float> y(3 * pitch + 1, 7.0f);
        p.from = x.data();
        p.to = y.data();
        table->pad_lines(p);
        EXPECT_EQ(y[3 * pitch], 7.0f);
        for (size_t i = 0; i < 3 * pitch; ++i) {
          const size_t at = i % pitch;
          const bool inside = at >= p.before && at < p.before + n;
          const float expected =
              inside ? x[i / pitch * (n * step + 1) + (at - p.before) * step] : 0.0f;
          EXPECT_EQ(y[i], expected) << "step " << step << " count " << n << " at " << i;
        }
      }
    }
  }
}

/// One channel with every tap where `d` says, written at once.
void expect_depthwise(const SimdLoops* table, DepthwiseRows d, size_t in_size) {
  // Vectors may read behind the last pixel.
  const std::vector<float> in = random_floats(in_size + table->lanes, -1, 1);
  const std::vector<float> weight = random_floats(d.taps, -1, 1);
  const size_t total = d.rows * static_cast<size_t>(d.out_stride);
  std::vector<float> out(total + 1, 7.0f);
  d.in = in.data();
  d.weight = weight.data();
  d.bias = 0.5f;
  d.out = out.data();
  table->depthwise(d);
  EXPECT_EQ(out[total], 7.0f);
  for (size_t r = 0; r < d.rows; ++r) {
    for (size_t x = 0; x < static_cast<size_t>(d.out_stride); ++x) {
      double sum = 0.5;
      for (size_t t = 0; t < d.taps; ++t) {
        sum += static_cast<double>(weight[t]) *
               in[static_cast<size_t>(d.offset[t]) + r * static_cast<size_t>(d.pitch) + x];
      }
      const double expected = x < d.width ? sum : 7.0;
      EXPECT_NEAR(out[r * static_cast<size_t>(d.out_stride) + x], expected, 1e-5)
          << "width " << d.width << " rows " << d.rows << " taps " << d.taps << " at " << r << ", "
          << x << " lanes " << table->lanes;
    }
  }
}

TEST(SimdTest, DepthwiseRowsOfAllWidths) {
  for (const SimdLoops* table : tables()) {
    for (size_t width = 1; width < 70; ++width) {
      for (const size_t taps : {size_t{9}, size_t{10}, size_t{25}}) {
        for (const bool neighbours : {true, false}) {
          const size_t gap = width % 3;
          DepthwiseRows d = {};
          d.rows = 1 + width % 6;
          d.width = width;
          d.taps = taps;
          const size_t pitch = width + 4;
          d.pitch = static_cast<ptrdiff_t>(pitch);
          d.out_stride = static_cast<ptrdiff_t>(width + gap);
          d.room = gap == 0 ? d.rows * width : 0;
          std::vector<int32_t> offset(taps);
          const size_t side = taps == 25 ? 5 : 3;
          for (size_t t = 0; t < taps; ++t) {
            offset[t] = static_cast<int32_t>(neighbours ? t / side * pitch + t % side : t * 3);
          }
          d.offset = offset.data();
          expect_depthwise(table, d, (d.rows + 5) * pitch + 100);
        }
      }
    }
  }
}

/// A product whose matrices have any of the layouts, with any kind of bias.
void expect_product(size_t m, size_t n, size_t k, bool left_turned, bool right_turned,
                    bool out_turned, int bias) {
  const std::vector<float> a = random_floats(m * k, -1, 1);
  const std::vector<float> b = random_floats(k * n, -1, 1);
  const std::vector<float> c = random_floats(m * n, -1, 1);
  std::vector<float> out(m * n + 1, 99.0f);
  FloatProduct p = {};
  p.m = m;
  p.n = n;
  p.k = k;
  const auto set = [](bool turned, size_t rows, size_t columns, ptrdiff_t& row, ptrdiff_t& column) {
    row = turned ? 1 : static_cast<ptrdiff_t>(columns);
    column = turned ? static_cast<ptrdiff_t>(rows) : 1;
  };
  p.left = a.data();
  p.right = b.data();
  p.out = out.data();
  set(left_turned, m, k, p.left_row_stride, p.left_column_stride);
  set(right_turned, k, n, p.right_row_stride, p.right_column_stride);
  set(out_turned, m, n, p.out_row_stride, p.out_column_stride);
  p.bias = bias == 0 ? nullptr : c.data();
  p.bias_row_stride = bias == 1 ? 1 : bias == 3 ? static_cast<ptrdiff_t>(n) : 0;
  p.bias_column_stride = bias == 2 || bias == 3 ? 1 : 0;
  if (!multiply(p)) {
    EXPECT_TRUE(left_turned || !right_turned) << "a product of contiguous rows";
    EXPECT_EQ(out[0], 99.0f) << "refused, but written";
    return;
  }
  EXPECT_EQ(out[m * n], 99.0f);
  const auto at = [](ptrdiff_t row, size_t i, ptrdiff_t column, size_t j) {
    return static_cast<size_t>(row * static_cast<ptrdiff_t>(i) +
                               column * static_cast<ptrdiff_t>(j));
  };
  double largest = 0;
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double sum = bias == 0 ? 0 : c[at(p.bias_row_stride, i, p.bias_column_stride, j)];
      for (size_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[at(p.left_row_stride, i, p.left_column_stride, l)]) *
               b[at(p.right_row_stride, l, p.right_column_stride, j)];
      }
      largest =
          std::max(largest, std::fabs(sum - out[at(p.out_row_stride, i, p.out_column_stride, j)]));
    }
  }
  EXPECT_LT(largest, 1e-4 + 2e-7 * static_cast<double>(k))
      << m << " x " << k << " x " << n << " turned " << left_turned << right_turned << out_turned
      << " bias " << bias << " lanes " << simd->lanes;
}

TEST(SimdTest, ProductsOfAllLayouts) {
  const size_t sizes[][3] = {{1, 1, 1},      {5, 7, 3},     {8, 48, 16},   {9, 49, 17},
                             {130, 50, 257}, {1, 33, 70},   {33, 1, 70},   {3, 129, 40},
                             {17, 15, 31},   {6, 100, 300}, {12, 9, 2100}, {16, 97, 64},
                             {4, 4, 1000},   {140, 96, 20}, {64, 3, 65}};
  for (const SimdLoops* table : tables()) {
    simd = table;
    for (const auto& size : sizes) {
      for (int layout = 0; layout < 8; ++layout) {
        for (int bias = 0; bias < 4; ++bias) {
          expect_product(size[0], size[1], size[2], (layout & 1) != 0, (layout & 2) != 0,
                         (layout & 4) != 0, bias);
        }
      }
    }
  }
}

}  // namespace
