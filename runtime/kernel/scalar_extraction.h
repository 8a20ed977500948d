#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace runtime {

/// Reads a scalar that holds an integer. A bool counts as 0 or 1.
///
/// @return False if the scalar holds a floating-point number, or one that does not fit.
template <typename INT_T,
          std::enable_if_t<std::is_integral_v<INT_T> && !std::is_same_v<INT_T, bool>, bool> = true>
bool extract_scalar(const executorch::aten::Scalar& scalar, INT_T* out_val) {
  if (!scalar.isIntegral(/*includeBool=*/true)) {
    return false;
  }
  const int64_t value = scalar.to<int64_t>();
  if constexpr (std::is_unsigned_v<INT_T>) {
    if (value < 0 || static_cast<uint64_t>(value) > std::numeric_limits<INT_T>::max()) {
      return false;
    }
  } else if (value < std::numeric_limits<INT_T>::lowest() ||
             value > std::numeric_limits<INT_T>::max()) {
    return false;
  }
  *out_val = static_cast<INT_T>(value);
  return true;
}

/// Reads a scalar that holds a number. Infinities and NaN are taken as they are.
///
/// @return False if the scalar's finite value is beyond the range of `FLOAT_T`.
template <typename FLOAT_T, std::enable_if_t<std::is_floating_point_v<FLOAT_T>, bool> = true>
bool extract_scalar(const executorch::aten::Scalar& scalar, FLOAT_T* out_val) {
  const double value = scalar.to<double>();
  constexpr double kLowest = static_cast<double>(std::numeric_limits<FLOAT_T>::lowest());
  constexpr double kMax = static_cast<double>(std::numeric_limits<FLOAT_T>::max());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Comparisons with NaN are false, so it passes.
  if ((value < kLowest && value != -kInfinity) || (value > kMax && value != kInfinity)) {
    return false;
  }
  *out_val = static_cast<FLOAT_T>(value);
  return true;
}

/// Reads a scalar that holds a bool, or an integer, where any but 0 is true.
///
/// @return False if the scalar holds a floating-point number.
template <typename BOOL_T, std::enable_if_t<std::is_same_v<BOOL_T, bool>, bool> = true>
bool extract_scalar(const executorch::aten::Scalar& scalar, BOOL_T* out_val) {
  if (!scalar.isIntegral(/*includeBool=*/true)) {
    return false;
  }
  *out_val = scalar.to<bool>();
  return true;
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::extract_scalar;
}  // namespace executor
}  // namespace torch
