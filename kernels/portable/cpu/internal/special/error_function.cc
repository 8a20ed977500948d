#include <cmath>

#include <executorch/kernels/portable/cpu/internal/special/error_function.h>

namespace torch::executor::native::util {
namespace {

constexpr double kHalfRootPi = 0.88622692545275801365;
constexpr double kRootTwo = 1.41421356237309504880;
constexpr double kRootHalfPi = 1.25331413731550025121;

}  // namespace

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
  // Near the ends the complement keeps the digits that erf(y) - x would lose.
  const double sign = x < 0 ? -1 : 1;
  for (int i = 0; i < 2; ++i) {
    const double error = std::fabs(x) < 0.5 ? std::erf(y) - x
                                            : sign * ((1 - std::fabs(x)) - std::erfc(std::fabs(y)));
    y -= error * kHalfRootPi * std::exp(y * y);
  }
  return y;
}

/// The continued fraction of erfc, from the inside out, where so many of its terms meet double
/// precision.
double scaled_erfc(double x) {
  if (!(x >= 2)) {
    return std::exp(x * x) * std::erfc(x);
  }
  double fraction = x;
  for (int k = 120; k > 0; --k) {
    fraction = x + 0.5 * k / fraction;
  }
  return 0.5 / kHalfRootPi / fraction;
}

/// In the tails by Newton's method on the logarithm of the probability, which has no inflection:
/// from a bound beyond the quantile, every step comes nearer and none passes it.
double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) {
    return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  }
  if (p > 0.25 && p < 0.75) {
    return kRootTwo * inverse_erf(2 * (p - 0.5));
  }
  const double wanted = std::log(p < 0.5 ? p : 1 - p);
  double z = std::sqrt(-2 * (wanted + 0.69314718055994530942));
  for (int i = 0; i < 8; ++i) {
    const double scaled = scaled_erfc(z / kRootTwo);
    z += (std::log(scaled / 2) - z * z / 2 - wanted) * scaled * kRootHalfPi;
  }
  return p < 0.5 ? -z : z;
}

}  // namespace torch::executor::native::util
