/**
 * @file
 * The error function's relatives that the C library lacks.
 */
#pragma once

namespace torch::executor::native::util {

/// x in erf(x) = y; infinite for 1 and -1, NaN beyond.
double inverse_erf(double y);

/// exp(x * x) erfc(x), which neither overflows nor vanishes for a positive x.
double scaled_erfc(double x);

/// x below which a normal number is with probability `p`; infinite for 0 and 1, NaN beyond.
double normal_quantile(double p);

}  // namespace torch::executor::native::util
