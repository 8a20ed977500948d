/// @file
/// Integer arithmetic that reports overflow.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/safe_numerics.h>)
#include_next <c10/util/safe_numerics.h>
#else
#include <c10/util/safe_numerics.h>
#endif
#elif !defined(ET_C10_UTIL_SAFE_NUMERICS_H_)
#define ET_C10_UTIL_SAFE_NUMERICS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace c10 {

/// Stores a + b in `*out`. True if it overflowed (`*out` then holds the wrapped value).
template <typename T>
inline bool add_overflows(T a, T b, T* out) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_add_overflow(a, b, out);
#else
  using U = std::make_unsigned_t<T>;
  *out = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  if constexpr (std::is_signed<T>::value) {
    return b >= 0 ? a > std::numeric_limits<T>::max() - b : a < std::numeric_limits<T>::min() - b;
  } else {
    return *out < a;
  }
#endif
}

/// Stores a * b in `*out`. True if it overflowed (`*out` then holds the wrapped value).
template <typename T>
inline bool mul_overflows(T a, T b, T* out) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_mul_overflow(a, b, out);
#else
  using U = std::make_unsigned_t<T>;
  *out = static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  if (a == 0 || b == 0) {
    return false;
  }
  if constexpr (std::is_signed<T>::value) {
    if (a == -1) return b == std::numeric_limits<T>::min();
    if (b == -1) return a == std::numeric_limits<T>::min();
  }
  return *out / b != a;
#endif
}

/// As above, for the file formats' 64-bit offsets.
inline bool add_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return add_overflows<uint64_t>(a, b, out);
}
inline bool mul_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return mul_overflows<uint64_t>(a, b, out);
}

/// Product of the range [first, last); true if it overflowed.
template <typename It>
bool safe_multiplies_u64(It first, It last, uint64_t* out) {
  uint64_t product = 1;
  bool overflowed = false;
  for (; first != last; ++first) {
    overflowed |= mul_overflows<uint64_t>(product, static_cast<uint64_t>(*first), &product);
  }
  *out = product;
  return overflowed;
}

/// Product of the elements of a container; true if it overflowed.
template <typename Container>
bool safe_multiplies_u64(const Container& c, uint64_t* out) {
  return safe_multiplies_u64(c.begin(), c.end(), out);
}

}  // namespace c10

#endif  // ET_C10_UTIL_SAFE_NUMERICS_H_
