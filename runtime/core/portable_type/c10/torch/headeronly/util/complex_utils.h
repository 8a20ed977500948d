/// @file
/// Type traits of complex numbers.
#pragma once

#include <type_traits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex.h>

namespace c10 {

template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<complex<T>> : std::true_type {};

/// T for complex<T>, otherwise the type itself.
template <typename T>
struct scalar_value_type {
  using type = T;
};
template <typename T>
struct scalar_value_type<complex<T>> {
  using type = T;
};

}  // namespace c10
