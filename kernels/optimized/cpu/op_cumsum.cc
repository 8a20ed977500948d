#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Running sums of contiguous Floats, in double as in eager: of several columns at once, since each
// addition waits for the one before it. Lines are turned into columns a tile at a time.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;
/// Columns that are added up at a time.
constexpr size_t kColumns = 128;
/// A tile of lines, which stays in the first-level cache.
constexpr size_t kLines = 32;
constexpr size_t kLength = 64;

/// At most kLines lines.
void sum_lines(const float* x, size_t lines, size_t length, float* out) {
  float tile[kLength * kLines];
  double sums[kLines] = {};
  const auto stride = static_cast<ptrdiff_t>(length);
  const auto across = static_cast<ptrdiff_t>(lines);
  for (size_t i = 0; i < length; i += kLength) {
    const size_t n = length - i < kLength ? length - i : kLength;
    simd->transpose(x + i, stride, lines, n, tile, across);
    simd->sum_columns_so_far(tile, n, lines, lines, sums, tile);
    simd->transpose(tile, across, n, lines, out + i, stride);
  }
}

void run_lines(const float* x, size_t lines, size_t length, float* out) {
  util::parallel_for(lines, 1 + kGrain / length, [=](size_t begin, size_t end) {
    for (size_t line = begin; line < end; line += kLines) {
      const size_t n = end - line < kLines ? end - line : kLines;
      sum_lines(x + line * length, n, length, out + line * length);
    }
  });
}

bool run_cumsum(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                const optional<ScalarType>& dtype, Tensor& out) {
  const int64_t rank = in.dim();
  if (in.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float ||
      (dtype.has_value() && *dtype != ScalarType::Float) || rank == 0 || dim < -rank ||
      dim >= rank) {
    return false;
  }
  if (!util::resize_like(ctx, in, out)) {
    return true;
  }
  if (in.numel() == 0 || !util::is_contiguous(in) || !util::is_contiguous(out)) {
    return false;
  }
  const size_t at = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  const size_t size = static_cast<size_t>(in.size(static_cast<ssize_t>(at)));
  const size_t inner = util::product(in, at + 1, static_cast<size_t>(rank));
  const size_t outer = static_cast<size_t>(in.numel()) / (size * inner);
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  if (inner == 1) {
    run_lines(x, outer, size, to);
    return true;
  }
  const size_t blocks = (inner + kColumns - 1) / kColumns;
  const size_t work = size * (inner < kColumns ? inner : kColumns);
  util::parallel_for(outer * blocks, 1 + kGrain / work, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i % blocks * kColumns;
      const size_t left = inner - first;
      const size_t offset = i / blocks * size * inner + first;
      double sums[kColumns] = {};
      simd->sum_columns_so_far(x + offset, size, inner, left < kColumns ? left : kColumns, sums,
                               to + offset);
    }
  });
  return true;
}

}  // namespace

Tensor& opt_cumsum_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                       optional<ScalarType> dtype, Tensor& out) {
  return run_cumsum(ctx, in, dim, dtype, out) ? out : cumsum_out(ctx, in, dim, dtype, out);
}

}  // namespace torch::executor::native
