/// @file
/// Whether a conversion between arithmetic types would lose the value.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/overflows.h>)
#include_next <c10/util/overflows.h>
#else
#include <c10/util/overflows.h>
#endif
#elif !defined(ET_C10_UTIL_OVERFLOWS_H_)
#define ET_C10_UTIL_OVERFLOWS_H_

#include <cmath>
#include <limits>
#include <type_traits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/TypeSafeSignMath.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex_utils.h>

namespace c10 {

/// True if `value` is out of the range of To. Infinity and NaN fit only types that have them. With
/// `strict_unsigned` false, negative integers may wrap into an unsigned To (as PyTorch allows),
/// unless they are below -max.
template <typename To, typename From>
bool overflows(From value, bool strict_unsigned = false) {
  if constexpr (is_complex<From>::value) {
    if constexpr (is_complex<To>::value) {
      using T = typename scalar_value_type<To>::type;
      return overflows<T>(value.real(), strict_unsigned) ||
             overflows<T>(value.imag(), strict_unsigned);
    } else {
      // A real type cannot hold an imaginary part.
      return value.imag() != typename scalar_value_type<From>::type(0) ||
             overflows<To>(value.real(), strict_unsigned);
    }
  } else if constexpr (is_complex<To>::value) {
    return overflows<typename scalar_value_type<To>::type>(value, strict_unsigned);
  } else if constexpr (std::is_same<To, bool>::value || std::is_same<From, bool>::value) {
    return false;  // every number has a truth value, and 0 and 1 exist in every type
  } else if constexpr (std::is_integral<From>::value && std::is_integral<To>::value) {
    if (!strict_unsigned && !std::numeric_limits<To>::is_signed &&
        std::numeric_limits<From>::is_signed) {
      return greater_than_max<To>(value) ||
             (is_negative(value) && value != std::numeric_limits<From>::lowest()
                  ? greater_than_max<To>(static_cast<From>(-value))
                  : is_negative(value) && sizeof(From) > sizeof(To));
    }
    return less_than_lowest<To>(value) || greater_than_max<To>(value);
  } else if constexpr (std::is_integral<To>::value) {
    const double wide = static_cast<double>(value);
    return std::isnan(wide) || less_than_lowest<To>(wide) || greater_than_max<To>(wide);
  } else {
    const double wide = static_cast<double>(value);
    if (std::isnan(wide) || std::isinf(wide)) {
      return false;  // every floating-point To has both
    }
    return wide < static_cast<double>(std::numeric_limits<To>::lowest()) ||
           wide > static_cast<double>(std::numeric_limits<To>::max());
  }
}

}  // namespace c10

#endif  // ET_C10_UTIL_OVERFLOWS_H_
