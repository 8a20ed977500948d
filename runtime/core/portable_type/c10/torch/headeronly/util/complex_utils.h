/// @file
/// Type traits of complex numbers.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#include <executorch/runtime/core/portable_type/c10/c10/util/complex.h>
#elif !defined(ET_TORCH_HEADERONLY_UTIL_COMPLEX_UTILS_H_)
#define ET_TORCH_HEADERONLY_UTIL_COMPLEX_UTILS_H_

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

namespace torch {
namespace headeronly {
using c10::is_complex;
using c10::scalar_value_type;
}  // namespace headeronly
}  // namespace torch

#endif  // ET_TORCH_HEADERONLY_UTIL_COMPLEX_UTILS_H_
