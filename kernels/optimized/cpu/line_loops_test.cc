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
using torch::executor::native::util::NumberLines;

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

/// Lines of floats or bytes that do not lie behind each other, and a few rows.
struct FewRows {
  size_t count;
  size_t length;
  size_t rows;
  bool bytes;
  size_t gap = 5;
  std::vector<float> floats;
  std::vector<int8_t> quantized;
  std::vector<float> scales;
  std::vector<int8_t> zero_points;

  FewRows(size_t line_count, size_t line_length, size_t row_count, bool are_bytes)
      : count(line_count), length(line_length), rows(row_count), bytes(are_bytes) {
    // Just as long as may be read.
    const size_t size = (count - 1) * (length + gap) + length;
    floats = random_floats(size, -1, 1);
    for (const float x : floats) {
      quantized.push_back(static_cast<int8_t>(std::lrint(x * 127)));
    }
    scales = random_floats(2 * count, 0.001f, 0.02f);
    for (size_t i = 0; i < 2 * count; ++i) {
      zero_points.push_back(static_cast<int8_t>(static_cast<int>(i * 37 % 256) - 128));
    }
  }

  NumberLines lines() const {
    const size_t size = bytes ? sizeof(int8_t) : sizeof(float);
    return {bytes ? reinterpret_cast<const char*>(quantized.data())
                  : reinterpret_cast<const char*>(floats.data()),
            static_cast<ptrdiff_t>((length + gap) * size),
            count,
            length,
            bytes ? scales.data() : nullptr,
            bytes ? zero_points.data() : nullptr,
            2};
  }

  double number(size_t line, size_t at) const {
    const size_t place = line * (length + gap) + at;
    return bytes
               ? (quantized[place] - zero_points[2 * line]) * static_cast<double>(scales[2 * line])
               : static_cast<double>(floats[place]);
  }
};

void expect_few_rows(const SimdLoops* table, const FewRows& some) {
  const size_t row_stride = some.length + 3;
  const size_t score_stride = some.count + 2;
  const std::vector<float> x = random_floats(some.rows * row_stride, -1, 1);
  std::vector<float> scores(some.rows * score_stride, 7.0f);
  table->loops.multiply_lines(some.lines(), x.data(), row_stride, some.rows, scores.data(),
                              score_stride);
  std::vector<float> sums(some.rows * row_stride, 0.5f);
  table->loops.add_lines(some.lines(), scores.data(), score_stride, some.rows, sums.data(),
                         row_stride);
  for (size_t r = 0; r < some.rows; ++r) {
    for (size_t i = 0; i < score_stride; ++i) {
      double sum = 0;
      for (size_t j = 0; i < some.count && j < some.length; ++j) {
        sum += some.number(i, j) * static_cast<double>(x[r * row_stride + j]);
      }
      ASSERT_NEAR(scores[r * score_stride + i], i < some.count ? sum : 7.0, 2e-5)
          << some.count << " lines of " << some.length << ", row " << r << " of " << some.rows
          << ", bytes " << some.bytes << ", lanes " << table->lanes;
    }
    for (size_t j = 0; j < row_stride; ++j) {
      double sum = 0.5;
      double most = 1;
      for (size_t i = 0; j < some.length && i < some.count; ++i) {
        sum += some.number(i, j) * static_cast<double>(scores[r * score_stride + i]);
        most += std::fabs(some.number(i, j) * static_cast<double>(scores[r * score_stride + i]));
      }
      ASSERT_NEAR(sums[r * row_stride + j], sum, 2e-6 * most)
          << some.count << " lines of " << some.length << ", row " << r << " of " << some.rows
          << ", bytes " << some.bytes << ", lanes " << table->lanes;
    }
  }
}

TEST(LineLoopsTest, FewRowsByManyLines) {
  for (const SimdLoops* table : tables()) {
    for (const size_t count : {1u, 2u, 3u, 4u, 15u, 16u, 17u, 40u}) {
      for (const size_t length : {1u, 7u, 8u, 16u, 20u, 32u, 64u, 72u, 128u, 131u}) {
        for (size_t rows = 1; rows <= 9; ++rows) {
          expect_few_rows(table, FewRows(count, length, rows, /*are_bytes=*/false));
          expect_few_rows(table, FewRows(count, length, rows, /*are_bytes=*/true));
        }
      }
    }
  }
}

}  // namespace
