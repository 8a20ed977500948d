/**
 * @file
 * Largest and smallest elements, and where they are. NaN counts as more extreme than any number.
 */
#pragma once

#include <limits>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// Orders for `reduce_extremum` and `arg_extremum`.
struct Largest {
  template <typename A>
  static A init() {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  template <typename A>
  static A combine(A a, A b) {
    return nan_max(a, b);
  }
  template <typename A>
  static bool better(A a, A than) {
    return a > than;
  }
};
struct Smallest {
  template <typename A>
  static A init() {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::max();
  }
  template <typename A>
  static A combine(A a, A b) {
    return nan_min(a, b);
  }
  template <typename A>
  static bool better(A a, A than) {
    return a < than;
  }
};

/// Folds floats, with the loop of another library if there is one.
template <typename Op, float (*FloatLoops::*kLoop)(const float*, size_t)>
void fold_floats(void* acc, const void* x, size_t n) {
  if (float_loops.*kLoop == nullptr || n == 0) {
    return ReduceLoops<Op, float, float>::horizontal(acc, x, n);
  }
  float& best = *static_cast<float*>(acc);
  best = Op::combine(best, (float_loops.*kLoop)(static_cast<const float*>(x), n));
}

template <typename Op>
constexpr Reducer float_extremum() {
  Reducer reducer = ReduceLoops<Op, float, float>::make();
  reducer.horizontal = std::is_same_v<Op, Largest> ? fold_floats<Op, &FloatLoops::largest>
                                                   : fold_floats<Op, &FloatLoops::smallest>;
  return reducer;
}

template <typename Op>
inline constexpr Reducers kExtremum = {{{},
                                        ReduceLoops<Op, int64_t, int64_t>::make(),
                                        float_extremum<Op>(),
                                        ReduceLoops<Op, double, double>::make()}};

/// Writes the extreme values over `dim` (all dimensions if empty) to `out`, and returns it.
template <typename Op>
Tensor& reduce_extremum(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                        Tensor& out) {
  bool reduced[kMaxRank];
  if (!require_real(ctx, in) || !require_storable(ctx, in.scalar_type(), out) ||
      !reduced_dims(ctx, in, dim, reduced) || !resize_reduced(ctx, in, reduced, keepdim, out)) {
    return out;
  }
  const ReductionPlan plan = plan_reduction(in, reduced, keepdim, out);
  if (require(ctx, plan.reduced_count() > 0 || plan.kept_count() == 0,
              "an extremum of no elements is not defined")) {
    reduce(in, plan, kExtremum<Op>.of[static_cast<size_t>(arithmetic_compute(in.scalar_type()))],
           out);
  }
  return out;
}

/// The first extreme element of a sequence that is scanned piece by piece.
template <typename Op, typename C>
struct Best {
  C value = 0;
  int64_t index = -1;

  /// Scans elements that are `stride` apart; `first` is the index of the first one.
  void scan(ScalarType dtype, const char* from, ptrdiff_t stride, size_t element_size, size_t count,
            int64_t first) {
    constexpr size_t kMost = kChunkBytes / sizeof(C);
    C buffer[kMost];
    const ptrdiff_t bytes = stride * static_cast<ptrdiff_t>(element_size);
    for (size_t done = 0; done < count;) {
      const size_t n = count - done < kMost ? count - done : kMost;
      load(ComputeOf<C>::value, dtype, from + static_cast<ptrdiff_t>(done) * bytes, stride, n,
           buffer);
      for (size_t i = 0; i < n; ++i) {
        if (index < 0 || Op::better(buffer[i], value) || (is_nan(buffer[i]) && !is_nan(value))) {
          value = buffer[i];
          index = first + static_cast<int64_t>(done + i);
        }
      }
      done += n;
    }
  }
};

/// Scans all elements in index order, whatever the order in memory.
template <typename Op, typename C>
int64_t flat_arg(const Tensor& in) {
  Best<Op, C> best;
  const View view(in);
  const size_t size = view.element_size;
  if (is_contiguous(in)) {
    best.scan(view.dtype, view.data, 1, size, static_cast<size_t>(in.numel()), 0);
    return best.index;
  }
  const size_t last = view.rank - 1;
  size_t index[kMaxRank] = {};
  const char* line = view.data;
  for (int64_t first = 0; first < in.numel(); first += static_cast<int64_t>(view.size[last])) {
    best.scan(view.dtype, line, view.stride[last], size, view.size[last], first);
    for (size_t d = last; d-- > 0;) {
      const ptrdiff_t step = view.stride[d] * static_cast<ptrdiff_t>(size);
      line += step;
      if (++index[d] < view.size[d]) {
        break;
      }
      line -= step * static_cast<ptrdiff_t>(view.size[d]);
      index[d] = 0;
    }
  }
  return best.index;
}

/// Scans along `dim` for each index of the other dimensions.
template <typename Op, typename C>
void arg_along(const Tensor& in, size_t dim, bool keepdim, Tensor* values, Tensor& indices) {
  bool reduced[kMaxRank] = {};
  reduced[dim] = true;
  // Both plans visit the input in the same order, although their outputs may be laid out
  // differently.
  const ReductionPlan plan = plan_reduction(in, reduced, keepdim, indices);
  const ReductionPlan value_plan =
      plan_reduction(in, reduced, keepdim, values != nullptr ? *values : indices);
  Odometer kept(plan.kept, plan.kept_rank);
  Odometer kept_values(value_plan.kept, value_plan.kept_rank);
  const View view(in);
  const size_t size = view.rank == 0 ? 1 : view.size[dim];
  const ptrdiff_t stride = view.rank == 0 ? 1 : view.stride[dim];
  do {
    Best<Op, C> best;
    best.scan(view.dtype, view.data + kept.in() * static_cast<ptrdiff_t>(view.element_size), stride,
              view.element_size, size, 0);
    static_cast<int64_t*>(indices.mutable_data_ptr())[kept.out()] = best.index;
    if (values != nullptr) {
      store(ComputeOf<C>::value, values->scalar_type(), &best.value, 1,
            static_cast<char*>(values->mutable_data_ptr()) +
                kept_values.out() * static_cast<ptrdiff_t>(values->element_size()));
    }
    kept_values.next();
  } while (kept.next());
}

/// Calculates in compute type C what `arg_extremum` says.
template <typename Op, typename C>
void arg_extremum_in(const Tensor& in, const optional<int64_t>& dim, bool keepdim, Tensor* values,
                     Tensor& indices) {
  if (dim.has_value()) {
    arg_along<Op, C>(in, static_cast<size_t>(*dim), keepdim, values, indices);
  } else {
    *static_cast<int64_t*>(indices.mutable_data_ptr()) = flat_arg<Op, C>(in);
  }
}

/**
 * Writes the index of the first extreme element along `dim`, or among all elements in index order.
 * @param values If not null, takes the elements too.
 * @param indices Of dtype Long.
 */
template <typename Op>
void arg_extremum(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim, bool keepdim,
                  Tensor* values, Tensor& indices) {
  const size_t rank = static_cast<size_t>(in.dim());
  bool reduced[kMaxRank];
  for (size_t d = 0; d < rank; ++d) {
    reduced[d] = !dim.has_value();
  }
  if (dim.has_value()) {
    int64_t wrapped = *dim;
    if (!wrap_dim(ctx, wrapped, rank)) {
      return;
    }
    dim = wrapped;
    reduced[wrapped] = true;
  }
  if (!require_real(ctx, in) ||
      !require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !resize_reduced(ctx, in, reduced, keepdim, indices) ||
      (values != nullptr && !resize_reduced(ctx, in, reduced, keepdim, *values))) {
    return;
  }
  const bool scans_none = dim.has_value() && rank > 0 ? in.size(*dim) == 0 : in.numel() == 0;
  if (!require(ctx, !scans_none, "an extremum of no elements is not defined") ||
      indices.numel() == 0) {
    return;
  }
  switch (arithmetic_compute(in.scalar_type())) {
    case Compute::kFloat:
      return arg_extremum_in<Op, float>(in, dim, keepdim, values, indices);
    case Compute::kDouble:
      return arg_extremum_in<Op, double>(in, dim, keepdim, values, indices);
    default:
      return arg_extremum_in<Op, int64_t>(in, dim, keepdim, values, indices);
  }
}

}  // namespace torch::executor::native::util
