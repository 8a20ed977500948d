/// @file
/// The 8-bit floating-point formats as storage: the runtime moves them, backends compute with them.
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {
namespace etensor {

/// 5 exponent, 2 mantissa bits; IEEE-like infinities and NaN.
struct alignas(1) Float8_e5m2 {
  using underlying = uint8_t;
  uint8_t x;
};

/// 4 exponent, 3 mantissa bits; finite values and NaN only.
struct alignas(1) Float8_e4m3fn {
  using underlying = uint8_t;
  uint8_t x;
};

/// 5 exponent, 2 mantissa bits; no infinities, no negative zero.
struct alignas(1) Float8_e5m2fnuz {
  using underlying = uint8_t;
  uint8_t x;
};

/// 4 exponent, 3 mantissa bits; no infinities, no negative zero.
struct alignas(1) Float8_e4m3fnuz {
  using underlying = uint8_t;
  uint8_t x;
};

// The types are storage only; the published headers say so by their namespace.
namespace unused_dtype {
using etensor::Float8_e4m3fn;
using etensor::Float8_e4m3fnuz;
using etensor::Float8_e5m2;
using etensor::Float8_e5m2fnuz;
}  // namespace unused_dtype

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
