/// @file
/// Tensors of integers, as the operators of the test driver see them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace backends {
namespace arm {
namespace tosa_test {

constexpr size_t kMostRank = 6;

enum class Type : uint8_t { kBool, kInt8, kInt16, kInt32, kInt48 };

/// A tensor, packed and in the order of its sizes. Int48 has eight bytes an element.
struct Value {
  Type type = Type::kInt8;
  size_t rank = 0;
  int32_t sizes[kMostRank] = {};
  size_t elements = 0;
  uint8_t* data = nullptr;  // Constants are not written.
};

size_t element_size(Type type);

/// Least and largest of a type.
int64_t lowest(Type type);
int64_t highest(Type type);

inline int64_t load(const Value& value, size_t index) {
  switch (value.type) {
    case Type::kBool:
      return value.data[index] != 0 ? 1 : 0;
    case Type::kInt8:
      return reinterpret_cast<const int8_t*>(value.data)[index];
    case Type::kInt16:
      return reinterpret_cast<const int16_t*>(value.data)[index];
    case Type::kInt32:
      return reinterpret_cast<const int32_t*>(value.data)[index];
    case Type::kInt48:
      return reinterpret_cast<const int64_t*>(value.data)[index];
  }
  return 0;
}

/// Writes the low bits of `number`.
inline void store(const Value& value, size_t index, int64_t number) {
  switch (value.type) {
    case Type::kBool:
      value.data[index] = number != 0 ? 1 : 0;
      break;
    case Type::kInt8:
      reinterpret_cast<int8_t*>(value.data)[index] = static_cast<int8_t>(number);
      break;
    case Type::kInt16:
      reinterpret_cast<int16_t*>(value.data)[index] = static_cast<int16_t>(number);
      break;
    case Type::kInt32:
      reinterpret_cast<int32_t*>(value.data)[index] = static_cast<int32_t>(number);
      break;
    case Type::kInt48:
      reinterpret_cast<int64_t*>(value.data)[index] = number;
      break;
  }
}

inline int64_t clamped(int64_t number, int64_t low, int64_t high) {
  return number < low ? low : number > high ? high : number;
}

/// The first element: of zero points and the like, which are tensors of one.
inline int64_t only(const Value& value) { return load(value, 0); }

/// `value * multiplier / 2 ** shift`, rounded to nearest with halves up (TOSA's apply_scale_32).
inline int64_t scaled(int64_t value, int64_t multiplier, int64_t shift, bool rounds_twice = false) {
  int64_t round = int64_t{1} << (shift - 1);
  if (rounds_twice && shift > 31) {
    round += value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  }
  return (value * multiplier + round) >> shift;
}

}  // namespace tosa_test
}  // namespace arm
}  // namespace backends
}  // namespace executorch
