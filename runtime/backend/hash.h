#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace executorch {
namespace runtime {

/// A 64-bit digest of what is added, the same in every process. Fast, and not against forgers.
class Hash {
 public:
  Hash& add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    add_word(size);
    // Four chains, since a multiplication takes longer than reading what it multiplies. Each step
    // can be undone, so that no single word can change unseen.
    uint64_t lanes[4] = {state_, ~state_, state_ ^ kFirst, state_ + kSecond};
    for (; size >= sizeof(lanes); size -= sizeof(lanes), bytes += sizeof(lanes)) {
      uint64_t words[4];
      std::memcpy(words, bytes, sizeof(words));
      for (int i = 0; i < 4; ++i) {
        lanes[i] = rotated((lanes[i] ^ words[i]) * kFirst);
      }
    }
    for (const uint64_t lane : lanes) {
      add_word(lane);
    }
    for (; size > 0;) {
      const size_t part = size < sizeof(uint64_t) ? size : sizeof(uint64_t);
      uint64_t word = 0;
      std::memcpy(&word, bytes, part);
      add_word(word);
      bytes += part;
      size -= part;
    }
    return *this;
  }

  Hash& add_word(uint64_t word) {
    state_ = mix(state_, word);
    return *this;
  }

  uint64_t digest() const { return mix(state_, kSecond); }

 private:
  static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15u;
  static constexpr uint64_t kSecond = 0xd6e8feb86659fd93u;

  static uint64_t mix(uint64_t state, uint64_t word) {
    state = (state ^ word) * kFirst;
    return (state ^ (state >> 29)) * kSecond;
  }

  static uint64_t rotated(uint64_t word) { return word << 29 | word >> 35; }

  uint64_t state_ = kSecond;
};

}  // namespace runtime
}  // namespace executorch
