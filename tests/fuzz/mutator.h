#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace executorch {
namespace fuzz {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

class FlatbufferFields;

/// How many bytes of a file are not plain data: of a `.pte` or `.ptd` file everything before its
/// segments, of another one all.
size_t structured_size(const Bytes& file);

/// Tokens of a libFuzzer dictionary: lines `name="bytes"` with \xAB escapes; # starts a comment.
std::vector<Bytes> parse_dictionary(const std::string& text);

/// Damages files. What mutation number `index` does depends on the seed and on nothing else, so
/// that a failure is repeated by naming its number.
class Mutator {
 public:
  /// @param fields Not null: most changes are made to fields of a flatbuffer.
  Mutator(uint64_t seed, std::vector<Bytes> dictionary,
          std::shared_ptr<const FlatbufferFields> fields = nullptr);

  /// Which of `count` seeds mutation `index` starts from.
  size_t choose(uint64_t index, size_t count) const;

  /// As many bytes, for a target that takes calls.
  Bytes random_bytes(uint64_t index, size_t size) const;

  /// Damages the part of `file` that `structured_size` gives, or anything with `everywhere`.
  Bytes mutate(uint64_t index, const Bytes& file, bool everywhere) const;

 private:
  /// Somewhere in the first `size` bytes.
  void change_bytes(Random& random, Bytes& file, size_t size) const;

  uint64_t seed_;
  std::vector<Bytes> dictionary_;
  std::shared_ptr<const FlatbufferFields> fields_;
};

}  // namespace fuzz
}  // namespace executorch
