/**
 * @file
 * Bessel functions of order 0 and 1. Every number of steps is bounded, whatever the arguments are.
 */
#pragma once

namespace torch::executor::native::util {

/// Of the first kind, J; NaN for infinite arguments.
double bessel_j(int order, double x);

/// Of the second kind, Y; minus infinity at 0, NaN for negative and infinite arguments.
double bessel_y(int order, double x);

/// The modified one of the first kind, I, times exp(-|x|); any argument.
double scaled_bessel_i(int order, double x);

/// I itself.
double bessel_i(int order, double x);

/// The modified one of the second kind, K, times exp(x); infinite at 0, NaN for negative arguments.
double scaled_bessel_k(int order, double x);

}  // namespace torch::executor::native::util
