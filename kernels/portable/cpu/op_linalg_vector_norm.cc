#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The norm of order `p` of the elements that are folded into one result, at `base`.
double norm(const Tensor& in, const util::ReductionPlan& plan, const char* base, double p) {
  const bool largest = p == std::numeric_limits<double>::infinity();
  const bool smallest = p == -std::numeric_limits<double>::infinity();
  double folded = smallest ? std::numeric_limits<double>::infinity() : 0;
  util::for_each_reduced(plan, in.scalar_type(), base, static_cast<size_t>(in.element_size()),
                         [&](const double* x, size_t n) {
                           for (size_t i = 0; i < n; ++i) {
                             const double a = std::fabs(x[i]);
                             if (largest || smallest) {
                               const bool takes = largest ? a > folded : a < folded;
                               folded = takes || std::isnan(a) ? a : folded;
                             } else if (p == 2) {
                               folded += a * a;
                             } else if (p == 1) {
                               folded += a;
                             } else if (p == 0) {
                               folded += a != 0 ? 1 : 0;
                             } else {
                               folded += std::pow(a, p);
                             }
                           }
                         });
  if (largest || smallest || p == 1 || p == 0) {
    return folded;
  }
  return p == 2 ? std::sqrt(folded) : std::pow(folded, 1 / p);
}

}  // namespace

Tensor& linalg_vector_norm_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& ord,
                               OptionalArrayRef<int64_t> dim, bool keepdim,
                               optional<ScalarType> dtype, Tensor& out) {
  const double p = util::ScalarValue(ord).d;
  bool reduced[util::kMaxRank];
  if (!util::require_floating(ctx, in) || !util::require_floating(ctx, out) ||
      !util::require(ctx, out.scalar_type() == dtype.value_or(in.scalar_type()),
                     "the output must have the norm's dtype") ||
      !util::require(ctx, !std::isnan(p), "the order must be a number") ||
      !util::reduced_dims(ctx, in, dim, reduced) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    return out;
  }
  const util::ReductionPlan plan = util::plan_reduction(in, reduced, keepdim, out);
  const bool empty = plan.reduced_count() == 0;
  if (!util::require(ctx, !empty || p >= 0, "a norm of nothing needs an order of 0 or more") ||
      !util::require(ctx, !empty || std::isfinite(p), "the largest of nothing is not defined") ||
      plan.kept_count() == 0) {
    return out;
  }
  const char* base = static_cast<const char*>(in.const_data_ptr());
  char* target = static_cast<char*>(out.mutable_data_ptr());
  util::Odometer kept(plan.kept, plan.kept_rank);
  do {
    const ptrdiff_t offset = kept.in() * static_cast<ptrdiff_t>(in.element_size());
    const double value = empty ? 0 : norm(in, plan, base + offset, p);
    util::store(util::Compute::kDouble, out.scalar_type(), &value, 1,
                target + kept.out() * static_cast<ptrdiff_t>(out.element_size()));
  } while (kept.next());
  return out;
}

}  // namespace torch::executor::native
