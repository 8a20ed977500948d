#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Giles' approximation ("Approximating the erfinv function", 2010, single precision), refined by
/// two Newton steps to double precision.
double inverse_erf(double x) {
  if (!(x > -1 && x < 1)) {
    return x == 1 ? INFINITY : x == -1 ? -INFINITY : NAN;
  }
  constexpr double kCentral[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                 -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                 -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                              -0.00367342844,  0.00573950773,  -0.0076224613,
                              0.00943887047,   1.00167406,     2.83297682};
  const double w = -std::log1p(-x * x);
  const bool central = w < 5;
  const double t = central ? w - 2.5 : std::sqrt(w) - 3;
  double y = 0;
  for (const double coefficient : central ? kCentral : kTail) {
    y = y * t + coefficient;
  }
  y *= x;
  constexpr double kHalfRootPi = 0.88622692545275801365;
  // Near the ends the complement keeps the digits that erf(y) - x would lose.
  const double sign = x < 0 ? -1 : 1;
  for (int i = 0; i < 2; ++i) {
    const double error = std::fabs(x) < 0.5 ? std::erf(y) - x
                                            : sign * ((1 - std::fabs(x)) - std::erfc(std::fabs(y)));
    y -= error * kHalfRootPi * std::exp(y * y);
  }
  return y;
}

struct InverseErf {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(inverse_erf(static_cast<double>(x)));
  }
};

}  // namespace

Tensor& erfinv_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<InverseErf>);
}

}  // namespace torch::executor::native
