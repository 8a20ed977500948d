/// @file
/// std::bit_cast for C++17.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/bit_cast.h>)
#include_next <torch/headeronly/util/bit_cast.h>
#else
#include <torch/headeronly/util/bit_cast.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_BIT_CAST_H_)
#define ET_TORCH_HEADERONLY_UTIL_BIT_CAST_H_

#include <cstring>
#include <type_traits>

namespace c10 {

/// The value of type To that has the bytes of `source`.
template <typename To, typename From>
To bit_cast(const From& source) noexcept {
  static_assert(sizeof(To) == sizeof(From), "bit_cast between types of different size");
  static_assert(std::is_trivially_copyable<From>::value, "source must be trivially copyable");
  static_assert(std::is_trivially_copyable<To>::value, "target must be trivially copyable");
  static_assert(std::is_trivially_constructible<To>::value,
                "target must be trivially constructible");
  To target;
  std::memcpy(&target, &source, sizeof(To));
  return target;
}

}  // namespace c10

#endif  // ET_TORCH_HEADERONLY_UTIL_BIT_CAST_H_
