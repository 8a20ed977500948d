/// @file
/// Bit counting and power-of-two helpers under the names PyTorch takes from LLVM.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/llvmMathExtras.h>)
#include_next <c10/util/llvmMathExtras.h>
#else
#include <c10/util/llvmMathExtras.h>
#endif
#elif !defined(ET_C10_UTIL_LLVMMATHEXTRAS_H_)
#define ET_C10_UTIL_LLVMMATHEXTRAS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace c10 {
namespace llvm {

/// Number of zero bits below the lowest set bit; the width of T for 0.
template <typename T>
constexpr size_t countTrailingZeros(T value) {
  static_assert(std::is_unsigned<T>::value, "unsigned types only");
  size_t count = 0;
  constexpr size_t width = std::numeric_limits<T>::digits;
  while (count < width && (value & 1) == 0) {
    value = static_cast<T>(value >> 1);
    ++count;
  }
  return count;
}

/// Number of zero bits above the highest set bit; the width of T for 0.
template <typename T>
constexpr size_t countLeadingZeros(T value) {
  static_assert(std::is_unsigned<T>::value, "unsigned types only");
  size_t count = std::numeric_limits<T>::digits;
  while (value != 0) {
    value = static_cast<T>(value >> 1);
    --count;
  }
  return count;
}

constexpr bool isPowerOf2_32(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }
constexpr bool isPowerOf2_64(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// floor(log2(value)); wraps to the maximum of unsigned for 0.
constexpr unsigned Log2_32(uint32_t value) {
  return static_cast<unsigned>(31 - static_cast<int>(countLeadingZeros(value)));
}
constexpr unsigned Log2_64(uint64_t value) {
  return static_cast<unsigned>(63 - static_cast<int>(countLeadingZeros(value)));
}
/// ceil(log2(value)); 32 or 64 for 0.
constexpr unsigned Log2_32_Ceil(uint32_t value) {
  return static_cast<unsigned>(32 - countLeadingZeros(static_cast<uint32_t>(value - 1)));
}
constexpr unsigned Log2_64_Ceil(uint64_t value) {
  return static_cast<unsigned>(64 - countLeadingZeros(static_cast<uint64_t>(value - 1)));
}

/// Smallest power of two above `value`; 0 if there is none.
constexpr uint64_t NextPowerOf2(uint64_t value) {
  value |= value >> 1;
  value |= value >> 2;
  value |= value >> 4;
  value |= value >> 8;
  value |= value >> 16;
  value |= value >> 32;
  return value + 1;
}
/// Smallest power of two that is at least `value`; 0 for 0 or if there is none.
constexpr uint64_t PowerOf2Ceil(uint64_t value) { return value == 0 ? 0 : NextPowerOf2(value - 1); }
/// Largest power of two that is at most `value`; 0 for 0.
constexpr uint64_t PowerOf2Floor(uint64_t value) {
  return value == 0 ? 0 : uint64_t{1} << Log2_64(value);
}
/// Largest power of two that divides both.
constexpr uint64_t MinAlign(uint64_t a, uint64_t b) { return (a | b) & (1 + ~(a | b)); }
/// ceil(numerator / denominator).
constexpr uint64_t divideCeil(uint64_t numerator, uint64_t denominator) {
  return numerator / denominator + (numerator % denominator != 0 ? 1 : 0);
}

}  // namespace llvm
}  // namespace c10

#endif  // ET_C10_UTIL_LLVMMATHEXTRAS_H_
