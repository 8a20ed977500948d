#include <cmath>
#include <cstddef>

#include <executorch/kernels/portable/cpu/internal/special/gamma.h>

namespace torch::executor::native::util {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// `zeta` of a positive q: the first terms, and what Euler and Maclaurin's formula says of the
/// rest.
double zeta_of_positive(double s, double q) {
  double sum = 0;
  for (int k = 0; k < 10; ++k, q += 1) {
    const double power = std::pow(q, -s);
    sum += power;
    if (power < sum * 1e-17) {
      return sum;
    }
  }
  // Bernoulli's numbers by the factorials, 2 to 24.
  constexpr double kCorrections[] = {
      1.0 / 12,
      -1.0 / 720,
      1.0 / 30240,
      -1.0 / 1209600,
      1.0 / 47900160,
      -691.0 / 1307674368000,
      1.0 / 74724249600,
      -3617.0 / 10670622842880000,
      43867.0 / 5109094217170944000,
      -174611.0 / 802857662698291200000.0,
      77683.0 / 14101100039391805440000.0,
      -236364091.0 / 1693824136731743669452800000.0,
  };
  const double first = std::pow(q, -s);
  sum += first * q / (s - 1) + first / 2;
  double term = first * s / q;
  double at = s;
  for (const double correction : kCorrections) {
    const double change = term * correction;
    sum += change;
    if (std::fabs(change) < std::fabs(sum) * 1e-17) {
      break;
    }
    term *= (at + 1) * (at + 2) / (q * q);
    at += 2;
  }
  return sum;
}

/// The value of a polynomial whose constant term comes first.
template <size_t kCount>
double polynomial(const double (&coefficients)[kCount], double x) {
  double value = 0;
  for (size_t i = kCount; i-- > 0;) {
    value = value * x + coefficients[i];
  }
  return value;
}

/// x - log(1 + x), without cancellation.
double excess(double x) {
  if (std::fabs(x) > 0.1) {
    return x - std::log1p(x);
  }
  double sum = 0;
  double power = -x;
  for (int k = 2; k < 20; ++k) {
    power *= -x;
    sum += power / k;
  }
  return sum;
}

/// x^a exp(-x) / gamma(a + 1), by Stirling's series where powers would lose digits.
double peak(double a, double x) {
  if (a < 20) {
    return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  }
  constexpr double kStirling[] = {1,
                                  1.0 / 12,
                                  1.0 / 288,
                                  -139.0 / 51840,
                                  -571.0 / 2488320,
                                  163879.0 / 209018880,
                                  5246819.0 / 75246796800};
  return std::exp(-a * excess((x - a) / a)) /
         (std::sqrt(2 * kPi * a) * polynomial(kStirling, 1 / a));
}

/// The lower part by its power series: few steps unless x is much larger than a.
double lower_series(double a, double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; k < 2000 && term > sum * 1e-17; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return peak(a, x) * sum;
}

/// The upper part by Legendre's continued fraction, evaluated from the front: few steps unless x is
/// much smaller than a.
double upper_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double d = 1 / (std::fabs(b) < kTiny ? kTiny : b);
  double c = 1 / kTiny;
  double value = d;
  for (int k = 1; k < 2000; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    c = std::fabs(c) < kTiny ? kTiny : c;
    value *= c * d;
    if (std::fabs(c * d - 1) < 1e-16) {
      break;
    }
  }
  return peak(a, x) * a * value;
}

/**
 * The upper part for an a of at most one half and an x of at most 1.5, where one minus the lower
 * part would lose it: it is about as small as a. The first term of the power series is one but for
 * an exponent of that size, and the other terms have a as a factor.
 */
double upper_of_small(double a, double x) {
  // The logarithm of gamma(1 + a), with what is lost of a where one is added.
  const double one_more = 1 + a;
  const double log_gamma = std::lgamma(one_more) + digamma(one_more) * (a - (one_more - 1));
  double sum = 0;
  double power = 1;
  for (int k = 1; k < 40; ++k) {
    power *= -x / k;
    sum += power / (a + k);
  }
  const double exponent = a * std::log(x) - log_gamma;
  return -std::expm1(exponent) - std::exp(exponent) * a * sum;
}

/**
 * A part for a large a by Temme's expansion, uniform in x (DLMF 8.12): a normal number's
 * probability and a correction in powers of 1 / a. Near the middle its coefficients are series in
 * the distance from it, since their closed forms cancel there.
 */
double part_of_large(double a, double x, bool upper) {
  constexpr double kFirst[] = {-1.0 / 3,   1.0 / 12,        -2.0 / 135, 1.0 / 864,
                               1.0 / 2835, -139.0 / 777600, 1.0 / 25515};
  constexpr double kSecond[] = {-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77760, 1.0 / 4860};
  constexpr double kThird = 25.0 / 6048;
  const double distance = (x - a) / a;
  const double eta = std::copysign(std::sqrt(2 * excess(distance)), distance);
  double correction;
  if (std::fabs(eta) < 0.1) {
    correction = polynomial(kFirst, eta) + (polynomial(kSecond, eta) + kThird / a) / a;
  } else {
    const double step = 1 / distance;
    const double turn = 1 / eta;
    correction = step - turn + (turn * turn * turn - step * (step * (step + 1) + 1.0 / 12)) / a;
  }
  correction *= std::exp(-a * eta * eta / 2) / std::sqrt(2 * kPi * a);
  const double z = eta * std::sqrt(a / 2);
  return upper ? std::erfc(z) / 2 + correction : std::erfc(-z) / 2 - correction;
}

}  // namespace

/// By reflection to the right half, recurrence to 10 and above, and the asymptotic series there.
double digamma(double x) {
  if (x == 0) {
    return std::copysign(INFINITY, -x);
  }
  double result = 0;
  if (x < 0) {
    if (x == std::trunc(x)) {
      return NAN;
    }
    // The fraction first: the tangent of a large multiple of pi has no digits left.
    double whole = 0;
    result = -kPi / std::tan(kPi * std::modf(x, &whole));
    x = 1 - x;
  }
  for (; x < 10; x += 1) {
    result -= 1 / x;
  }
  constexpr double kSeries[] = {8.33333333333333333333e-2, -8.33333333333333333333e-3,
                                3.96825396825396825397e-3, -4.16666666666666666667e-3,
                                7.57575757575757575758e-3, -2.10927960927960927961e-2,
                                8.33333333333333333333e-2};
  const double z = 1 / (x * x);
  return result + std::log(x) - 0.5 / x - polynomial(kSeries, z) * z;
}

/// A negative q has terms on both sides of 0; those below are a difference of two such functions.
double zeta(double s, double q) {
  if (s == 1) {
    return INFINITY;
  }
  if (s < 1) {
    return NAN;
  }
  if (q > 0) {
    return zeta_of_positive(s, q);
  }
  if (q == std::floor(q)) {
    return INFINITY;
  }
  if (s != std::floor(s)) {
    return NAN;  // powers of negative numbers
  }
  const double above = q - std::floor(q);
  const double below = zeta_of_positive(s, 1 - above) - zeta_of_positive(s, 1 - q);
  return zeta_of_positive(s, above) + (std::fmod(s, 2) == 0 ? below : -below);
}

double polygamma(double order, double x) {
  if (order == 0) {
    return digamma(x);
  }
  const double size = std::tgamma(order + 1) * zeta(order + 1, x);
  return std::fmod(order, 2) == 0 ? -size : size;
}

double incomplete_gamma(double a, double x, bool upper) {
  if (a < 0 || x < 0 || (a == 0 && !(x > 0)) || (std::isinf(a) && std::isinf(x))) {
    return NAN;
  }
  if (a == 0 || x == 0 || std::isinf(a) || std::isinf(x)) {
    const bool all_below = a == 0 || (x != 0 && !std::isinf(a));
    return all_below != upper ? 1 : 0;
  }
  if (a > 1e4) {
    return part_of_large(a, x, upper);
  }
  if (upper && a <= 0.5 && x < a + 1) {
    return upper_of_small(a, x);
  }
  if (x < a + 1) {
    const double lower = lower_series(a, x);
    return upper ? 1 - lower : lower;
  }
  const double part = upper_fraction(a, x);
  return upper ? part : 1 - part;
}

}  // namespace torch::executor::native::util
