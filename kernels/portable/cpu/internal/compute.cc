#include <cstring>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native::util {
namespace {

/// Half types by their bits, for conversions that vectorise.
struct HalfBits {
  uint16_t bits;
};
struct BFloat16Bits {
  uint16_t bits;
};

/// Tells Bool elements from Byte ones; a byte from a file may hold any value, so `bool` is not
/// usable.
struct BoolByte {
  uint8_t byte;
};

/// C++ conversion with every case defined: no float is out of range of an integer.
inline int64_t to_int64(double v) {
  constexpr double kLimit = 9223372036854775808.0;
  return v >= -kLimit && v < kLimit ? static_cast<int64_t>(v) : INT64_MIN;
}

template <typename To, typename From>
inline To convert(From v) {
  if constexpr (std::is_same_v<From, BoolByte>) {
    return convert<To>(static_cast<int64_t>(v.byte != 0));
  } else if constexpr (std::is_same_v<From, HalfBits>) {
    return convert<To>(half_to_float(v.bits));
  } else if constexpr (std::is_same_v<From, BFloat16Bits>) {
    return convert<To>(bfloat16_to_float(v.bits));
  } else if constexpr (std::is_same_v<To, BoolByte>) {
    return BoolByte{static_cast<uint8_t>(v != 0)};
  } else if constexpr (std::is_same_v<To, HalfBits>) {
    return HalfBits{float_to_half(static_cast<float>(v))};
  } else if constexpr (std::is_same_v<To, BFloat16Bits>) {
    return BFloat16Bits{float_to_bfloat16(static_cast<float>(v))};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(to_int64(static_cast<double>(v)));
  } else {
    return static_cast<To>(v);
  }
}

/// Compute type kBool is uint8_t, but its conversions are those of Bool.
template <typename C>
using Truth = std::conditional_t<std::is_same_v<C, uint8_t>, BoolByte, C>;

template <typename C, typename T>
void load_loop(const void* src_bytes, ptrdiff_t stride, size_t n, void* dst_bytes) {
  const T* src = static_cast<const T*>(src_bytes);
  Truth<C>* dst = static_cast<Truth<C>*>(dst_bytes);
  if (stride == 1) {
    for (size_t i = 0; i < n; ++i) {
      dst[i] = convert<Truth<C>>(src[i]);
    }
  } else if (stride == 0) {
    const Truth<C> value = convert<Truth<C>>(src[0]);
    for (size_t i = 0; i < n; ++i) {
      dst[i] = value;
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      dst[i] = convert<Truth<C>>(src[static_cast<ptrdiff_t>(i) * stride]);
    }
  }
}

template <typename C, typename T>
void store_loop(const void* src_bytes, size_t n, void* dst_bytes, ptrdiff_t stride) {
  const Truth<C>* src = static_cast<const Truth<C>*>(src_bytes);
  T* dst = static_cast<T*>(dst_bytes);
  if (stride == 1) {
    for (size_t i = 0; i < n; ++i) {
      dst[i] = convert<T>(src[i]);
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      dst[static_cast<ptrdiff_t>(i) * stride] = convert<T>(src[i]);
    }
  }
}

/// Calls `fn` with a value of the C++ type of `dtype`; does nothing for a dtype that is not real.
template <typename Fn>
inline void with_element_type(ScalarType dtype, Fn&& fn) {
  switch (dtype) {
    case ScalarType::Byte:
      return fn(uint8_t{});
    case ScalarType::Char:
      return fn(int8_t{});
    case ScalarType::Short:
      return fn(int16_t{});
    case ScalarType::Int:
      return fn(int32_t{});
    case ScalarType::Long:
      return fn(int64_t{});
    case ScalarType::Half:
      return fn(HalfBits{});
    case ScalarType::Float:
      return fn(float{});
    case ScalarType::Double:
      return fn(double{});
    case ScalarType::Bool:
      return fn(BoolByte{});
    case ScalarType::BFloat16:
      return fn(BFloat16Bits{});
    case ScalarType::UInt16:
      return fn(uint16_t{});
    case ScalarType::UInt32:
      return fn(uint32_t{});
    case ScalarType::UInt64:
      return fn(uint64_t{});
    default:
      return;
  }
}

/// Copies `n` elements without conversion; strides count elements.
[[maybe_unused]] void copy_elements(const void* src, ptrdiff_t src_stride, size_t n, void* dst,
                                    ptrdiff_t dst_stride, size_t size) {
  const char* from = static_cast<const char*>(src);
  char* to = static_cast<char*>(dst);
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(to, from, size);
    from += src_stride * static_cast<ptrdiff_t>(size);
    to += dst_stride * static_cast<ptrdiff_t>(size);
  }
}

template <typename C>
void load_as(ScalarType dtype, const void* src, ptrdiff_t stride, size_t n, void* dst) {
  constexpr Compute kC = ComputeOf<C>::value;
  if constexpr (has_loops(kC)) {
    with_element_type(dtype,
                      [&](auto element) { load_loop<C, decltype(element)>(src, stride, n, dst); });
  } else if (dtype == native_dtype(kC)) {
    copy_elements(src, stride, n, dst, 1, sizeof(C));
  } else {
    std::memset(dst, 0, n * sizeof(C));
  }
}

template <typename C>
void store_as(ScalarType dtype, const void* src, size_t n, void* dst, ptrdiff_t stride) {
  constexpr Compute kC = ComputeOf<C>::value;
  if constexpr (has_loops(kC)) {
    with_element_type(dtype,
                      [&](auto element) { store_loop<C, decltype(element)>(src, n, dst, stride); });
  } else if (dtype == native_dtype(kC)) {
    copy_elements(src, 1, n, dst, stride, sizeof(C));
  }
}

}  // namespace

bool is_real_dtype(ScalarType dtype) {
  bool real = false;
  with_element_type(dtype, [&](auto) { real = true; });
  return real;
}

void load(Compute c, ScalarType dtype, const void* src, ptrdiff_t stride, size_t n, void* dst) {
  switch (c) {
    case Compute::kBool:
      return load_as<uint8_t>(dtype, src, stride, n, dst);
    case Compute::kInt64:
      return load_as<int64_t>(dtype, src, stride, n, dst);
    case Compute::kFloat:
      return load_as<float>(dtype, src, stride, n, dst);
    case Compute::kDouble:
      return load_as<double>(dtype, src, stride, n, dst);
  }
}

void store(Compute c, ScalarType dtype, const void* src, size_t n, void* dst, ptrdiff_t stride) {
  switch (c) {
    case Compute::kBool:
      return store_as<uint8_t>(dtype, src, n, dst, stride);
    case Compute::kInt64:
      return store_as<int64_t>(dtype, src, n, dst, stride);
    case Compute::kFloat:
      return store_as<float>(dtype, src, n, dst, stride);
    case Compute::kDouble:
      return store_as<double>(dtype, src, n, dst, stride);
  }
}

ScalarValue::ScalarValue(double value) : i(to_int64(value)), d(value) {}

ScalarValue::ScalarValue(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) {
    *this = ScalarValue(scalar.to<double>());
  } else if (scalar.isBoolean()) {
    *this = ScalarValue(static_cast<int64_t>(scalar.to<bool>()));
  } else {
    *this = ScalarValue(scalar.to<int64_t>());
  }
}

void load_scalar(Compute c, const ScalarValue& scalar, void* dst) {
  switch (c) {
    case Compute::kBool: {
      const uint8_t v = scalar.as<uint8_t>();
      std::memcpy(dst, &v, sizeof(v));
      return;
    }
    case Compute::kInt64: {
      const int64_t v = scalar.as<int64_t>();
      std::memcpy(dst, &v, sizeof(v));
      return;
    }
    case Compute::kFloat: {
      const float v = scalar.as<float>();
      std::memcpy(dst, &v, sizeof(v));
      return;
    }
    case Compute::kDouble: {
      const double v = scalar.as<double>();
      std::memcpy(dst, &v, sizeof(v));
      return;
    }
  }
}

}  // namespace torch::executor::native::util
