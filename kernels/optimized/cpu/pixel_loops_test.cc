// Loops of resampling, pools, depthwise convolutions and running sums of every instruction set,
// against plain ones.

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/tables_for_tests.h>

namespace {

using namespace torch::executor::native::optimized;

/// Around the widths of vectors and of strips of them.
const size_t kWidths[] = {1, 3, 15, 16, 17, 64, 70, 131};

TEST(PixelLoopsTest, MixesLines) {
  for (const SimdLoops* table : tables()) {
    for (const size_t taps : {2u, 4u, 16u}) {
      for (const size_t n : kWidths) {
        const std::vector<float> x = random_floats(taps * n, -2, 2);
        const std::vector<float> weights = random_floats(taps, -2, 2);
        std::vector<const float*> lines(taps);
        for (size_t k = 0; k < taps; ++k) {
          lines[k] = x.data() + k * n;
        }
        std::vector<float> out(n + 2, 9.0f);
        table->mix_lines(lines.data(), weights.data(), taps, n, out.data() + 1);
        EXPECT_TRUE(out[0] == 9.0f && out[n + 1] == 9.0f);
        for (size_t i = 0; i < n; ++i) {
          double sum = 0;
          for (size_t k = 0; k < taps; ++k) {
            sum += static_cast<double>(lines[k][i]) * static_cast<double>(weights[k]);
          }
          EXPECT_NEAR(out[i + 1], sum, 1e-5);
        }
      }
    }
  }
}

/// Columns that are near each other, and ones that no two vectors hold.
TEST(PixelLoopsTest, MixesColumns) {
  for (const SimdLoops* table : tables()) {
    for (const size_t taps : {2u, 4u}) {
      for (const size_t n : kWidths) {
        for (const double scale : {0.3, 1.0, 5.0}) {
          const size_t length = static_cast<size_t>(static_cast<double>(n) * scale) + taps;
          const std::vector<float> line = random_floats(length, -2, 2);
          const std::vector<float> weight = random_floats(taps * n, -2, 2);
          std::vector<int32_t> index(taps * n);
          for (size_t k = 0; k < taps; ++k) {
            for (size_t i = 0; i < n; ++i) {
              index[k * n + i] =
                  static_cast<int32_t>(static_cast<double>(i) * scale) + static_cast<int32_t>(k);
            }
          }
          std::vector<int32_t> window(n);
          table->find_windows(index.data(), n, taps, n, window.data());
          const ColumnMix mix = {index.data(), weight.data(), n, taps, n, window.data()};
          std::vector<float> out(n + 1, 9.0f);
          table->mix_columns(line.data(), length, mix, out.data());
          EXPECT_EQ(out[n], 9.0f);
          for (size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (size_t k = 0; k < taps; ++k) {
              sum += static_cast<double>(line[static_cast<size_t>(index[k * n + i])]) *
                     static_cast<double>(weight[k * n + i]);
            }
            EXPECT_NEAR(out[i], sum, 1e-5);
          }
        }
      }
    }
  }
}

TEST(PixelLoopsTest, PoolsLines) {
  for (const SimdLoops* table : tables()) {
    for (const size_t n : kWidths) {
      constexpr size_t kCount = 5;
      std::vector<float> x = random_floats(kCount * n, -2, 2);
      x[2 * n] = NAN;
      const float* lines[kCount];
      const int32_t places[kCount] = {3, 4, 10, 11, 12};
      for (size_t k = 0; k < kCount; ++k) {
        lines[k] = x.data() + k * n;
      }
      std::vector<float> average(n);
      std::vector<float> largest(n + 1, 9.0f);
      std::vector<int64_t> index(n + 1, 9);
      table->average_lines(lines, kCount, n, 7.0f, average.data());
      table->largest_lines(lines, places, kCount, n, largest.data(), index.data());
      EXPECT_TRUE(largest[n] == 9.0f && index[n] == 9);
      EXPECT_TRUE(std::isnan(average[0]) && std::isnan(largest[0]) && index[0] == 10);
      for (size_t i = 1; i < n; ++i) {
        double sum = 0;
        size_t best = 0;
        for (size_t k = 0; k < kCount; ++k) {
          sum += static_cast<double>(lines[k][i]);
          best = lines[k][i] > lines[best][i] ? k : best;
        }
        EXPECT_NEAR(average[i], sum / 7, 1e-5);
        EXPECT_EQ(largest[i], lines[best][i]);
        EXPECT_EQ(index[i], places[best]);
      }
    }
  }
}

TEST(PixelLoopsTest, WeighsPixels) {
  for (const SimdLoops* table : tables()) {
    for (const size_t taps : {4u, 9u}) {
      for (const size_t channels : kWidths) {
        constexpr size_t kCount = 3;
        const std::vector<float> x = random_floats(kCount * taps * channels, -2, 2);
        const std::vector<float> weights = random_floats(taps * channels, -2, 2);
        const std::vector<float> bias = random_floats(channels, -2, 2);
        std::vector<const float*> pixels(kCount * taps);
        for (size_t i = 0; i < pixels.size(); ++i) {
          pixels[i] = x.data() + i * channels;
        }
        std::vector<float> out(kCount * channels);
        table->weigh_pixels({pixels.data(), kCount, taps, weights.data(), bias.data(), channels},
                            out.data());
        for (size_t i = 0; i < out.size(); ++i) {
          const size_t c = i % channels;
          double sum = static_cast<double>(bias[c]);
          for (size_t k = 0; k < taps; ++k) {
            sum += static_cast<double>(pixels[i / channels * taps + k][c]) *
                   static_cast<double>(weights[k * channels + c]);
          }
          EXPECT_NEAR(out[i], sum, 1e-5);
        }
      }
    }
  }
}

TEST(PixelLoopsTest, SlidesOverPixels) {
  for (const SimdLoops* table : tables()) {
    for (const size_t channels : kWidths) {
      for (const size_t width : {3u, 4u, 9u}) {
        for (const bool padded : {false, true}) {
          const std::vector<float> x = random_floats(3 * width * channels, -2, 2);
          const std::vector<float> weights = random_floats(9 * channels, -2, 2);
          SlidingPixels pixels = {};
          for (size_t y = 0; y < 3; ++y) {
            pixels.lines[y] = x.data() + y * width * channels;
            pixels.step[y] = y == 1 ? 0 : channels;
          }
          pixels.width = width;
          pixels.padded = padded;
          pixels.weights = weights.data();
          pixels.channels = channels;
          const size_t out_width = padded ? width : width - 2;
          std::vector<float> out(out_width * channels + 1, 9.0f);
          table->slide_pixels(pixels, out.data());
          EXPECT_EQ(out.back(), 9.0f);
          for (size_t i = 0; i < out_width * channels; ++i) {
            const size_t c = i % channels;
            double sum = 0;
            for (size_t tap = 0; tap < 9; ++tap) {
              const size_t at = i / channels + tap % 3 + (padded ? 0 : 1);
              if (at >= 1 && at <= width) {
                sum += static_cast<double>(
                           pixels.lines[tap / 3][(at - 1) * pixels.step[tap / 3] + c]) *
                       static_cast<double>(weights[tap * channels + c]);
              }
            }
            EXPECT_NEAR(out[i], sum, 1e-5);
          }
        }
      }
    }
  }
}

TEST(PixelLoopsTest, SumsSoFar) {
  for (const SimdLoops* table : tables()) {
    for (const size_t n : kWidths) {
      constexpr size_t kRows = 20;
      const size_t stride = n + 1;
      const std::vector<float> x = random_floats(kRows * stride, -2, 2);
      std::vector<float> out(kRows * stride, 9.0f);
      std::vector<double> sums(n, 0.5);
      table->sum_columns_so_far(x.data(), kRows, stride, n, sums.data(), out.data());
      for (size_t i = 0; i < n; ++i) {
        double sum = 0.5;
        for (size_t r = 0; r < kRows; ++r) {
          sum += static_cast<double>(x[r * stride + i]);
          EXPECT_EQ(out[r * stride + i], static_cast<float>(sum));
          EXPECT_EQ(out[r * stride + n], 9.0f);
        }
        EXPECT_EQ(sums[i], sum);
      }
    }
  }
}

}  // namespace
