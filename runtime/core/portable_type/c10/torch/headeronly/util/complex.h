/// @file
/// Complex numbers with a fixed layout (real, imaginary) and no dependency on <complex>, which in
/// common standard libraries pulls in the stream headers.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/complex.h>)
#include_next <torch/headeronly/util/complex.h>
#else
#include <torch/headeronly/util/complex.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_COMPLEX_H_)
#define ET_TORCH_HEADERONLY_UTIL_COMPLEX_H_

#include <cmath>
#include <iosfwd>
#include <limits>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>

namespace c10 {

/// A complex number; T is float, double or Half. Converts explicitly to and from std::complex.
template <typename T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  /* implicit */ constexpr complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}

  /// From a complex number of another precision; explicit when it narrows.
  template <typename U, std::enable_if_t<(sizeof(U) <= sizeof(T)), int> = 0>
  /* implicit */ constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}
  template <typename U, std::enable_if_t<(sizeof(U) > sizeof(T)), long> = 0>
  explicit constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}

  /// From std::complex or any type like it.
  template <typename C, typename V = typename C::value_type,
            typename = decltype(C(std::declval<V>(), std::declval<V>()).imag()),
            std::enable_if_t<!std::is_same<C, complex<V>>::value, int> = 0>
  explicit constexpr complex(const C& other)
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}

  /// To std::complex or any type like it.
  template <typename C, typename V = typename C::value_type,
            typename = decltype(C(std::declval<V>(), std::declval<V>()).imag()),
            std::enable_if_t<!std::is_same<C, complex<V>>::value, int> = 0>
  explicit constexpr operator C() const {
    return C(static_cast<V>(real_), static_cast<V>(imag_));
  }

  explicit constexpr operator bool() const { return real_ != T(0) || imag_ != T(0); }

  constexpr T real() const { return real_; }
  constexpr void real(T value) { real_ = value; }
  constexpr T imag() const { return imag_; }
  constexpr void imag(T value) { imag_ = value; }

  constexpr complex& operator=(T re) {
    real_ = re;
    imag_ = T(0);
    return *this;
  }
  constexpr complex& operator+=(T re) {
    real_ += re;
    return *this;
  }
  constexpr complex& operator-=(T re) {
    real_ -= re;
    return *this;
  }
  constexpr complex& operator*=(T re) {
    real_ *= re;
    imag_ *= re;
    return *this;
  }
  constexpr complex& operator/=(T re) {
    real_ /= re;
    imag_ /= re;
    return *this;
  }
  template <typename U>
  constexpr complex& operator+=(const complex<U>& b) {
    real_ += static_cast<T>(b.real_);
    imag_ += static_cast<T>(b.imag_);
    return *this;
  }
  template <typename U>
  constexpr complex& operator-=(const complex<U>& b) {
    real_ -= static_cast<T>(b.real_);
    imag_ -= static_cast<T>(b.imag_);
    return *this;
  }
  template <typename U>
  constexpr complex& operator*=(const complex<U>& b) {
    const T br = static_cast<T>(b.real_);
    const T bi = static_cast<T>(b.imag_);
    const T re = real_ * br - imag_ * bi;
    imag_ = real_ * bi + imag_ * br;
    real_ = re;
    return *this;
  }
  /// Divides by scaling with the larger component of `b` (Smith), which keeps intermediate results
  /// in range where the textbook formula overflows.
  template <typename U>
  constexpr complex& operator/=(const complex<U>& b) {
    const T br = static_cast<T>(b.real_);
    const T bi = static_cast<T>(b.imag_);
    const T abs_br = br < T(0) ? T(-br) : br;
    const T abs_bi = bi < T(0) ? T(-bi) : bi;
    if (abs_br >= abs_bi) {
      if (abs_br == T(0) && abs_bi == T(0)) {
        real_ /= abs_br;
        imag_ /= abs_bi;
        return *this;
      }
      const T ratio = bi / br;
      const T scale = T(1) / (br + bi * ratio);
      const T re = (real_ + imag_ * ratio) * scale;
      imag_ = (imag_ - real_ * ratio) * scale;
      real_ = re;
    } else {
      const T ratio = br / bi;
      const T scale = T(1) / (bi + br * ratio);
      const T re = (real_ * ratio + imag_) * scale;
      imag_ = (imag_ * ratio - real_) * scale;
      real_ = re;
    }
    return *this;
  }
};

#define C10_INTERNAL_COMPLEX_BINARY(op)                                        \
  template <typename T>                                                        \
  constexpr complex<T> operator op(const complex<T>& a, const complex<T>& b) { \
    complex<T> result = a;                                                     \
    return result op## = b;                                                    \
  }                                                                            \
  template <typename T>                                                        \
  constexpr complex<T> operator op(const complex<T>& a, const T& b) {          \
    complex<T> result = a;                                                     \
    return result op## = b;                                                    \
  }                                                                            \
  template <typename T>                                                        \
  constexpr complex<T> operator op(const T& a, const complex<T>& b) {          \
    complex<T> result(a, T());                                                 \
    return result op## = b;                                                    \
  }
C10_INTERNAL_COMPLEX_BINARY(+)
C10_INTERNAL_COMPLEX_BINARY(-)
C10_INTERNAL_COMPLEX_BINARY(*)
C10_INTERNAL_COMPLEX_BINARY(/)
#undef C10_INTERNAL_COMPLEX_BINARY

// With integers, which std::complex does not have: `z * 2`.
#define C10_INTERNAL_COMPLEX_INTEGER(op)                                                         \
  template <                                                                                     \
      typename T, typename I,                                                                    \
      std::enable_if_t<std::is_floating_point<T>::value && std::is_integral<I>::value, int> = 0> \
  constexpr complex<T> operator op(const complex<T>& a, const I& b) {                            \
    return a op static_cast<T>(b);                                                               \
  }                                                                                              \
  template <                                                                                     \
      typename T, typename I,                                                                    \
      std::enable_if_t<std::is_floating_point<T>::value && std::is_integral<I>::value, int> = 0> \
  constexpr complex<T> operator op(const I& a, const complex<T>& b) {                            \
    return static_cast<T>(a) op b;                                                               \
  }
C10_INTERNAL_COMPLEX_INTEGER(+)
C10_INTERNAL_COMPLEX_INTEGER(-)
C10_INTERNAL_COMPLEX_INTEGER(*)
C10_INTERNAL_COMPLEX_INTEGER(/)
#undef C10_INTERNAL_COMPLEX_INTEGER

template <typename T>
constexpr complex<T> operator+(const complex<T>& a) {
  return a;
}
template <typename T>
constexpr complex<T> operator-(const complex<T>& a) {
  return complex<T>(-a.real_, -a.imag_);
}
template <typename T>
constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real_ == b.real_ && a.imag_ == b.imag_;
}
template <typename T>
constexpr bool operator==(const complex<T>& a, const T& b) {
  return a.real_ == b && a.imag_ == T(0);
}
template <typename T>
constexpr bool operator==(const T& a, const complex<T>& b) {
  return b == a;
}
template <typename T>
constexpr bool operator!=(const complex<T>& a, const complex<T>& b) {
  return !(a == b);
}
template <typename T>
constexpr bool operator!=(const complex<T>& a, const T& b) {
  return !(a == b);
}
template <typename T>
constexpr bool operator!=(const T& a, const complex<T>& b) {
  return !(a == b);
}

template <typename T>
constexpr T real(const complex<T>& z) {
  return z.real();
}
template <typename T>
constexpr T imag(const complex<T>& z) {
  return z.imag();
}
template <typename T>
T abs(const complex<T>& z) {
  return static_cast<T>(std::hypot(z.real(), z.imag()));
}
template <typename T>
T arg(const complex<T>& z) {
  return static_cast<T>(std::atan2(z.imag(), z.real()));
}
template <typename T>
constexpr T norm(const complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <typename T>
constexpr complex<T> conj(const complex<T>& z) {
  return complex<T>(z.real(), -z.imag());
}
template <typename T>
complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(static_cast<T>(r * std::cos(theta)), static_cast<T>(r * std::sin(theta)));
}

inline namespace complex_literals {
constexpr complex<float> operator""_if(long double imag) {
  return complex<float>(0.0f, static_cast<float>(imag));
}
constexpr complex<double> operator""_id(long double imag) {
  return complex<double>(0.0, static_cast<double>(imag));
}
constexpr complex<float> operator""_if(unsigned long long imag) {
  return complex<float>(0.0f, static_cast<float>(imag));
}
constexpr complex<double> operator""_id(unsigned long long imag) {
  return complex<double>(0.0, static_cast<double>(imag));
}
}  // namespace complex_literals

/// "(re,im)", as std::complex is written. Compiled only where streams are used.
template <typename T, typename Char, typename Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const complex<T>& z) {
  return stream << '(' << z.real() << ',' << z.imag() << ')';
}

}  // namespace c10

// Generic kernels call these qualified with std, whatever the element type.
namespace std {
using c10::abs;
using c10::arg;
using c10::conj;
using c10::imag;
using c10::norm;
using c10::real;

template <typename T>
bool isnan(const c10::complex<T>& z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}

template <typename T>
class numeric_limits<c10::complex<T>> : public numeric_limits<T> {};
}  // namespace std

namespace torch {
namespace headeronly {
using c10::complex;
using c10::polar;
namespace complex_literals {
using c10::complex_literals::operator""_id;
using c10::complex_literals::operator""_if;
}  // namespace complex_literals
}  // namespace headeronly
}  // namespace torch

#endif  // ET_TORCH_HEADERONLY_UTIL_COMPLEX_H_
