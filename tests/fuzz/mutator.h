#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace executorch {
namespace fuzz {

using Bytes = std::vector<uint8_t>;

/// How many bytes of a file are not plain data: of a `.pte` or `.ptd` file everything before its
/// segments, of another one all.
size_t structured_size(const Bytes& file);

/// Tokens of a libFuzzer dictionary: lines `name="bytes"` with \xAB escapes; # starts a comment.
std::vector<Bytes> parse_dictionary(const std::string& text);

/// Damages files. What mutation number `index` does depends on the seed and on nothing else, so
/// that a failure is repeated by naming its number.
class Mutator {
 public:
  Mutator(uint64_t seed, std::vector<Bytes> dictionary);

  /// Which of `count` seeds mutation `index` starts from.
  size_t choose(uint64_t index, size_t count) const;

  /// Damages the part of `file` that `structured_size` gives, or anything with `everywhere`.
  Bytes mutate(uint64_t index, const Bytes& file, bool everywhere) const;

 private:
  uint64_t seed_;
  std::vector<Bytes> dictionary_;
};

}  // namespace fuzz
}  // namespace executorch
