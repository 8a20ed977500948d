#include <executorch/extension/llm/custom_ops/weight_4w.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native {
namespace {

/// What is taken from a number of four bits.
constexpr int8_t kZero = 8;

/// Rows that are multiplied by lines as they are; more are multiplied by panels of floats, which
/// are made once for all of them.
constexpr size_t kFewRows = 8;

/// Lines whose numbers are bytes at a time: they stay in the nearest cache.
constexpr size_t kLines = 32;

/// Weights that are worth a thread.
constexpr size_t kGrain = 1 << 16;

void to_bytes(const uint8_t* from, size_t lines, int8_t* to) {
  for (size_t i = 0; i < lines; ++i) {
    for (size_t j = 0; j < kBytes4w; ++j) {
      to[j] = static_cast<int8_t>(from[j] & 15);
      to[kBytes4w + j] = static_cast<int8_t>(from[j] >> 4);
    }
    from += kBytes4w;
    to += kColumns4w;
  }
}

/// sums[r][j] += sum over lines i of x[r * stride + i] * (line i [j] - kZero).
void add_lines(const int8_t* lines, size_t count, const float* x, size_t stride, size_t rows,
               float* sums) {
  if (util::float_loops.add_lines != nullptr) {
    constexpr float kOne = 1.0f;
    const util::NumberLines all = {reinterpret_cast<const char*>(lines),
                                   static_cast<ptrdiff_t>(kColumns4w),
                                   count,
                                   kColumns4w,
                                   &kOne,
                                   &kZero,
                                   0};
    util::float_loops.add_lines(all, x, stride, rows, sums, kColumns4w);
    return;
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < count; ++i) {
      const float factor = x[r * stride + i];
      const int8_t* const line = lines + i * kColumns4w;
      for (size_t j = 0; j < kColumns4w; ++j) {
        sums[r * kColumns4w + j] += factor * static_cast<float>(line[j] - kZero);
      }
    }
  }
}

/// A block of columns of a few rows.
void multiply_block(const Weight4w& weight, size_t block, const float* x, size_t rows,
                    float (*total)[kColumns4w]) {
  alignas(64) int8_t lines[kLines * kColumns4w];
  for (size_t k = 0; k < weight.depth; k += weight.group) {
    alignas(64) float sums[kFewRows][kColumns4w] = {};
    for (size_t done = 0; done < weight.group; done += kLines) {
      const size_t count = weight.group - done < kLines ? weight.group - done : kLines;
      to_bytes(weight.line(block, k + done), count, lines);
      add_lines(lines, count, x + k + done, weight.depth, rows, sums[0]);
    }
    const float* const scales = weight.scales_of(block, k);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t j = 0; j < kColumns4w; ++j) {
        total[r][j] += sums[r][j] * scales[j];
      }
    }
  }
}

void multiply_few(const Weight4w& weight, const float* x, size_t rows, size_t columns, float* out) {
  const size_t blocks = (columns + kColumns4w - 1) / kColumns4w;
  const size_t grain = 1 + kGrain / (weight.depth * kColumns4w + 1);
  util::parallel_for(blocks, grain, [&](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      alignas(64) float total[kFewRows][kColumns4w] = {};
      multiply_block(weight, block, x, rows, total);
      const size_t first = block * kColumns4w;
      const size_t count = columns - first < kColumns4w ? columns - first : kColumns4w;
      for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < count; ++j) {
          out[r * columns + first + j] = total[r][j];
        }
      }
    }
  });
}

/// A part of a block as floats; one of `util::GemmRight`.
void pack(const void* self, size_t k, size_t depth, size_t n, size_t columns, void* panel_bytes) {
  (void)columns;  // Blocks are filled up: there is always something to read.
  constexpr size_t kPanel = util::GemmTile<float>::kColumns;
  static_assert(kBytes4w % kPanel == 0, "a panel lies in one half of the bytes");
  const Weight4w& weight = *static_cast<const Weight4w*>(self);
  const size_t block = n / kColumns4w;
  const size_t first = n % kColumns4w;
  const size_t place = first % kBytes4w;
  const unsigned shift = first < kBytes4w ? 0 : 4;
  float* panel = static_cast<float*>(panel_bytes);
  for (size_t i = k; i < k + depth; ++i) {
    const uint8_t* const line = weight.line(block, i) + place;
    const float* const scales = weight.scales_of(block, i) + first;
    for (size_t j = 0; j < kPanel; ++j) {
      const int number = (line[j] >> shift & 15) - kZero;
      panel[j] = static_cast<float>(number) * scales[j];
    }
    panel += kPanel;
  }
}

}  // namespace

void multiply_4w(const Weight4w& weight, const float* x, size_t rows, size_t columns, float* out) {
  if (rows <= kFewRows) {
    multiply_few(weight, x, rows, columns, out);
    return;
  }
  const util::GemmLeft left = {x, ScalarType::Float, static_cast<ptrdiff_t>(weight.depth), 1};
  const util::GemmOut target = {out, ScalarType::Float, static_cast<ptrdiff_t>(columns), 1};
  util::gemm(util::Compute::kFloat, rows, columns, weight.depth, left, {&weight, pack}, target);
}

}  // namespace torch::executor::native
