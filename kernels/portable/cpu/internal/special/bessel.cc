#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/special/bessel.h>

namespace torch::executor::native::util {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kEuler = 0.57721566490153286061;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// J and Y of order 0 and 1.
struct Bessel {
  double j[2];
  double y[2];
};

/**
 * By Miller's backward recurrence, for 0 < x < 25: numbers in proportion to J(n) come out of any
 * start that is far enough above x, and J(0) + 2 J(2) + 2 J(4) + ... = 1 says the factor. Y is a
 * series over J (Neumann's; Abramowitz and Stegun, 9.1.88 and 9.1.89).
 */
Bessel bessel_by_recurrence(double x) {
  double above = 0;
  double here = 1e-100;
  double even = 0;
  double series[2] = {0, 0};
  const int start = 2 * (10 + static_cast<int>(x));
  for (int n = start; n > 0; --n) {
    // `here` is in proportion to J(n).
    const int k = n / 2;
    const double sign = k % 2 == 0 ? 1 : -1;
    if (n % 2 == 0) {
      even += here;
      series[0] += sign * here / k;
    } else if (n > 1) {
      series[1] += sign * here * n / (k * (k + 1.0));
    }
    const double below = 2 * n / x * here - above;
    above = here;
    here = below;
  }
  const double whole = here + 2 * even;
  Bessel result{{here / whole, above / whole}, {}};
  const double logarithm = std::log(x / 2) + kEuler;
  result.y[0] = 2 / kPi * (logarithm * result.j[0] - 2 * series[0] / whole);
  result.y[1] = 2 / kPi * ((logarithm - 1) * result.j[1] - series[1] / whole - result.j[0] / x);
  return result;
}

/// By Hankel's asymptotic series, for x >= 25, where it is exact.
Bessel bessel_by_asymptotics(double x) {
  Bessel result;
  // The cosine and sine of x - pi / 4; a quarter turn less for order 1.
  const double half = 1 / std::sqrt(kPi * x);
  const double cosine = (std::cos(x) + std::sin(x)) * half;
  const double sine = (std::sin(x) - std::cos(x)) * half;
  for (int order = 0; order < 2; ++order) {
    double parts[2] = {1, 0};
    double term = 1;
    for (int k = 1; k < 40 && std::fabs(term) > 1e-17; ++k) {
      const double odd = 2 * k - 1;
      term *= (4 * order - odd * odd) / (8 * k * x);
      parts[k % 2] += k % 4 < 2 ? term : -term;
    }
    const double across = order == 0 ? cosine : sine;
    const double along = order == 0 ? sine : -cosine;
    result.j[order] = parts[0] * across - parts[1] * along;
    result.y[order] = parts[0] * along + parts[1] * across;
  }
  return result;
}

Bessel bessel(double x) {
  if (x < 1e-8) {
    return {{1, x / 2}, {2 / kPi * (std::log(x / 2) + kEuler), -2 / (kPi * x)}};
  }
  return x < 25 ? bessel_by_recurrence(x) : bessel_by_asymptotics(x);
}

/// K for 0 < x <= 2 by its power series, without a factor.
double small_bessel_k(int order, double x) {
  const double square = x * x / 4;
  double term = order == 0 ? 1 : x / 2;
  // The harmonic numbers of k and k + order.
  double harmonic = order;
  double first = 0;
  double rest = 0;
  for (int k = 0; k < 30 && std::fabs(term) > 1e-18 * std::fabs(first); ++k) {
    first += term;
    rest += term * harmonic;
    const double next = k + 1;
    term *= square / (next * (next + order));
    harmonic += order == 0 ? 1 / next : 1 / next + 1 / (next + 1);
  }
  const double logarithm = std::log(x / 2) + kEuler;
  return order == 0 ? rest - logarithm * first : 1 / x + logarithm * first - rest / 2;
}

/// K times exp(x) for x > 2: the trapezoids under exp(-x (cosh(t) - 1)) cosh(order t), whose sum is
/// the integral to the last digit, and beyond 30 the asymptotic series, which is exact there.
double large_bessel_k(int order, double x) {
  if (x > 30) {
    double sum = 1;
    double term = 1;
    for (int k = 1; k < 30 && std::fabs(term) > 1e-17; ++k) {
      const double odd = 2 * k - 1;
      term *= (4 * order - odd * odd) / (8 * k * x);
      sum += term;
    }
    return sum * std::sqrt(kPi / (2 * x));
  }
  constexpr double kStep = 0.125;
  double sum = 0.5;
  double term = 1;
  for (int i = 1; i < 40 && term > sum * 1e-18; ++i) {
    const double cosine = std::cosh(i * kStep);
    term = std::exp(-x * (cosine - 1)) * (order == 0 ? 1 : cosine);
    sum += term;
  }
  return sum * kStep;
}

}  // namespace

double bessel_j(int order, double x) {
  if (!std::isfinite(x)) {
    return kNan;
  }
  const double value = bessel(std::fabs(x)).j[order];
  return order == 1 && std::signbit(x) ? -value : value;
}

double bessel_y(int order, double x) {
  if (!(x > 0 && std::isfinite(x))) {
    return x == 0 ? -kInfinity : kNan;
  }
  return bessel(x).y[order];
}

double scaled_bessel_i(int order, double x) {
  // The power series, whose terms all have one sign, and beyond 30 the asymptotic one, which is
  // exact there.
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

double bessel_i(int order, double x) {
  // In two steps, so that exp does not overflow before the function does.
  const double half = std::exp(std::fabs(x) / 2);
  return scaled_bessel_i(order, x) * half * half;
}

double scaled_bessel_k(int order, double x) {
  if (!(x > 0)) {
    return x == 0 ? kInfinity : kNan;
  }
  return x <= 2 ? small_bessel_k(order, x) * std::exp(x) : large_bessel_k(order, x);
}

}  // namespace torch::executor::native::util
