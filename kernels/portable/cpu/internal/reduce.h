/**
 * @file
 * Reductions over any set of dimensions, in any dim order.
 *
 * An operator supplies loops for each compute type. The driver walks the input along its memory:
 * runs of reduced elements are folded "horizontally" into one result, runs of kept elements
 * "vertically" into as many results side by side.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/// The dimensions of a reduction's input, in two groups; in each one, 0 has the smallest stride.
struct ReductionPlan {
  struct Dim {
    size_t size;
    ptrdiff_t in;   // stride in the input, elements
    ptrdiff_t out;  // stride in the output, elements; 0 for reduced dimensions
  };
  Dim kept[kMaxRank];
  Dim reduced[kMaxRank];
  size_t kept_rank = 0;
  size_t reduced_rank = 0;

  /// Elements that are folded into one.
  size_t reduced_count() const;
  /// Number of results.
  size_t kept_count() const;
};

/// Steps through all index tuples of a group of dimensions, from dimension `first` on.
class Odometer {
 public:
  Odometer(const ReductionPlan::Dim* dims, size_t rank, size_t first = 0)
      : dims_(dims), rank_(rank), first_(first) {}

  /// Goes to the next tuple. @returns false after the last one, then at the first one again.
  bool next();

  ptrdiff_t in() const { return in_; }
  ptrdiff_t out() const { return out_; }

 private:
  const ReductionPlan::Dim* dims_;
  size_t rank_;
  size_t first_;
  ptrdiff_t in_ = 0;
  ptrdiff_t out_ = 0;
  size_t index_[kMaxRank] = {};
};

/**
 * Reads the `dim` argument of a reduction: which dimensions are reduced; all if there are none
 * named. Logs and fails if one is out of range or named twice.
 * @param reduced One entry for each dimension of `in`.
 */
bool reduced_dims(KernelRuntimeContext& ctx, const Tensor& in,
                  const OptionalArrayRef<int64_t>& dims, bool* reduced);

/// Resizes `out` to the input's shape without, or with 1 for, the reduced dimensions.
bool resize_reduced(KernelRuntimeContext& ctx, const Tensor& in, const bool* reduced, bool keepdim,
                    Tensor& out);

/// Groups the input's dimensions. `out` has the shape that `resize_reduced` gives.
ReductionPlan plan_reduction(const Tensor& in, const bool* reduced, bool keepdim,
                             const Tensor& out);

/// The loops of a reduction on one compute type.
struct Reducer {
  /// The type that elements are loaded as.
  Compute in;
  /// The type of the accumulators and of the results.
  Compute acc;
  /// Fills `n` accumulators with the neutral element.
  void (*init)(void* acc, size_t n);
  /// Folds `n` elements into one accumulator.
  void (*horizontal)(void* acc, const void* x, size_t n);
  /// Folds element i into accumulator i.
  void (*vertical)(void* acc, const void* x, size_t n);
  /// Applied to `n` results, may be null.
  void (*finish)(void* acc, size_t n, double count);
};

/// The reducer of an operator by compute type of its input; `init` is null where there is none.
struct Reducers {
  Reducer of[kComputeTypes];
};

/**
 * Reduces `in` into `out`, which has its final shape.
 * @param plan From `plan_reduction` of the two.
 */
void reduce(const Tensor& in, const ReductionPlan& plan, const Reducer& reducer, Tensor& out);

/// Adds up floats in lanes within a run and in double beyond it; with the loop of another library
/// if there is one.
extern const Reducer kFloatSum;

/// As `kFloatSum`, divided by the number of elements.
extern const Reducer kFloatMean;

/// Independent accumulators in a horizontal fold, so that it may be vectorised.
constexpr size_t kLanes = 16;

/// The loops of `Op` (`init<A>()` and `combine(A, A)`), elements of type C, accumulators of type A.
template <typename Op, typename C, typename A>
struct ReduceLoops {
  static void init(void* acc, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      static_cast<A*>(acc)[i] = Op::template init<A>();
    }
  }

  static void horizontal(void* acc_bytes, const void* x_bytes, size_t n) {
    const C* x = static_cast<const C*>(x_bytes);
    C lane[kLanes];
    for (size_t l = 0; l < kLanes; ++l) {
      lane[l] = Op::template init<C>();
    }
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (size_t l = 0; l < kLanes; ++l) {
        lane[l] = Op::combine(lane[l], x[i + l]);
      }
    }
    for (size_t l = 0; i < n; ++i, ++l) {
      lane[l] = Op::combine(lane[l], x[i]);
    }
    for (size_t half = kLanes / 2; half > 0; half /= 2) {
      for (size_t l = 0; l < half; ++l) {
        lane[l] = Op::combine(lane[l], lane[l + half]);
      }
    }
    A& acc = *static_cast<A*>(acc_bytes);
    acc = Op::combine(acc, static_cast<A>(lane[0]));
  }

  static void vertical(void* acc_bytes, const void* x_bytes, size_t n) {
    A* acc = static_cast<A*>(acc_bytes);
    const C* x = static_cast<const C*>(x_bytes);
    for (size_t i = 0; i < n; ++i) {
      acc[i] = Op::combine(acc[i], static_cast<A>(x[i]));
    }
  }

  static constexpr Reducer make(void (*finish)(void*, size_t, double) = nullptr) {
    return {ComputeOf<C>::value, ComputeOf<A>::value, init, horizontal, vertical, finish};
  }
};

/// Visits the elements that are folded into one result, as chunks converted to double.
template <typename Visit>
void for_each_reduced(const ReductionPlan& plan, ScalarType dtype, const char* base,
                      size_t element_size, Visit&& visit) {
  double buffer[kChunkBytes / sizeof(double)];
  constexpr size_t kMost = kChunkBytes / sizeof(double);
  const bool scalar = plan.reduced_rank == 0;
  const size_t run = scalar ? 1 : plan.reduced[0].size;
  const ptrdiff_t stride = scalar ? 1 : plan.reduced[0].in;
  Odometer odometer(plan.reduced, plan.reduced_rank, 1);
  do {
    for (size_t done = 0; done < run;) {
      const size_t n = run - done < kMost ? run - done : kMost;
      const ptrdiff_t offset = odometer.in() + static_cast<ptrdiff_t>(done) * stride;
      load(Compute::kDouble, dtype, base + offset * static_cast<ptrdiff_t>(element_size), stride, n,
           buffer);
      visit(static_cast<const double*>(buffer), n);
      done += n;
    }
  } while (odometer.next());
}

}  // namespace torch::executor::native::util
