/**
 * @file
 * Arithmetic of single elements as eager defines it, for every element type.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor::native::utils {
namespace internal {

/// The type to calculate in: half types in float.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, executorch::aten::Half> ||
                                    std::is_same_v<T, executorch::aten::BFloat16>,
                                float, T>;

template <typename T>
bool is_nan(T value) {
  return native::util::is_nan(static_cast<Wide<T>>(value));
}

}  // namespace internal

/// Quotient rounded toward minus infinity. An integer divided by 0 is 0; check that before.
template <typename INT_T, std::enable_if_t<std::is_integral<INT_T>::value, bool> = true>
INT_T floor_divide(INT_T a, INT_T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_signed<INT_T>::value) {
    return static_cast<INT_T>(
        native::util::div_floor(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  } else {
    return static_cast<INT_T>(a / b);
  }
}

/// The same; a floating value divided by 0 is infinite or NaN.
template <typename FLOAT_T, std::enable_if_t<!std::is_integral<FLOAT_T>::value, bool> = true>
FLOAT_T floor_divide(FLOAT_T a, FLOAT_T b) {
  using Wide = internal::Wide<FLOAT_T>;
  return static_cast<FLOAT_T>(native::util::div_floor(static_cast<Wide>(a), static_cast<Wide>(b)));
}

/// Remainder with the sign of the divisor. An integer's remainder by 0 is 0; check that before.
template <typename CTYPE>
CTYPE remainder_override(CTYPE a, CTYPE b) {
  if constexpr (std::is_integral<CTYPE>::value) {
    if (b == 0) {
      return 0;
    }
    if constexpr (!std::is_signed<CTYPE>::value) {
      return static_cast<CTYPE>(a % b);
    } else {
      return static_cast<CTYPE>(
          native::util::mod_floor(static_cast<int64_t>(a), static_cast<int64_t>(b)));
    }
  } else {
    using Wide = internal::Wide<CTYPE>;
    return static_cast<CTYPE>(native::util::mod_floor(static_cast<Wide>(a), static_cast<Wide>(b)));
  }
}

/// True for NaN; never for integers.
template <typename T>
bool isnan_override(T a) {
  return internal::is_nan(a);
}

/// The smaller one; NaN if either is.
template <typename T>
T min_override(T a, T b) {
  return a < b || internal::is_nan(a) ? a : b;
}

/// The larger one; NaN if either is.
template <typename T>
T max_override(T a, T b) {
  return a > b || internal::is_nan(a) ? a : b;
}

}  // namespace torch::executor::native::utils
