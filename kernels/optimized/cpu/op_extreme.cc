#include <cmath>
#include <tuple>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// The largest and the smallest elements of contiguous Floats along one dimension or of all of them,
// with their places, products, and norms of order 2.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;
/// Columns that are a unit of work.
constexpr size_t kColumns = 128;

/// A contiguous tensor seen from the dimensions that are reduced: outer x size x inner.
struct Extent {
  size_t outer;
  size_t size;
  size_t inner;
};

/// @param dim Absent for all dimensions. @returns false for what the loops are not for.
bool extent_of(const Tensor& in, const optional<int64_t>& dim, Extent& extent) {
  const int64_t rank = in.dim();
  if (in.scalar_type() != ScalarType::Float || in.numel() == 0 || !util::is_contiguous(in)) {
    return false;
  }
  if (!dim.has_value()) {
    extent = {1, static_cast<size_t>(in.numel()), 1};
    return true;
  }
  if (rank == 0 || *dim < -rank || *dim >= rank) {
    return false;
  }
  const size_t at = static_cast<size_t>(*dim < 0 ? *dim + rank : *dim);
  extent = {util::product(in, 0, at), static_cast<size_t>(in.size(static_cast<ssize_t>(at))),
            util::product(in, at + 1, static_cast<size_t>(rank))};
  return true;
}

/// Resizes `out`. @returns whether it is contiguous, or the kernel has failed.
bool resize_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<int64_t>& dim,
                bool keepdim, Tensor& out) {
  bool reduced[util::kMaxRank];
  for (bool& all : reduced) {
    all = !dim.has_value();
  }
  if (dim.has_value()) {
    reduced[*dim < 0 ? *dim + in.dim() : *dim] = true;
  }
  return !util::resize_reduced(ctx, in, reduced, keepdim, out) || util::is_contiguous(out);
}

/// Calls `line(from, out_index)` for lines, `columns(from, n, out_index)` for parts of planes.
template <typename Line, typename Columns>
void run_extent(const Tensor& in, const Extent& e, const Line& line, const Columns& columns) {
  const float* from = static_cast<const float*>(in.const_data_ptr());
  if (e.inner == 1) {
    util::parallel_for(e.outer, 1 + kGrain / e.size, [&](size_t begin, size_t end) {
      for (size_t o = begin; o < end; ++o) {
        line(from + o * e.size, o);
      }
    });
    return;
  }
  const size_t blocks = (e.inner + kColumns - 1) / kColumns;
  const size_t work = e.size * (e.inner < kColumns ? e.inner : kColumns);
  util::parallel_for(e.outer * blocks, 1 + kGrain / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i % blocks * kColumns;
      const size_t left = e.inner - first;
      columns(from + i / blocks * e.size * e.inner + first, left < kColumns ? left : kColumns,
              i / blocks * e.inner + first);
    }
  });
}

/// @param values May be null.
template <bool kLargest>
bool run_places(KernelRuntimeContext& ctx, const Tensor& in, const optional<int64_t>& dim,
                bool keepdim, Tensor* values, Tensor& indices) {
  Extent e;
  if (!extent_of(in, dim, e) || indices.scalar_type() != ScalarType::Long || e.size > INT32_MAX ||
      (values != nullptr && values->scalar_type() != ScalarType::Float) ||
      !resize_out(ctx, in, dim, keepdim, indices) ||
      (values != nullptr && !resize_out(ctx, in, dim, keepdim, *values))) {
    return false;
  }
  if (ctx.failure_state() != Error::Ok) {
    return true;
  }
  float* best = values == nullptr ? nullptr : static_cast<float*>(values->mutable_data_ptr());
  int64_t* places = static_cast<int64_t*>(indices.mutable_data_ptr());
  run_extent(
      in, e,
      [=](const float* x, size_t at) {
        const float extreme =
            kLargest ? simd->loops.largest(x, e.size) : simd->loops.smallest(x, e.size);
        const size_t place = simd->find(x, e.size, extreme);
        places[at] = static_cast<int64_t>(place);
        if (best != nullptr) {
          best[at] = x[place];
        }
      },
      [=](const float* x, size_t n, size_t at) {
        float value[kColumns];
        int32_t place[kColumns];
        (kLargest ? simd->largest_places : simd->smallest_places)(x, e.size, e.inner, n, value,
                                                                  place);
        for (size_t i = 0; i < n; ++i) {
          places[at + i] = place[i];
          if (best != nullptr) {
            best[at + i] = value[i];
          }
        }
      });
  return true;
}

bool run_prod(KernelRuntimeContext& ctx, const Tensor& in, const optional<int64_t>& dim,
              bool keepdim, const optional<ScalarType>& dtype, Tensor& out) {
  Extent e;
  if (!extent_of(in, dim, e) || out.scalar_type() != ScalarType::Float ||
      (dtype.has_value() && *dtype != ScalarType::Float) ||
      !resize_out(ctx, in, dim, keepdim, out)) {
    return false;
  }
  if (ctx.failure_state() != Error::Ok) {
    return true;
  }
  float* to = static_cast<float*>(out.mutable_data_ptr());
  run_extent(
      in, e, [=](const float* x, size_t at) { to[at] = simd->product(x, e.size); },
      [=](const float* x, size_t n, size_t at) {
        simd->product_columns(x, e.size, e.inner, n, to + at);
      });
  return true;
}

}  // namespace

Tensor& opt_argmax_out(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim,
                       bool keepdim, Tensor& out) {
  return run_places<true>(ctx, in, dim, keepdim, nullptr, out)
             ? out
             : argmax_out(ctx, in, dim, keepdim, out);
}

Tensor& opt_argmin_out(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim,
                       bool keepdim, Tensor& out) {
  return run_places<false>(ctx, in, dim, keepdim, nullptr, out)
             ? out
             : argmin_out(ctx, in, dim, keepdim, out);
}

std::tuple<Tensor&, Tensor&> opt_max_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                         bool keepdim, Tensor& max, Tensor& max_indices) {
  if (run_places<true>(ctx, in, dim, keepdim, &max, max_indices)) {
    return {max, max_indices};
  }
  return max_out(ctx, in, dim, keepdim, max, max_indices);
}

std::tuple<Tensor&, Tensor&> opt_min_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                         bool keepdim, Tensor& min, Tensor& min_indices) {
  if (run_places<false>(ctx, in, dim, keepdim, &min, min_indices)) {
    return {min, min_indices};
  }
  return min_out(ctx, in, dim, keepdim, min, min_indices);
}

Tensor& opt_prod_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim,
                         optional<ScalarType> dtype, Tensor& out) {
  return run_prod(ctx, in, dim, keepdim, dtype, out)
             ? out
             : prod_int_out(ctx, in, dim, keepdim, dtype, out);
}

Tensor& opt_prod_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ScalarType> dtype,
                     Tensor& out) {
  return run_prod(ctx, in, optional<int64_t>(), false, dtype, out) ? out
                                                                   : prod_out(ctx, in, dtype, out);
}

// Only norms of lines of the last dimension, or of everything.
Tensor& opt_linalg_vector_norm_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& ord,
                                   OptionalArrayRef<int64_t> dim, bool keepdim,
                                   optional<ScalarType> dtype, Tensor& out) {
  const bool is_all = !dim.has_value() || dim->size() == 0;
  optional<int64_t> one;
  if (!is_all) {
    one = (*dim)[0];
  }
  Extent e;
  const bool is_euclidean = ord.isIntegral(false) ? ord.to<int64_t>() == 2
                                                  : ord.isFloatingPoint() && ord.to<double>() == 2;
  if (!is_euclidean || (!is_all && dim->size() != 1) || dtype.has_value() ||
      out.scalar_type() != ScalarType::Float || !extent_of(in, one, e) || e.inner != 1 ||
      !resize_out(ctx, in, one, keepdim, out)) {
    return linalg_vector_norm_out(ctx, in, ord, dim, keepdim, dtype, out);
  }
  if (ctx.failure_state() == Error::Ok) {
    float* to = static_cast<float*>(out.mutable_data_ptr());
    run_extent(
        in, e,
        [=](const float* x, size_t at) {
          to[at] = static_cast<float>(std::sqrt(simd->loops.squared_distances(x, e.size, 0)));
        },
        [](const float*, size_t, size_t) {});
  }
  return out;
}

}  // namespace torch::executor::native
