/// @file
/// Scalar: a number whose type is known at run time only.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// A bool, an int64_t or a double, as operators take it.
class Scalar {
 public:
  /// Integer 0.
  Scalar() : Scalar(int64_t{0}) {}

  /* implicit */ Scalar(bool value) : tag_(Tag::Bool) { value_.as_bool = value; }

  /// Any other integer type becomes int64_t.
  template <typename T,
            std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0>
  /* implicit */ Scalar(T value) : tag_(Tag::Int) {
    value_.as_int = static_cast<int64_t>(value);
  }

  /// Any floating-point type becomes double.
  template <typename T,
            std::enable_if_t<std::is_floating_point<T>::value || std::is_same<T, Half>::value ||
                                 std::is_same<T, BFloat16>::value,
                             long> = 0>
  /* implicit */ Scalar(T value) : tag_(Tag::Double) {
    value_.as_double = static_cast<double>(value);
  }

  /// An integer, optionally also counting bool as one.
  bool isIntegral(bool includeBool) const {
    return tag_ == Tag::Int || (includeBool && tag_ == Tag::Bool);
  }
  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isBoolean() const { return tag_ == Tag::Bool; }

  /// Bool, Long or Double.
  ScalarType type() const {
    switch (tag_) {
      case Tag::Bool:
        return ScalarType::Bool;
      case Tag::Int:
        return ScalarType::Long;
      case Tag::Double:
        break;
    }
    return ScalarType::Double;
  }

  /// The number as a T (bool, an integer or a floating-point type). A double outside the range of
  /// an integer T gives the nearest value of T, NaN gives 0.
  template <typename T>
  T to() const {
    if constexpr (std::is_same<T, bool>::value) {
      return is_true();
    } else {
      switch (tag_) {
        case Tag::Bool:
          return static_cast<T>(value_.as_bool ? 1 : 0);
        case Tag::Int:
          return from_int<T>(value_.as_int);
        case Tag::Double:
          break;
      }
      return from_double<T>(value_.as_double);
    }
  }

  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toInt() const { return to<int64_t>(); }
  int64_t toLong() const { return to<int64_t>(); }
  bool toBool() const { return to<bool>(); }

 private:
  enum class Tag : uint8_t { Bool, Int, Double };

  bool is_true() const {
    switch (tag_) {
      case Tag::Bool:
        return value_.as_bool;
      case Tag::Int:
        return value_.as_int != 0;
      case Tag::Double:
        break;
    }
    return value_.as_double != 0.0;
  }

  template <typename T>
  static T from_int(int64_t value) {
    if constexpr (std::is_integral<T>::value) {
      return static_cast<T>(value);
    } else {
      return static_cast<T>(static_cast<double>(value));
    }
  }

  template <typename T>
  static T from_double(double value) {
    if constexpr (std::is_integral<T>::value) {
      // Converting an out-of-range double is undefined in C++. 2^digits is exact in double, unlike
      // max() of the 64-bit types.
      constexpr double limit = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2.0;
      if (value != value) {
        return T(0);
      }
      if (value >= limit) {
        return std::numeric_limits<T>::max();
      }
      if (value <= static_cast<double>(std::numeric_limits<T>::lowest())) {
        return std::numeric_limits<T>::lowest();
      }
    }
    return static_cast<T>(value);
  }

  Tag tag_;
  union {
    bool as_bool;
    int64_t as_int;
    double as_double;
  } value_;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Scalar;
}  // namespace executor
}  // namespace torch
