/// @file
/// Small helpers of the ETDump library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace etdump {
namespace internal {

/// The first address at or after `pointer` that is a multiple of `alignment`, a power of two.
inline uint8_t* align_pointer(void* pointer, size_t alignment) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const uintptr_t aligned = (address + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1);
  return static_cast<uint8_t*>(pointer) + (aligned - address);
}

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
