/// @file
/// Definition of promoteTypes(); include scalar_type_util.h instead.
#pragma once

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Promotion between two of Half, BFloat16, Float, Double.
inline constexpr ::executorch::aten::ScalarType promote_floats(::executorch::aten::ScalarType a,
                                                               ::executorch::aten::ScalarType b) {
  using ::executorch::aten::ScalarType;
  if (a == b) {
    return a;
  }
  if (a == ScalarType::Double || b == ScalarType::Double) {
    return ScalarType::Double;
  }
  return ScalarType::Float;  // also Half with BFloat16: neither holds the other's values
}

/// Promotion between two of Bool, Byte, Char, Short, Int, Long.
inline constexpr ::executorch::aten::ScalarType promote_integers(::executorch::aten::ScalarType a,
                                                                 ::executorch::aten::ScalarType b) {
  using ::executorch::aten::ScalarType;
  if (a == ScalarType::Bool) {
    return b;
  }
  if (b == ScalarType::Bool) {
    return a;
  }
  const bool byte_with_char = (a == ScalarType::Byte && b == ScalarType::Char) ||
                              (a == ScalarType::Char && b == ScalarType::Byte);
  if (byte_with_char) {
    return ScalarType::Short;
  }
  return a > b ? a : b;  // the numbers grow with the width
}

/// Takes part in promotion with other types.
inline constexpr bool is_promotable(::executorch::aten::ScalarType type) {
  return isValid(type) && !isQIntType(type) && !isBitsType(type) && !isFloat8Type(type);
}

}  // namespace internal

constexpr ::executorch::aten::ScalarType promoteTypes(::executorch::aten::ScalarType a,
                                                      ::executorch::aten::ScalarType b,
                                                      bool half_to_float) {
  using ::executorch::aten::ScalarType;
  if (half_to_float) {
    a = isReducedFloatingType(a) ? ScalarType::Float : a;
    b = isReducedFloatingType(b) ? ScalarType::Float : b;
  }
  if (a == b) {
    return isValid(a) ? a : ScalarType::Undefined;
  }
  if (!internal::is_promotable(a) || !internal::is_promotable(b)) {
    return ScalarType::Undefined;
  }
  if (isComplexType(a) || isComplexType(b)) {
    if (isBarebonesUnsignedType(a) || isBarebonesUnsignedType(b)) {
      return ScalarType::Undefined;
    }
    const ScalarType real_a = toRealValueType(a);
    const ScalarType real_b = toRealValueType(b);
    if (!isFloatingType(real_a)) {
      return b;
    }
    if (!isFloatingType(real_b)) {
      return a;
    }
    return toComplexType(internal::promote_floats(real_a, real_b));
  }
  if (isFloatingType(a)) {
    return isFloatingType(b) ? internal::promote_floats(a, b) : a;
  }
  if (isFloatingType(b)) {
    return b;
  }
  if (isBarebonesUnsignedType(a) || isBarebonesUnsignedType(b)) {
    return ScalarType::Undefined;
  }
  return internal::promote_integers(a, b);
}

}  // namespace runtime
}  // namespace executorch
