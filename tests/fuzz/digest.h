#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace fuzz {

/// A running digest (FNV-1a) of what came out of a target.
struct Digest {
  uint64_t value = 0xcbf29ce484222325u;

  void add(uint64_t number) { value = (value ^ number) * 0x100000001b3u; }
  void add(const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      add(static_cast<const uint8_t*>(data)[i]);
    }
  }
};

}  // namespace fuzz
}  // namespace executorch
