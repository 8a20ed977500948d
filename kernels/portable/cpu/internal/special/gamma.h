/**
 * @file
 * The gamma function's relatives. Every number of steps is bounded, whatever the arguments are.
 */
#pragma once

namespace torch::executor::native::util {

/// The derivative of the gamma function's logarithm; infinite at 0, NaN at negative integers.
double digamma(double x);

/// Hurwitz' zeta function: the sum of 1 / (q + k)^s over all k >= 0; NaN for s < 1.
double zeta(double s, double q);

/// Derivative `order` of `digamma`.
double polygamma(double order, double x);

/// The part of the integral of t^(a-1) exp(-t) over the positive numbers that is below x (`upper`:
/// above x); NaN for negative arguments.
double incomplete_gamma(double a, double x, bool upper);

}  // namespace torch::executor::native::util
