#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

struct Sum {
  template <typename A>
  static A init() {
    return 0;
  }
  template <typename A>
  static A combine(A a, A b) {
    return util::wrapping_add(a, b);
  }
};

constexpr util::Reducer kIntSum = util::ReduceLoops<Sum, int64_t, int64_t>::make();
constexpr util::Reducer kDoubleSum = util::ReduceLoops<Sum, double, double>::make();

/// Adds up the real and the imaginary parts of complex numbers.
void sum_parts(const Tensor& in, util::ReductionPlan plan, Tensor& out) {
  // Offsets count parts, of which an element has two.
  for (size_t d = 0; d < plan.kept_rank; ++d) {
    plan.kept[d].in *= 2;
    plan.kept[d].out *= 2;
  }
  for (size_t d = 0; d < plan.reduced_rank; ++d) {
    plan.reduced[d].in *= 2;
  }
  const bool any = plan.reduced_count() > 0;
  util::Odometer kept(plan.kept, plan.kept_rank);
  do {
    for (size_t which = 0; which < 2; ++which) {
      const util::View from = util::part_of(util::View(in), which);
      const util::View to = util::part_of(util::View(out), which);
      double sum = 0;
      if (any) {
        util::for_each_reduced(plan, from.dtype, util::element_at(from, kept.in()),
                               from.element_size, [&](const double* x, size_t n) {
                                 for (size_t i = 0; i < n; ++i) {
                                   sum += x[i];
                                 }
                               });
      }
      util::put_element(to, kept.out(), sum);
    }
  } while (kept.next());
}

}  // namespace

Tensor& sum_dim_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                    bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  bool reduced[util::kMaxRank];
  const bool complex = util::is_complex(in.scalar_type()) && util::is_complex(out.scalar_type());
  if ((!complex && (!util::require_real(ctx, in) || !util::require_real(ctx, out))) ||
      !util::require(ctx, !dtype.has_value() || *dtype == out.scalar_type(),
                     "dtype must be the output's") ||
      !util::reduced_dims(ctx, in, dim, reduced) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    return out;
  }
  const util::ReductionPlan plan = util::plan_reduction(in, reduced, keepdim, out);
  if (complex) {
    if (out.numel() > 0) {
      sum_parts(in, plan, out);
    }
    return out;
  }
  const util::Compute c = util::arithmetic_compute(out.scalar_type());
  util::reduce(in, plan,
               c == util::Compute::kInt64    ? kIntSum
               : c == util::Compute::kDouble ? kDoubleSum
                                             : util::kFloatSum,
               out);
  return out;
}

}  // namespace torch::executor::native
