#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/bessel.h>

namespace torch::executor::native {
namespace {

template <int kOrder, bool kScaled>
struct BesselI {
  template <typename C>
  C operator()(C value) const {
    const double x = static_cast<double>(value);
    return static_cast<C>(kScaled ? util::scaled_bessel_i(kOrder, x) : util::bessel_i(kOrder, x));
  }
};

}  // namespace

Tensor& i0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<0, false>>);
}

Tensor& special_i0e_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<0, true>>);
}

Tensor& special_i1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<1, false>>);
}

Tensor& special_i1e_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<1, true>>);
}

Tensor& special_modified_bessel_i0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<0, false>>);
}

Tensor& special_modified_bessel_i1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<BesselI<1, false>>);
}

}  // namespace torch::executor::native
