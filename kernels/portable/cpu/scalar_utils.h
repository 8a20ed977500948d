/**
 * @file
 * Scalars in kernels: their dtype, promotion with tensors, and their value as an element.
 */
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor::native::utils {

using executorch::runtime::extract_scalar;

/// Bool, Long or Double: how the scalar is stored.
inline ScalarType get_scalar_dtype(const Scalar& scalar) {
  if (scalar.isBoolean()) {
    return ScalarType::Bool;
  }
  return scalar.isIntegral(/*includeBool=*/false) ? ScalarType::Long : ScalarType::Double;
}

/// True if both are numbers of one kind: truth values, integers, floating.
inline bool scalars_have_same_dtype(const Scalar& a, const Scalar& b) {
  return get_scalar_dtype(a) == get_scalar_dtype(b);
}

/**
 * The dtype of an operation on a tensor (of nonzero rank) of dtype `t` and a scalar, which only
 * counts if it is of a higher kind than the tensor.
 * @param half_to_float Float where the result would be a half type.
 */
inline ScalarType promote_type_with_scalar(ScalarType t, const Scalar& scalar,
                                           bool half_to_float = false) {
  if (half_to_float && (t == ScalarType::Half || t == ScalarType::BFloat16)) {
    t = ScalarType::Float;
  }
  if (executorch::runtime::isComplexType(t) || executorch::runtime::isFloatingType(t)) {
    return t;
  }
  if (scalar.isFloatingPoint()) {
    return ScalarType::Float;
  }
  return t == ScalarType::Bool && !scalar.isBoolean() ? ScalarType::Long : t;
}

/// The same for C++ types: T1 of the tensor, T2 of the scalar (bool, int64_t or double).
template <typename T1, typename T2, bool half_to_float = false>
struct promote_type_with_scalar_type {
  static_assert(std::is_same_v<T2, bool> || std::is_same_v<T2, int64_t> ||
                    std::is_same_v<T2, double>,
                "a scalar is a bool, an int64_t or a double");

 private:
  static constexpr bool is_half =
      std::is_same_v<T1, executorch::aten::Half> || std::is_same_v<T1, executorch::aten::BFloat16>;
  using Tensor1 = std::conditional_t<half_to_float && is_half, float, T1>;

 public:
  using type = std::conditional_t<
      executorch::runtime::is_floating_type<T1>::value ||
          executorch::runtime::is_complex_type<T1>::value,
      Tensor1,
      std::conditional_t<
          std::is_same_v<T2, double>, float,
          std::conditional_t<std::is_same_v<T1, bool> && !std::is_same_v<T2, bool>, int64_t, T1>>>;
};

/// The scalar as a T. Values out of T's range are cut off as C++ conversions do.
template <typename T>
T scalar_to(const Scalar& scalar) {
  if (scalar.isBoolean()) {
    return static_cast<T>(scalar.to<bool>());
  }
  if (scalar.isFloatingPoint()) {
    return executorch::runtime::convert<T>(scalar.to<double>());
  }
  return executorch::runtime::convert<T>(scalar.to<int64_t>());
}

namespace internal {

/// The scalar as an element of T; nothing if T cannot hold it, which is logged.
template <typename T>
std::optional<T> check_overflow_scalar_cast(const Scalar& scalar) {
  constexpr ScalarType dtype = executorch::runtime::CppTypeToScalarType<T>::value;
  if (!native::util::is_representable(scalar, dtype)) {
    ET_LOG(Error, "the scalar does not fit into %s", executorch::runtime::toString(dtype));
    return std::nullopt;
  }
  return scalar_to<T>(scalar);
}

}  // namespace internal

/// The same under the name without `internal`.
template <typename T>
std::optional<T> check_overflow_scalar_cast(const Scalar& scalar) {
  return internal::check_overflow_scalar_cast<T>(scalar);
}

}  // namespace torch::executor::native::utils
