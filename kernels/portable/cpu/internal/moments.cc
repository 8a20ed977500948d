#include <cmath>

#include <executorch/kernels/portable/cpu/internal/lanes.h>
#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {
namespace {

struct Sum {
  template <typename A>
  static A init() {
    return 0;
  }
  template <typename A>
  static A combine(A a, A b) {
    return a + b;
  }
};

void divide(void* acc, size_t n, double count) {
  for (size_t i = 0; i < n; ++i) {
    static_cast<double*>(acc)[i] /= count;
  }
}

constexpr Reducer kMeanDouble = ReduceLoops<Sum, double, double>::make(divide);

/// In two passes.
Moments moments_of(const Tensor& in, const ReductionPlan& plan, ptrdiff_t first) {
  const size_t element_size = static_cast<size_t>(in.element_size());
  const char* base =
      static_cast<const char*>(in.const_data_ptr()) + first * static_cast<ptrdiff_t>(element_size);
  const size_t count = plan.reduced_count();
  if (count == 0) {
    return {NAN, NAN};
  }
  double sum = 0;
  for_each_reduced(plan, in.scalar_type(), base, element_size, [&](const double* x, size_t n) {
    sum += sum_in_lanes<double>(n, [x](size_t i) { return x[i]; });
  });
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for_each_reduced(plan, in.scalar_type(), base, element_size, [&](const double* x, size_t n) {
    squares +=
        sum_in_lanes<double>(n, [x, mean](size_t i) { return (x[i] - mean) * (x[i] - mean); });
  });
  return {mean, squares};
}

}  // namespace

bool mean(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
          bool keepdim, Tensor& out) {
  bool reduced[kMaxRank];
  if (!require_real(ctx, in) || !require_floating(ctx, out) ||
      !reduced_dims(ctx, in, dim, reduced) || !resize_reduced(ctx, in, reduced, keepdim, out)) {
    return false;
  }
  const bool wide = out.scalar_type() == ScalarType::Double;
  reduce(in, plan_reduction(in, reduced, keepdim, out), wide ? kMeanDouble : kFloatMean, out);
  return true;
}

bool variance(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
              double correction, bool keepdim, Tensor& out) {
  bool reduced[kMaxRank];
  if (!require_floating(ctx, in) || !require_floating(ctx, out) ||
      !reduced_dims(ctx, in, dim, reduced) || !resize_reduced(ctx, in, reduced, keepdim, out)) {
    return false;
  }
  const ReductionPlan plan = plan_reduction(in, reduced, keepdim, out);
  if (plan.kept_count() == 0) {
    return true;
  }
  const double degrees = static_cast<double>(plan.reduced_count()) - correction;
  char* target = static_cast<char*>(out.mutable_data_ptr());
  Odometer kept(plan.kept, plan.kept_rank);
  do {
    const double squares = moments_of(in, plan, kept.in()).squares;
    const double value = squares / (degrees > 0 ? degrees : 0.0);
    store(Compute::kDouble, out.scalar_type(), &value, 1,
          target + kept.out() * static_cast<ptrdiff_t>(out.element_size()));
  } while (kept.next());
  return true;
}

ChannelMoments::ChannelMoments(const Tensor& in, const Tensor& per_channel) : in_(in) {
  bool reduced[kMaxRank];
  for (ssize_t d = 0; d < in.dim(); ++d) {
    reduced[d] = d != 1;
  }
  plan_ = plan_reduction(in, reduced, false, per_channel);
}

Moments ChannelMoments::of(size_t channel) const {
  return moments_of(in_, plan_, static_cast<ptrdiff_t>(channel) * in_.strides()[1]);
}

}  // namespace torch::executor::native::util
