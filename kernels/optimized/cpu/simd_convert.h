/**
 * @file
 * Conversions between element types, a part of simd_loops.h, where its use is described. Results
 * are those of util::load and util::store.
 */
#pragma once

#include <type_traits>

#include <executorch/kernels/optimized/cpu/simd_math.h>

namespace torch::executor::native::optimized {
namespace {

/// Types that C++ has no arithmetic for.
struct HalfBits {
  uint16_t bits;
};
struct BFloat16Bits {
  uint16_t bits;
};
/// A byte that is true if it is not 0.
struct BoolByte {
  uint8_t byte;
};

/// What the elements of a type are calculated with.
template <typename T>
struct Wide {
  using Type = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
};
template <>
struct Wide<HalfBits> {
  using Type = float;
};
template <>
struct Wide<BFloat16Bits> {
  using Type = float;
};
template <>
struct Wide<BoolByte> {
  using Type = int64_t;
};

template <typename T>
ET_TARGET inline typename Wide<T>::Type widen(T x) {
  if constexpr (std::is_same_v<T, HalfBits>) {
    return util::half_to_float(x.bits);
  } else if constexpr (std::is_same_v<T, BFloat16Bits>) {
    return util::bfloat16_to_float(x.bits);
  } else if constexpr (std::is_same_v<T, BoolByte>) {
    return x.byte != 0;
  } else {
    return x;
  }
}

template <typename To, typename From>
ET_TARGET inline To narrow(From x) {
  if constexpr (std::is_same_v<To, HalfBits>) {
    return {util::float_to_half(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<To, BFloat16Bits>) {
    return {util::float_to_bfloat16(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<To, BoolByte>) {
    return {static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Every case is defined: no number is out of range.
    constexpr From kLimit = static_cast<From>(9223372036854775808.0);
    const bool inside = x >= -kLimit && x < kLimit;
    return static_cast<To>(inside ? static_cast<int64_t>(inside ? x : 0) : INT64_MIN);
  } else {
    return static_cast<To>(x);
  }
}

/// Floats to integers of at most 32 bits by way of these, a block at a time, if all of the block
/// are in their range, which is half the work.
template <typename From, typename To>
ET_TARGET inline bool convert_small(const From* from, size_t n, To* to) {
  constexpr From kLimit = static_cast<From>(2147483520.0);
  int outside = 0;
  for (size_t i = 0; i < n; ++i) {
    outside |= !(from[i] >= -kLimit && from[i] <= kLimit);
  }
  if (outside != 0) {
    return false;
  }
  for (size_t i = 0; i < n; ++i) {
    to[i] = static_cast<To>(static_cast<int32_t>(from[i]));
  }
  return true;
}

/// Half the bytes of a Vector: its elements as a half type.
typedef uint16_t ShortVector __attribute__((vector_size(ET_VECTOR_BYTES / 2)));

ET_TARGET inline Vector widened(ShortVector bits, BFloat16Bits /*type*/) {
  return float_of_words(__builtin_convertvector(bits, WordVector) << 16);
}

ET_TARGET inline ShortVector narrowed(Vector v, BFloat16Bits /*type*/) {
  const WordVector bits = words_of(v);
  const WordVector rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const WordVector quiet = WordVector{} + 0x7fc0u;
  return __builtin_convertvector(v != v ? quiet : rounded, ShortVector);
}

#if ET_VECTOR_BYTES == 64
ET_TARGET inline Vector widened(ShortVector bits, HalfBits /*type*/) {
  __m256i packed;
  std::memcpy(&packed, &bits, sizeof(packed));
  return _mm512_cvtph_ps(packed);
}

ET_TARGET inline ShortVector narrowed(Vector v, HalfBits /*type*/) {
  const __m256i packed = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  ShortVector bits;
  std::memcpy(&bits, &packed, sizeof(bits));
  return bits;
}
#else
/// As util::half_to_float.
ET_TARGET inline Vector widened(ShortVector bits, HalfBits /*type*/) {
  const WordVector wide = __builtin_convertvector(bits, WordVector);
  const WordVector magnitude = wide & 0x7fffu;
  const Vector scaled = float_of_words(magnitude << 13) * util::float_from_bits(0x77800000u);
  const WordVector special = magnitude >= 0x7c00u ? WordVector{} + 0x7f800000u : WordVector{};
  return float_of_words(words_of(scaled) | special | ((wide & 0x8000u) << 16));
}

/// As util::float_to_half.
ET_TARGET inline ShortVector narrowed(Vector v, HalfBits /*type*/) {
  const WordVector bits = words_of(v);
  const WordVector sign = bits & 0x80000000u;
  const WordVector magnitude = bits ^ sign;
  const WordVector normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const WordVector subnormal = words_of(float_of_words(magnitude) + 0.5f) - 0x3f000000u;
  WordVector result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? WordVector{} + 0x7c00u : result;
  result = magnitude > 0x7f800000u ? WordVector{} + 0x7e00u : result;
  return __builtin_convertvector(result | (sign >> 16), ShortVector);
}
#endif

template <typename Half>
ET_TARGET void widen_halves(const void* from, size_t n, void* to) {
  const uint16_t* x = static_cast<const uint16_t*>(from);
  float* out = static_cast<float*>(to);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    ShortVector bits;
    std::memcpy(&bits, x + i, sizeof(bits));
    store(widened(bits, Half{}), out + i);
  }
  if (i < n) {
    ShortVector bits = {};
    std::memcpy(&bits, x + i, (n - i) * sizeof(uint16_t));
    const Vector rest = widened(bits, Half{});
    std::memcpy(out + i, &rest, (n - i) * sizeof(float));
  }
}

template <typename Half>
ET_TARGET void narrow_floats(const void* from, size_t n, void* to) {
  const float* x = static_cast<const float*>(from);
  uint16_t* out = static_cast<uint16_t*>(to);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const ShortVector bits = narrowed(load(x + i), Half{});
    std::memcpy(out + i, &bits, sizeof(bits));
  }
  if (i < n) {
    Vector rest = {};
    std::memcpy(&rest, x + i, (n - i) * sizeof(float));
    const ShortVector bits = narrowed(rest, Half{});
    std::memcpy(out + i, &bits, (n - i) * sizeof(uint16_t));
  }
}

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, HalfBits> || std::is_same_v<T, BFloat16Bits>;

template <typename From, typename To>
ET_TARGET void convert(const void* from_bytes, size_t n, void* to_bytes) {
  const From* from = static_cast<const From*>(from_bytes);
  To* to = static_cast<To*>(to_bytes);
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) <= 4) {
    constexpr size_t kBlock = 512;
    for (size_t begin = 0; begin < n; begin += kBlock) {
      const size_t count = n - begin < kBlock ? n - begin : kBlock;
      if (!convert_small(from + begin, count, to + begin)) {
        for (size_t i = begin; i < begin + count; ++i) {
          to[i] = narrow<To>(widen(from[i]));
        }
      }
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      to[i] = narrow<To>(widen(from[i]));
    }
  }
}

template <typename From, typename To>
constexpr ConvertLoop converter() {
  if constexpr (std::is_same_v<From, To>) {
    return nullptr;
  } else if constexpr (kIsHalf<From> && std::is_same_v<To, float>) {
    return widen_halves<From>;
  } else if constexpr (std::is_same_v<From, float> && kIsHalf<To>) {
    return narrow_floats<To>;
  } else {
    return convert<From, To>;
  }
}

/// Fills row `From` of the table; types in the order of Element.
template <typename From, typename... To>
constexpr void set_converters(ConvertLoop* row) {
  size_t i = 0;
  ((row[i++] = converter<From, To>()), ...);
}

template <typename... T>
constexpr ElementwiseLoops with_converters(ElementwiseLoops loops) {
  size_t i = 0;
  (set_converters<T, T...>(loops.convert[i++]), ...);
  return loops;
}

}  // namespace
}  // namespace torch::executor::native::optimized
