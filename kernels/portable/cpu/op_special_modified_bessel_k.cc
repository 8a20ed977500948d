#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/bessel.h>

namespace torch::executor::native {
namespace {

template <int kOrder, bool kScaled>
struct BesselK {
  template <typename C>
  C operator()(C value) const {
    const double x = static_cast<double>(value);
    const double scaled = util::scaled_bessel_k(kOrder, x);
    return static_cast<C>(kScaled ? scaled : scaled * std::exp(-x));
  }
};

}  // namespace

Tensor& special_modified_bessel_k0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselK<0, false>>);
}

Tensor& special_modified_bessel_k1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselK<1, false>>);
}

Tensor& special_scaled_modified_bessel_k0_out(KernelRuntimeContext& ctx, const Tensor& in,
                                              Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselK<0, true>>);
}

Tensor& special_scaled_modified_bessel_k1_out(KernelRuntimeContext& ctx, const Tensor& in,
                                              Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselK<1, true>>);
}

}  // namespace torch::executor::native
