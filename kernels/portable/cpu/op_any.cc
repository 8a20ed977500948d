#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

struct Any {
  template <typename A>
  static A init() {
    return 0;
  }
  static uint8_t combine(uint8_t a, uint8_t b) { return a | (b != 0 ? 1 : 0); }
};

constexpr util::Reducer kAny = util::ReduceLoops<Any, uint8_t, uint8_t>::make();

/// Reduces the dimensions that have an entry in `reduced`.
Tensor& any(KernelRuntimeContext& ctx, const Tensor& in, const bool* reduced, bool keepdim,
            Tensor& out) {
  if (util::require_real(ctx, in) &&
      util::require(ctx,
                    out.scalar_type() == ScalarType::Bool || out.scalar_type() == ScalarType::Byte,
                    "the output must be Bool or Byte") &&
      util::resize_reduced(ctx, in, reduced, keepdim, out)) {
    util::reduce(in, util::plan_reduction(in, reduced, keepdim, out), kAny, out);
  }
  return out;
}

/// As other reductions: no dimension named means all.
Tensor& any_of(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
               bool keepdim, Tensor& out) {
  bool reduced[util::kMaxRank];
  return util::reduced_dims(ctx, in, dim, reduced) ? any(ctx, in, reduced, keepdim, out) : out;
}

}  // namespace

Tensor& any_all_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return any_of(ctx, in, OptionalArrayRef<int64_t>(), false, out);
}

Tensor& any_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim,
                Tensor& out) {
  return any_of(ctx, in, IntArrayRef(&dim, 1), keepdim, out);
}

Tensor& any_dims_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                     bool keepdim, Tensor& out) {
  if (dim.has_value() && dim->empty()) {
    // Unlike in other reductions, an empty list means none.
    const bool none[util::kMaxRank] = {};
    return any(ctx, in, none, keepdim, out);
  }
  return any_of(ctx, in, dim, keepdim, out);
}

}  // namespace torch::executor::native
