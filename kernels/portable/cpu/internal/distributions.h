/**
 * @file
 * Random numbers of distributions that take a number of tries. Every number of steps is bounded,
 * whatever the parameters are.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/random.h>

namespace torch::executor::native::util {

/// Of the gamma distribution with scale 1; NaN for negative concentrations.
double draw_gamma(Random& random, double concentration);

/// How many of rare events there are, `rate` of them on average; NaN for negative rates.
double draw_poisson(Random& random, double rate);

/// How many of `count` tries succeed; all of them from a probability of 1 on, none from 0 down.
double draw_binomial(Random& random, double count, double probability);

}  // namespace torch::executor::native::util
