#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/reduce.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

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

}  // namespace

Tensor& sum_dim_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                    bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  bool reduced[util::kMaxRank];
  if (!util::require_real(ctx, in) || !util::require_real(ctx, out) ||
      !util::require(ctx, !dtype.has_value() || *dtype == out.scalar_type(),
                     "dtype must be the output's") ||
      !util::reduced_dims(ctx, in, dim, reduced) ||
      !util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    return out;
  }
  const util::Compute c = util::arithmetic_compute(out.scalar_type());
  util::reduce(in, util::plan_reduction(in, reduced, keepdim, out),
               c == util::Compute::kInt64    ? kIntSum
               : c == util::Compute::kDouble ? kDoubleSum
                                             : util::kFloatSum,
               out);
  return out;
}

}  // namespace torch::executor::native
