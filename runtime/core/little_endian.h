#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace executorch {
namespace runtime {

/// An unsigned number of a file. Byte by byte, so that neither the host's byte order nor the
/// pointer's alignment matters.
template <typename T>
T read_little_endian(const void* from) {
  static_assert(std::is_unsigned<T>::value, "files have unsigned numbers");
  const uint8_t* const bytes = static_cast<const uint8_t*>(from);
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | (static_cast<T>(bytes[i]) << (8 * i)));
  }
  return value;
}

}  // namespace runtime
}  // namespace executorch
