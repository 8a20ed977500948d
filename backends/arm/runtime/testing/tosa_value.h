/// @file
/// Tensors of integers, as the operators of the test driver see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// Constants of 48 bits lie where the graph has them, which need not be aligned.
template <typename T>
int64_t load_as(const uint8_t* data, size_t index) {
  T element;
  std::memcpy(&element, data + index * sizeof(T), sizeof(T));
  return element;
}

template <typename T>
void store_as(uint8_t* data, size_t index, int64_t number) {
  const T element = static_cast<T>(number);
  std::memcpy(data + index * sizeof(T), &element, sizeof(T));
}

inline int64_t load(const Value& value, size_t index) {
  switch (value.type) {
    case Type::kBool:
      return value.data[index] != 0 ? 1 : 0;
    case Type::kInt8:
      return load_as<int8_t>(value.data, index);
    case Type::kInt16:
      return load_as<int16_t>(value.data, index);
    case Type::kInt32:
      return load_as<int32_t>(value.data, index);
    case Type::kInt48:
      return load_as<int64_t>(value.data, index);
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
      store_as<int8_t>(value.data, index, number);
      break;
    case Type::kInt16:
      store_as<int16_t>(value.data, index, number);
      break;
    case Type::kInt32:
      store_as<int32_t>(value.data, index, number);
      break;
    case Type::kInt48:
      store_as<int64_t>(value.data, index, number);
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
