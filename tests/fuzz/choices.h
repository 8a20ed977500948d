#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

namespace executorch {
namespace fuzz {

/// What a target that takes calls instead of a file does next, read off the bytes that it got;
/// behind their end off numbers that follow from them, so that few bytes are many calls.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : at_(data), end_(data + size) {
    uint64_t state = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i) {
      state = (state ^ data[i]) * 0x100000001b3u;
    }
    more_.seed(state);
  }

  /// Below `count`, which is not 0.
  uint64_t below(uint64_t count) { return next() % count; }
  bool one_in(uint64_t count) { return below(count) == 0; }

  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(below(static_cast<uint64_t>(last - first) + 1));
  }

  template <typename T>
  T of(std::initializer_list<T> list) {
    return *std::next(list.begin(), static_cast<ptrdiff_t>(below(list.size())));
  }

 private:
  uint64_t next() {
    if (end_ - at_ >= 2) {
      const uint64_t value = at_[0] | (uint64_t{at_[1]} << 8);
      at_ += 2;
      return value;
    }
    return more_();
  }

  const uint8_t* at_;
  const uint8_t* end_;
  std::mt19937_64 more_;
};

}  // namespace fuzz
}  // namespace executorch
