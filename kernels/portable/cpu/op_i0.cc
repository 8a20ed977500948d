#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/**
 * The modified Bessel function of the first kind of order 0 or 1, times exp(-|x|): the power
 * series, whose terms all have one sign, and beyond 30 the asymptotic one, which is exact there.
 */
double scaled_bessel_i(int order, double x) {
  constexpr double kPi = 3.14159265358979323846;
  const double size = std::fabs(x);
  double sum = 1;
  double term = 1;
  double factor;
  if (size <= 30) {
    for (int k = 1; k < 100 && term > sum * 1e-17; ++k) {
      term *= size * size / (4.0 * k * (k + order));
      sum += term;
    }
    factor = std::exp(-size) * (order == 0 ? 1 : size / 2);
  } else {
    for (int k = 1; k < 30 && std::fabs(term) > 1e-17; ++k) {
      const double odd = 2 * k - 1;
      term *= (odd * odd - 4 * order) / (8 * k * size);
      sum += term;
    }
    factor = 1 / std::sqrt(2 * kPi * size);
  }
  return order == 1 ? std::copysign(factor * sum, x) : factor * sum;
}

template <int kOrder, bool kScaled>
struct BesselI {
  template <typename C>
  C operator()(C value) const {
    const double x = static_cast<double>(value);
    const double scaled = scaled_bessel_i(kOrder, x);
    // In two steps, so that exp does not overflow before the function does.
    const double half = kScaled ? 1 : std::exp(std::fabs(x) / 2);
    return static_cast<C>(scaled * half * half);
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

}  // namespace torch::executor::native
