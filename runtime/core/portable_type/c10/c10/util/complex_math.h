/// @file
/// Elementary functions of complex numbers, through std::complex. A header of its own, since
/// <complex> brings the stream headers of the standard library along.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
// PyTorch's complex.h is what includes its complex_math.h; alone that is an error.
#if !defined(C10_INTERNAL_INCLUDE_COMPLEX_REMAINING_H)
#include <executorch/runtime/core/portable_type/c10/c10/util/complex.h>
#elif __has_include_next(<c10/util/complex_math.h>)
#include_next <c10/util/complex_math.h>
#endif
#elif !defined(ET_C10_UTIL_COMPLEX_MATH_H_)
#define ET_C10_UTIL_COMPLEX_MATH_H_

#include <complex>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex.h>

namespace c10_complex_math {

#define C10_INTERNAL_COMPLEX_UNARY(fn)                                             \
  template <typename T>                                                            \
  inline c10::complex<T> fn(const c10::complex<T>& x) {                            \
    return static_cast<c10::complex<T>>(std::fn(static_cast<std::complex<T>>(x))); \
  }
C10_INTERNAL_COMPLEX_UNARY(exp)
C10_INTERNAL_COMPLEX_UNARY(log)
C10_INTERNAL_COMPLEX_UNARY(log10)
C10_INTERNAL_COMPLEX_UNARY(sqrt)
C10_INTERNAL_COMPLEX_UNARY(sin)
C10_INTERNAL_COMPLEX_UNARY(cos)
C10_INTERNAL_COMPLEX_UNARY(tan)
C10_INTERNAL_COMPLEX_UNARY(asin)
C10_INTERNAL_COMPLEX_UNARY(acos)
C10_INTERNAL_COMPLEX_UNARY(atan)
C10_INTERNAL_COMPLEX_UNARY(sinh)
C10_INTERNAL_COMPLEX_UNARY(cosh)
C10_INTERNAL_COMPLEX_UNARY(tanh)
C10_INTERNAL_COMPLEX_UNARY(asinh)
C10_INTERNAL_COMPLEX_UNARY(acosh)
C10_INTERNAL_COMPLEX_UNARY(atanh)
#undef C10_INTERNAL_COMPLEX_UNARY

template <typename T>
inline c10::complex<T> log2(const c10::complex<T>& x) {
  const c10::complex<T> natural = c10_complex_math::log(x);
  return c10::complex<T>(natural.real() / std::log(T(2)), natural.imag() / std::log(T(2)));
}
template <typename T>
inline c10::complex<T> pow(const c10::complex<T>& x, const c10::complex<T>& y) {
  return static_cast<c10::complex<T>>(
      std::pow(static_cast<std::complex<T>>(x), static_cast<std::complex<T>>(y)));
}
template <typename T>
inline c10::complex<T> pow(const c10::complex<T>& x, const T& y) {
  return static_cast<c10::complex<T>>(std::pow(static_cast<std::complex<T>>(x), y));
}
template <typename T>
inline c10::complex<T> pow(const T& x, const c10::complex<T>& y) {
  return static_cast<c10::complex<T>>(std::pow(x, static_cast<std::complex<T>>(y)));
}

}  // namespace c10_complex_math

// Generic kernels call these qualified with std, whatever the element type.
namespace std {
using c10_complex_math::acos;
using c10_complex_math::acosh;
using c10_complex_math::asin;
using c10_complex_math::asinh;
using c10_complex_math::atan;
using c10_complex_math::atanh;
using c10_complex_math::cos;
using c10_complex_math::cosh;
using c10_complex_math::exp;
using c10_complex_math::log;
using c10_complex_math::log10;
using c10_complex_math::log2;
using c10_complex_math::pow;
using c10_complex_math::sin;
using c10_complex_math::sinh;
using c10_complex_math::sqrt;
using c10_complex_math::tan;
using c10_complex_math::tanh;
}  // namespace std

#endif  // ET_C10_UTIL_COMPLEX_MATH_H_
