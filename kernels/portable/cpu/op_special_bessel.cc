#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/bessel.h>

namespace torch::executor::native {
namespace {

template <double (*kFunction)(int, double), int kOrder>
struct Bessel {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(kFunction(kOrder, static_cast<double>(x)));
  }
};

/// sin(x) / x; its power series where both are small.
struct SphericalBessel {
  template <typename C>
  C operator()(C value) const {
    const double x = static_cast<double>(value);
    if (std::isinf(x)) {
      return 0;
    }
    if (std::fabs(x) >= 0.01) {
      return static_cast<C>(std::sin(x) / x);
    }
    const double square = x * x;
    return static_cast<C>(1 - square / 6 * (1 - square / 20 * (1 - square / 42)));
  }
};

}  // namespace

Tensor& special_bessel_j0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Bessel<util::bessel_j, 0>>);
}

Tensor& special_bessel_j1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Bessel<util::bessel_j, 1>>);
}

Tensor& special_bessel_y0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Bessel<util::bessel_y, 0>>);
}

Tensor& special_bessel_y1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Bessel<util::bessel_y, 1>>);
}

Tensor& special_spherical_bessel_j0_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<SphericalBessel>);
}

}  // namespace torch::executor::native
