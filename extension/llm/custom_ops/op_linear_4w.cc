#include <executorch/extension/llm/custom_ops/op_linear_4w.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Columns of a block, and the bytes that a line of it has.
constexpr size_t kColumns = 64;
constexpr size_t kBytes = kColumns / 2;

/// What is taken from a number of four bits.
constexpr int8_t kZero = 8;

/// Rows that are multiplied by lines as they are; more are multiplied by panels of floats, which
/// are made once for all of them.
constexpr size_t kFewRows = 8;

/// Lines whose numbers are bytes at a time: they stay in the nearest cache.
constexpr size_t kLines = 32;

/// Weights that are worth a thread.
constexpr size_t kGrain = 1 << 16;

struct Weight {
  const uint8_t* bytes;
  const float* scales;
  size_t depth;
  size_t groups;
  size_t group;

  const uint8_t* line(size_t block, size_t k) const { return bytes + (block * depth + k) * kBytes; }
  const float* scales_of(size_t block, size_t k) const {
    return scales + (block * groups + k / group) * kColumns;
  }
};

void to_bytes(const uint8_t* from, size_t lines, int8_t* to) {
  for (size_t i = 0; i < lines; ++i) {
    for (size_t j = 0; j < kBytes; ++j) {
      to[j] = static_cast<int8_t>(from[j] & 15);
      to[kBytes + j] = static_cast<int8_t>(from[j] >> 4);
    }
    from += kBytes;
    to += kColumns;
  }
}

/// sums[r][j] += sum over lines i of x[r * stride + i] * (line i [j] - kZero).
void add_lines(const int8_t* lines, size_t count, const float* x, size_t stride, size_t rows,
               float* sums) {
  if (util::float_loops.add_lines != nullptr) {
    constexpr float kOne = 1.0f;
    const util::NumberLines all = {reinterpret_cast<const char*>(lines),
                                   static_cast<ptrdiff_t>(kColumns),
                                   count,
                                   kColumns,
                                   &kOne,
                                   &kZero,
                                   0};
    util::float_loops.add_lines(all, x, stride, rows, sums, kColumns);
    return;
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < count; ++i) {
      const float factor = x[r * stride + i];
      const int8_t* const line = lines + i * kColumns;
      for (size_t j = 0; j < kColumns; ++j) {
        sums[r * kColumns + j] += factor * static_cast<float>(line[j] - kZero);
      }
    }
  }
}

/// A block of columns of a few rows.
void multiply_block(const Weight& weight, size_t block, const float* x, size_t rows,
                    float (*total)[kColumns]) {
  alignas(64) int8_t lines[kLines * kColumns];
  for (size_t k = 0; k < weight.depth; k += weight.group) {
    alignas(64) float sums[kFewRows][kColumns] = {};
    for (size_t done = 0; done < weight.group; done += kLines) {
      const size_t count = weight.group - done < kLines ? weight.group - done : kLines;
      to_bytes(weight.line(block, k + done), count, lines);
      add_lines(lines, count, x + k + done, weight.depth, rows, sums[0]);
    }
    const float* const scales = weight.scales_of(block, k);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t j = 0; j < kColumns; ++j) {
        total[r][j] += sums[r][j] * scales[j];
      }
    }
  }
}

void multiply_few(const Weight& weight, const float* x, size_t rows, size_t columns, float* out) {
  const size_t blocks = (columns + kColumns - 1) / kColumns;
  const size_t grain = 1 + kGrain / (weight.depth * kColumns + 1);
  util::parallel_for(blocks, grain, [&](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      alignas(64) float total[kFewRows][kColumns] = {};
      multiply_block(weight, block, x, rows, total);
      const size_t first = block * kColumns;
      const size_t count = columns - first < kColumns ? columns - first : kColumns;
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
  static_assert(kBytes % kPanel == 0, "a panel lies in one half of the bytes");
  const Weight& weight = *static_cast<const Weight*>(self);
  const size_t block = n / kColumns;
  const size_t first = n % kColumns;
  const size_t place = first % kBytes;
  const unsigned shift = first < kBytes ? 0 : 4;
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

bool check(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
           const Tensor& scales, int64_t columns, const Tensor& out) {
  const auto is_float = [](const Tensor& t) { return t.scalar_type() == ScalarType::Float; };
  if (!util::require(ctx, is_float(input) && is_float(scales) && is_float(out),
                     "input, scales and output must be Float") ||
      !util::require(ctx,
                     weight.scalar_type() == ScalarType::Byte && weight.dim() == 3 &&
                         weight.size(2) == static_cast<ssize_t>(kBytes),
                     "the weight must be Byte, [blocks, k, 32]") ||
      !util::require(ctx, input.dim() >= 1 && input.size(input.dim() - 1) == weight.size(1),
                     "the input must be [..., k]") ||
      !util::require(ctx,
                     scales.dim() == 3 && scales.size(0) == weight.size(0) &&
                         scales.size(2) == static_cast<ssize_t>(kColumns) && scales.size(1) > 0 &&
                         weight.size(1) % scales.size(1) == 0,
                     "the scales must be [blocks, groups, 64], of groups that divide k")) {
    return false;
  }
  const int64_t most = int64_t{weight.size(0)} * static_cast<int64_t>(kColumns);
  return util::require(
             ctx,
             columns >= 0 && columns <= most && most - columns < static_cast<int64_t>(kColumns),
             "there must be as many columns as the blocks have, the last of which may be filled "
             "up") &&
         util::require(ctx,
                       util::is_contiguous(input) && util::is_contiguous(weight) &&
                           util::is_contiguous(scales),
                       "input, weight and scales must be contiguous");
}

}  // namespace

Tensor& linear_4w_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                      const Tensor& scales, int64_t columns, Tensor& out) {
  if (!check(ctx, input, weight, scales, columns, out)) {
    return out;
  }
  util::Shape shape(input);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(columns);
  if (!util::resize(ctx, shape, out) || out.numel() == 0 ||
      !util::require(ctx, util::is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  const size_t n = static_cast<size_t>(columns);
  const size_t k = static_cast<size_t>(weight.size(1));
  const size_t groups = static_cast<size_t>(scales.size(1));
  const size_t m = static_cast<size_t>(out.numel()) / n;
  const Weight right = {weight.const_data_ptr<uint8_t>(), scales.const_data_ptr<float>(), k, groups,
                        k == 0 ? 1 : k / groups};
  const float* const x = input.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  if (m <= kFewRows) {
    multiply_few(right, x, m, n, to);
    return out;
  }
  const util::GemmLeft left = {x, ScalarType::Float, static_cast<ptrdiff_t>(k), 1};
  const util::GemmOut target = {to, ScalarType::Float, static_cast<ptrdiff_t>(n), 1};
  util::gemm(util::Compute::kFloat, m, n, k, left, {&right, pack}, target);
  return out;
}

}  // namespace torch::executor::native
