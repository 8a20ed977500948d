#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Reductions and softmax of Floats along neighbouring dimensions in memory: of lines, or of all
// columns of a plane at once.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;
/// Columns that are a unit of work.
constexpr size_t kColumns = 256;

/// A dense tensor seen from the dimensions that are reduced: outer x size x inner.
struct Extent {
  size_t outer = 1;
  size_t size = 1;
  size_t inner = 1;
};

/**
 * The extent of `in`, if the reduced dimensions are neighbours in memory, and `out`, which has the
 * shape that is left, keeps the order of the others.
 * @returns false if not.
 */
bool extent_of(const Tensor& in, const bool* reduced, const Tensor& out, Extent& extent) {
  const bool keepdim = in.dim() == out.dim();
  ptrdiff_t stride = 1;
  size_t stage = 0;  // 0 behind the reduced dimensions, 1 among them, 2 before them
  const auto order = in.dim_order();
  for (size_t k = static_cast<size_t>(in.dim()); k-- > 0;) {
    const size_t d = order[k];
    const size_t size = static_cast<size_t>(in.size(static_cast<ssize_t>(d)));
    if (size == 1) {
      continue;
    }
    if (reduced[d]) {
      if (stage == 2) {
        return false;
      }
      stage = 1;
      extent.size *= size;
      continue;
    }
    stage = stage == 1 ? 2 : stage;
    size_t at = d;
    for (size_t before = 0; before < d && !keepdim; ++before) {
      at -= reduced[before] ? 1 : 0;
    }
    if (out.strides()[at] != stride) {
      return false;
    }
    stride *= static_cast<ptrdiff_t>(size);
    (stage == 0 ? extent.inner : extent.outer) *= size;
  }
  return true;
}

/// Calls `columns(in, rows, stride, n, out)` for blocks of columns and `line(in, n) -> float` where
/// there are none, which reduce one and all of them.
template <typename Columns, typename Line>
bool run_reduction(const Tensor& in, const bool* reduced, const Tensor& out, const Columns& columns,
                   const Line& line) {
  Extent extent;
  // What is left of one number is too little to share.
  if (in.numel() == 0 || !extent_of(in, reduced, out, extent) || extent.outer * extent.inner == 1) {
    return false;
  }
  const float* from = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  if (extent.inner == 1) {
    util::parallel_for(extent.outer, 1 + kGrain / extent.size, [&](size_t begin, size_t end) {
      for (size_t o = begin; o < end; ++o) {
        to[o] = line(from + o * extent.size, extent.size);
      }
    });
    return true;
  }
  const size_t blocks = (extent.inner + kColumns - 1) / kColumns;
  const size_t work = extent.size * (extent.inner < kColumns ? extent.inner : kColumns);
  util::parallel_for(extent.outer * blocks, 1 + kGrain / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i % blocks * kColumns;
      const size_t left = extent.inner - first;
      columns(from + i / blocks * extent.size * extent.inner + first, extent.size, extent.inner,
              left < kColumns ? left : kColumns, to + i / blocks * extent.inner + first);
    }
  });
  return true;
}

bool is_float(const Tensor& in, const Tensor& out) {
  return in.scalar_type() == ScalarType::Float && out.scalar_type() == ScalarType::Float;
}

/// @param mean Whether sums are divided by the number of elements.
/// @returns whether this was for the loops here, or has failed.
bool run_sum(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
             bool keepdim, const optional<ScalarType>& dtype, bool mean, Tensor& out) {
  bool reduced[util::kMaxRank];
  if (!is_float(in, out) || (dtype.has_value() && *dtype != ScalarType::Float)) {
    return false;
  }
  if (!util::reduced_dims(ctx, in, dim, reduced) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    return true;
  }
  const double count = mean && out.numel() > 0 ? static_cast<double>(in.numel() / out.numel()) : 1;
  const float factor = static_cast<float>(1 / count);
  return run_reduction(
      in, reduced, out,
      [=](const float* x, size_t rows, size_t stride, size_t n, float* to) {
        simd->sum_columns(x, rows, stride, n, factor, to);
      },
      [=](const float* x, size_t n) { return static_cast<float>(simd->loops.sum(x, n) / count); });
}

template <bool kLargest>
bool run_extreme(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                 Tensor& out) {
  bool reduced[util::kMaxRank];
  // A dimension of no elements is an error, which the portable kernel describes.
  if (!is_float(in, out) || in.numel() == 0) {
    return false;
  }
  if (!util::reduced_dims(ctx, in, dim, reduced) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    return true;
  }
  return run_reduction(in, reduced, out, kLargest ? simd->largest_columns : simd->smallest_columns,
                       kLargest ? simd->loops.largest : simd->loops.smallest);
}

bool run_softmax(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool half_to_float,
                 bool logarithm, Tensor& out) {
  const int64_t rank = in.dim();
  if (!is_float(in, out) || half_to_float || rank == 0 || dim < -rank || dim >= rank) {
    return false;
  }
  if (!util::resize_like(ctx, in, out)) {
    return true;
  }
  const size_t at = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  const size_t size = static_cast<size_t>(in.size(static_cast<ssize_t>(at)));
  if (in.numel() == 0 || !util::same_layout(in, out) || size == 1) {
    return false;
  }
  // Lines are the portable kernel's own, with this library's loops.
  const size_t inner = static_cast<size_t>(in.strides()[at]);
  if (inner == 1) {
    return false;
  }
  const size_t outer = static_cast<size_t>(in.numel()) / (size * inner);
  const float* from = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  constexpr size_t kStrip = 64;
  const size_t blocks = (inner + kStrip - 1) / kStrip;
  const size_t work = size * (inner < kStrip ? inner : kStrip);
  util::parallel_for(outer * blocks, 1 + kGrain / 2 / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i % blocks * kStrip;
      const size_t left = inner - first;
      const size_t offset = i / blocks * size * inner + first;
      simd->softmax_columns(from + offset, size, inner, left < kStrip ? left : kStrip, logarithm,
                            to + offset);
    }
  });
  return true;
}

}  // namespace

Tensor& opt_sum_dim_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                        bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  return run_sum(ctx, in, dim, keepdim, dtype, false, out)
             ? out
             : sum_dim_out(ctx, in, dim, keepdim, dtype, out);
}

Tensor& opt_mean_dim_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                         bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  return run_sum(ctx, in, dim, keepdim, dtype, true, out)
             ? out
             : mean_dim_out(ctx, in, dim, keepdim, dtype, out);
}

Tensor& opt_amax_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                     Tensor& out) {
  return run_extreme<true>(ctx, in, dim, keepdim, out) ? out : amax_out(ctx, in, dim, keepdim, out);
}

Tensor& opt_amin_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                     Tensor& out) {
  return run_extreme<false>(ctx, in, dim, keepdim, out) ? out
                                                        : amin_out(ctx, in, dim, keepdim, out);
}

Tensor& opt_softmax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                        bool half_to_float, Tensor& out) {
  return run_softmax(ctx, in, dim, half_to_float, false, out)
             ? out
             : softmax_out(ctx, in, dim, half_to_float, out);
}

Tensor& opt_log_softmax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                            bool half_to_float, Tensor& out) {
  return run_softmax(ctx, in, dim, half_to_float, true, out)
             ? out
             : log_softmax_out(ctx, in, dim, half_to_float, out);
}

}  // namespace torch::executor::native
