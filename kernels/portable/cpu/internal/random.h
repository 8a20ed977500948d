/**
 * @file
 * Random numbers for operators that have no other source of them.
 */
#pragma once

#include <cstdint>

namespace torch::executor::native::util {

/// A small generator (SplitMix64), seeded from the platform's clock; not for secrets.
class Random {
 public:
  Random();

  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1), a multiple of 2^-24 so that it stays below 1 as a float.
  double uniform() { return static_cast<double>(bits() >> 40) * (1.0 / 16777216.0); }

  /// Normal with mean 0 and variance 1.
  double normal();

 private:
  uint64_t state_;
};

}  // namespace torch::executor::native::util
