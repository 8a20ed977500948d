#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

struct Product {
  template <typename A>
  static A init() {
    return 1;
  }
  template <typename A>
  static A combine(A a, A b) {
    return util::wrapping_mul(a, b);
  }
};

constexpr util::Reducers kProduct = {{{},
                                      util::ReduceLoops<Product, int64_t, int64_t>::make(),
                                      util::ReduceLoops<Product, float, float>::make(),
                                      util::ReduceLoops<Product, double, double>::make()}};

Tensor& prod(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
             bool keepdim, const optional<ScalarType>& dtype, Tensor& out) {
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
               kProduct.of[static_cast<size_t>(c)], out);
  return out;
}

}  // namespace

Tensor& prod_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim,
                     optional<ScalarType> dtype, Tensor& out) {
  return prod(ctx, in, IntArrayRef(&dim, 1), keepdim, dtype, out);
}

Tensor& prod_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ScalarType> dtype,
                 Tensor& out) {
  const ScalarType result =
      util::is_floating(in.scalar_type()) ? in.scalar_type() : ScalarType::Long;
  if (!util::require_result_dtype(ctx, dtype.value_or(result), out)) {
    return out;
  }
  return prod(ctx, in, OptionalArrayRef<int64_t>(), false, dtype, out);
}

}  // namespace torch::executor::native
