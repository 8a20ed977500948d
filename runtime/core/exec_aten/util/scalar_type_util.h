/// @file
/// Facts about scalar types: names, sizes, categories, casts, promotion, and the C++ types.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_forall.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_switch.h>
#include <executorch/runtime/core/portable_type/c10/c10/macros/Macros.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// C++ type of a scalar type: `ScalarTypeToCppType<ScalarType::Float>::type` is float.
template <::executorch::aten::ScalarType type_v>
struct ScalarTypeToCppType;

/// Scalar type of a C++ type: `CppTypeToScalarType<float>::value` is ScalarType::Float.
template <typename T>
struct CppTypeToScalarType;

#define ET_INTERNAL_TYPE_MAP(cpp_type, enumerator)                         \
  template <>                                                              \
  struct ScalarTypeToCppType<::executorch::aten::ScalarType::enumerator> { \
    using type = cpp_type;                                                 \
  };                                                                       \
  template <>                                                              \
  struct CppTypeToScalarType<cpp_type>                                     \
      : std::integral_constant<::executorch::aten::ScalarType,             \
                               ::executorch::aten::ScalarType::enumerator> {};
ET_FORALL_SCALAR_TYPES(ET_INTERNAL_TYPE_MAP)
#undef ET_INTERNAL_TYPE_MAP

template <::executorch::aten::ScalarType type_v>
using ScalarTypeToCppType_t = typename ScalarTypeToCppType<type_v>::type;

/// UInt16, UInt32, UInt64: stored and copied, but with little arithmetic of their own.
inline constexpr bool isBarebonesUnsignedType(::executorch::aten::ScalarType type) {
  return type == ::executorch::aten::ScalarType::UInt16 ||
         type == ::executorch::aten::ScalarType::UInt32 ||
         type == ::executorch::aten::ScalarType::UInt64;
}

/// Integers, with or without Bool. Quantized integers are none.
inline constexpr bool isIntegralType(::executorch::aten::ScalarType type, bool includeBool) {
  return (includeBool && type == ::executorch::aten::ScalarType::Bool) ||
         (type >= ::executorch::aten::ScalarType::Byte &&
          type <= ::executorch::aten::ScalarType::Long) ||
         isBarebonesUnsignedType(type);
}

/// Half, BFloat16, Float, Double.
inline constexpr bool isFloatingType(::executorch::aten::ScalarType type) {
  return type == ::executorch::aten::ScalarType::Double ||
         type == ::executorch::aten::ScalarType::Float ||
         type == ::executorch::aten::ScalarType::Half ||
         type == ::executorch::aten::ScalarType::BFloat16;
}

/// Half, BFloat16.
inline constexpr bool isReducedFloatingType(::executorch::aten::ScalarType type) {
  return type == ::executorch::aten::ScalarType::Half ||
         type == ::executorch::aten::ScalarType::BFloat16;
}

/// Members of ET_FORALL_REAL_TYPES.
inline constexpr bool isRealType(::executorch::aten::ScalarType type) {
  return (type >= ::executorch::aten::ScalarType::Byte &&
          type <= ::executorch::aten::ScalarType::Long) ||
         type == ::executorch::aten::ScalarType::Float ||
         type == ::executorch::aten::ScalarType::Double;
}

/// Real, Half.
inline constexpr bool isRealHType(::executorch::aten::ScalarType type) {
  return isRealType(type) || type == ::executorch::aten::ScalarType::Half;
}

/// Real, Half, Bool.
inline constexpr bool isRealHBType(::executorch::aten::ScalarType type) {
  return isRealHType(type) || type == ::executorch::aten::ScalarType::Bool;
}

/// Real, Half, BFloat16.
inline constexpr bool isRealHBF16Type(::executorch::aten::ScalarType type) {
  return isRealHType(type) || type == ::executorch::aten::ScalarType::BFloat16;
}

/// Real, Half, BFloat16, Bool.
inline constexpr bool isRealHBBF16Type(::executorch::aten::ScalarType type) {
  return isRealHBType(type) || type == ::executorch::aten::ScalarType::BFloat16;
}

inline constexpr bool isComplexType(::executorch::aten::ScalarType type) {
  return type == ::executorch::aten::ScalarType::ComplexHalf ||
         type == ::executorch::aten::ScalarType::ComplexFloat ||
         type == ::executorch::aten::ScalarType::ComplexDouble;
}

inline constexpr bool isBitsType(::executorch::aten::ScalarType type) {
  return type >= ::executorch::aten::ScalarType::Bits1x8 &&
         type <= ::executorch::aten::ScalarType::Bits16;
}

inline constexpr bool isFloat8Type(::executorch::aten::ScalarType type) {
  return type >= ::executorch::aten::ScalarType::Float8_e5m2 &&
         type <= ::executorch::aten::ScalarType::Float8_e4m3fnuz;
}

inline constexpr bool isQIntType(::executorch::aten::ScalarType type) {
  return type == ::executorch::aten::ScalarType::QInt8 ||
         type == ::executorch::aten::ScalarType::QUInt8 ||
         type == ::executorch::aten::ScalarType::QInt32 ||
         type == ::executorch::aten::ScalarType::QUInt4x2 ||
         type == ::executorch::aten::ScalarType::QUInt2x4;
}

/// The quantized type that stores the given integer type; the argument itself if there is none.
inline constexpr ::executorch::aten::ScalarType toQIntType(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::Byte:
      return ::executorch::aten::ScalarType::QUInt8;
    case ::executorch::aten::ScalarType::Char:
      return ::executorch::aten::ScalarType::QInt8;
    case ::executorch::aten::ScalarType::Int:
      return ::executorch::aten::ScalarType::QInt32;
    default:
      return type;
  }
}

/// The integer type that a quantized type is stored as; the argument itself if it is not quantized.
inline constexpr ::executorch::aten::ScalarType toUnderlying(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::QUInt8:
    case ::executorch::aten::ScalarType::QUInt4x2:
    case ::executorch::aten::ScalarType::QUInt2x4:
      return ::executorch::aten::ScalarType::Byte;
    case ::executorch::aten::ScalarType::QInt8:
      return ::executorch::aten::ScalarType::Char;
    case ::executorch::aten::ScalarType::QInt32:
      return ::executorch::aten::ScalarType::Int;
    default:
      return type;
  }
}

inline constexpr bool isUnderlying(::executorch::aten::ScalarType type,
                                   ::executorch::aten::ScalarType qtype) {
  return type == toUnderlying(qtype);
}

/// Type of the components of a complex type; the argument itself if it is not complex.
inline constexpr ::executorch::aten::ScalarType toRealValueType(
    ::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::ComplexHalf:
      return ::executorch::aten::ScalarType::Half;
    case ::executorch::aten::ScalarType::ComplexFloat:
      return ::executorch::aten::ScalarType::Float;
    case ::executorch::aten::ScalarType::ComplexDouble:
      return ::executorch::aten::ScalarType::Double;
    default:
      return type;
  }
}

/// Complex type with the given components; Undefined if there is none. BFloat16 needs ComplexFloat.
inline constexpr ::executorch::aten::ScalarType toComplexType(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::Half:
    case ::executorch::aten::ScalarType::ComplexHalf:
      return ::executorch::aten::ScalarType::ComplexHalf;
    case ::executorch::aten::ScalarType::BFloat16:
    case ::executorch::aten::ScalarType::Float:
    case ::executorch::aten::ScalarType::ComplexFloat:
      return ::executorch::aten::ScalarType::ComplexFloat;
    case ::executorch::aten::ScalarType::Double:
    case ::executorch::aten::ScalarType::ComplexDouble:
      return ::executorch::aten::ScalarType::ComplexDouble;
    default:
      return ::executorch::aten::ScalarType::Undefined;
  }
}

/// Signed arithmetic; false for types without arithmetic (quantized, bits).
inline constexpr bool isSignedType(::executorch::aten::ScalarType type) {
  return isFloatingType(type) || isComplexType(type) || isFloat8Type(type) ||
         type == ::executorch::aten::ScalarType::Char ||
         type == ::executorch::aten::ScalarType::Short ||
         type == ::executorch::aten::ScalarType::Int ||
         type == ::executorch::aten::ScalarType::Long;
}

/// Whether an operator may write a result of type `from` into an output of type `to`: not complex
/// into real, not floating into integer, not a number into Bool.
inline constexpr bool canCast(::executorch::aten::ScalarType from,
                              ::executorch::aten::ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) {
    return false;
  }
  if ((isFloatingType(from) || isFloat8Type(from)) && isIntegralType(to, /*includeBool=*/false)) {
    return false;
  }
  return from == ::executorch::aten::ScalarType::Bool || to != ::executorch::aten::ScalarType::Bool;
}

/// canCast() for C++ types.
template <typename From, typename To>
struct can_cast : std::integral_constant<bool, canCast(CppTypeToScalarType<From>::value,
                                                       CppTypeToScalarType<To>::value)> {};

/// Type of the result of arithmetic between the two types, as torch.promote_types gives it;
/// Undefined if there is none (quantized, bits, float8 or barebones unsigned with another type).
///
/// @param half_to_float Treat Half and BFloat16 operands as Float, for kernels that compute so.
constexpr ::executorch::aten::ScalarType promoteTypes(::executorch::aten::ScalarType a,
                                                      ::executorch::aten::ScalarType b,
                                                      bool half_to_float = false);

}  // namespace runtime
}  // namespace executorch

#include <executorch/runtime/core/exec_aten/util/scalar_type_promotion.h>

namespace executorch {
namespace runtime {

/// promoteTypes() for C++ types.
template <typename T1, typename T2, bool half_to_float = false>
struct promote_types {
  using type = typename ScalarTypeToCppType<promoteTypes(
      CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value, half_to_float)>::type;
};

/// Numeric conversion of an element. Goes through float for types that C++ cannot convert directly.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_convertible<From, To>::value) {
    return static_cast<To>(value);
  } else {
    return static_cast<To>(static_cast<float>(value));
  }
}

#define ET_INTERNAL_TYPE_TRAIT(trait, predicate) \
  template <typename T>                          \
  struct trait : std::integral_constant<bool, predicate(CppTypeToScalarType<T>::value)> {};

ET_INTERNAL_TYPE_TRAIT(is_real_type, isRealType)
ET_INTERNAL_TYPE_TRAIT(is_floating_type, isFloatingType)
ET_INTERNAL_TYPE_TRAIT(is_reduced_floating_type, isReducedFloatingType)
ET_INTERNAL_TYPE_TRAIT(is_complex_type, isComplexType)
ET_INTERNAL_TYPE_TRAIT(is_bits_type, isBitsType)
ET_INTERNAL_TYPE_TRAIT(is_float8_type, isFloat8Type)
ET_INTERNAL_TYPE_TRAIT(is_qint_type, isQIntType)
ET_INTERNAL_TYPE_TRAIT(is_barebones_unsigned_type, isBarebonesUnsignedType)
#undef ET_INTERNAL_TYPE_TRAIT

/// Of any C++ type: float, double, Half, BFloat16.
template <typename T>
struct is_floating_point
    : std::integral_constant<bool, std::is_floating_point<T>::value ||
                                       std::is_same<T, ::executorch::aten::Half>::value ||
                                       std::is_same<T, ::executorch::aten::BFloat16>::value> {};

/// Of any C++ type: Half, BFloat16.
template <typename T>
struct is_reduced_floating_point
    : std::integral_constant<bool, std::is_same<T, ::executorch::aten::Half>::value ||
                                       std::is_same<T, ::executorch::aten::BFloat16>::value> {};

template <typename T, bool includeBool = false>
struct is_integral_type
    : std::integral_constant<bool, isIntegralType(CppTypeToScalarType<T>::value, includeBool)> {};

}  // namespace runtime
}  // namespace executorch

namespace executorch {
namespace aten {
using ::executorch::runtime::elementSize;
}  // namespace aten
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::can_cast;
using ::executorch::runtime::canCast;
using ::executorch::runtime::convert;
using ::executorch::runtime::CppTypeToScalarType;
using ::executorch::runtime::elementSize;
using ::executorch::runtime::is_barebones_unsigned_type;
using ::executorch::runtime::is_bits_type;
using ::executorch::runtime::is_complex_type;
using ::executorch::runtime::is_float8_type;
using ::executorch::runtime::is_floating_point;
using ::executorch::runtime::is_floating_type;
using ::executorch::runtime::is_integral_type;
using ::executorch::runtime::is_qint_type;
using ::executorch::runtime::is_real_type;
using ::executorch::runtime::is_reduced_floating_point;
using ::executorch::runtime::is_reduced_floating_type;
using ::executorch::runtime::isBitsType;
using ::executorch::runtime::isComplexType;
using ::executorch::runtime::isFloatingType;
using ::executorch::runtime::isIntegralType;
using ::executorch::runtime::isQIntType;
using ::executorch::runtime::isRealHBBF16Type;
using ::executorch::runtime::isRealHBF16Type;
using ::executorch::runtime::isRealHBType;
using ::executorch::runtime::isRealHType;
using ::executorch::runtime::isRealType;
using ::executorch::runtime::isReducedFloatingType;
using ::executorch::runtime::isSignedType;
using ::executorch::runtime::isUnderlying;
using ::executorch::runtime::isValid;
using ::executorch::runtime::promote_types;
using ::executorch::runtime::promoteTypes;
using ::executorch::runtime::ScalarTypeToCppType;
using ::executorch::runtime::toComplexType;
using ::executorch::runtime::toQIntType;
using ::executorch::runtime::toRealValueType;
using ::executorch::runtime::toString;
using ::executorch::runtime::toUnderlying;
}  // namespace executor
}  // namespace torch
