// Loops that copy lines and search them, for every table that this machine can run.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/tables_for_tests.h>

namespace {

using namespace torch::executor::native::optimized;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Lines of every short length, with gaps between them that stay as they are.
TEST(LineLoopsTest, CopiesForwardsBackwardsAndOneElement) {
  constexpr size_t kLines = 3;
  for (const SimdLoops* table : tables()) {
    for (const size_t size : {1u, 2u, 4u, 8u}) {
      for (size_t length = 1; length < 300; length += length < 70 ? 1 : 31) {
        const size_t bytes = length * size;
        std::vector<uint8_t> from(kLines * (bytes + 8));
        for (size_t i = 0; i < from.size(); ++i) {
          from[i] = static_cast<uint8_t>(i * 31 + i / 7);
        }
        for (const int step : {-1, 0, 1}) {
          const ptrdiff_t apart = static_cast<ptrdiff_t>(bytes + 8);
          std::vector<uint8_t> to(kLines * (bytes + 8), 99);
          const uint8_t* first = from.data() + (step < 0 ? bytes - size : 0);
          table->loops.copy_lines(
              {reinterpret_cast<const char*>(first), apart, step * static_cast<ptrdiff_t>(size),
               reinterpret_cast<char*>(to.data()), apart, size, length, kLines});
          for (size_t line = 0; line < kLines; ++line) {
            const uint8_t* source = from.data() + line * (bytes + 8);
            const uint8_t* copy = to.data() + line * (bytes + 8);
            for (size_t i = 0; i < length; ++i) {
              const size_t at = step < 0 ? length - 1 - i : step == 0 ? 0 : i;
              ASSERT_EQ(std::memcmp(copy + i * size, source + at * size, size), 0)
                  << size << " bytes, length " << length << ", step " << step << ", at " << i;
            }
            ASSERT_EQ(copy[bytes], 99);
          }
        }
      }
    }
  }
}

TEST(LineLoopsTest, FindsTheFirst) {
  for (const SimdLoops* table : tables()) {
    for (const size_t n : {1u, 15u, 16u, 130u, 1000u}) {
      for (size_t place = 0; place < n; place += 1 + n / 13) {
        std::vector<float> x = random_floats(n, 0, 1);
        x[place] = 2.0f;
        x[n - 1] = 2.0f;
        EXPECT_EQ(table->find(x.data(), n, 2.0f), place);
        x[place] = kNan;
        EXPECT_EQ(table->find(x.data(), n, kNan), place);
        x[place] = -0.0f;
        EXPECT_EQ(table->find(x.data(), n, 0.0f), place);
      }
    }
  }
}

TEST(LineLoopsTest, PlacesInColumns) {
  constexpr size_t kRows = 30;
  for (const SimdLoops* table : tables()) {
    for (const size_t n : {1u, 7u, 16u, 64u, 130u}) {
      const size_t stride = n + 3;
      std::vector<float> x(kRows * stride);
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i * 7 % 11);  // many are equal
      }
      x[4 * stride] = kNan;
      x[9 * stride] = kNan;
      std::vector<float> best(n + 1, 123.0f);
      std::vector<int32_t> place(n + 1, 123);
      table->smallest_places(x.data(), kRows, stride, n, best.data(), place.data());
      EXPECT_EQ(place[0], 4);
      EXPECT_TRUE(std::isnan(best[0]));
      table->largest_places(x.data(), kRows, stride, n, best.data(), place.data());
      EXPECT_EQ(place[0], 4);
      EXPECT_EQ(best[n], 123.0f);
      EXPECT_EQ(place[n], 123);
      for (size_t i = 1; i < n; ++i) {
        size_t expected = 0;
        for (size_t r = 1; r < kRows; ++r) {
          expected = x[r * stride + i] > x[expected * stride + i] ? r : expected;
        }
        EXPECT_EQ(place[i], static_cast<int32_t>(expected));
        EXPECT_EQ(best[i], x[expected * stride + i]);
      }
    }
  }
}

TEST(LineLoopsTest, Products) {
  for (const SimdLoops* table : tables()) {
    for (const size_t n : {1u, 7u, 16u, 33u, 128u, 300u}) {
      constexpr size_t kRows = 40;
      const std::vector<float> x = random_floats(kRows * n, 0.9f, 1.1f);
      double all = 1;
      for (size_t i = 0; i < n; ++i) {
        all *= x[i];
      }
      EXPECT_NEAR(table->product(x.data(), n) / all, 1, 1e-5);
      std::vector<float> columns(n + 1, 123.0f);
      table->product_columns(x.data(), kRows, n, n, columns.data());
      EXPECT_EQ(columns[n], 123.0f);
      for (size_t i = 0; i < n; ++i) {
        double column = 1;
        for (size_t r = 0; r < kRows; ++r) {
          column *= x[r * n + i];
        }
        EXPECT_NEAR(columns[i] / column, 1, 1e-5);
      }
    }
  }
}

}  // namespace
