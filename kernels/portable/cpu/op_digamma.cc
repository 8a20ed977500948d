#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// By reflection to the right half, recurrence to 10 and above, and the asymptotic series there.
double digamma(double x) {
  constexpr double kPi = 3.14159265358979323846;
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
  constexpr double kSeries[] = {8.33333333333333333333e-2, -2.10927960927960927961e-2,
                                7.57575757575757575758e-3, -4.16666666666666666667e-3,
                                3.96825396825396825397e-3, -8.33333333333333333333e-3,
                                8.33333333333333333333e-2};
  double tail = 0;
  if (x < 1e17) {
    const double z = 1 / (x * x);
    for (const double coefficient : kSeries) {
      tail = tail * z + coefficient;
    }
    tail *= z;
  }
  return result + std::log(x) - 0.5 / x - tail;
}

struct Digamma {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(digamma(static_cast<double>(x)));
  }
};

}  // namespace

Tensor& digamma_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Digamma>);
}

}  // namespace torch::executor::native
