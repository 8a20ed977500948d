#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <executorch/tests/fuzz/mutator.h>

namespace executorch {
namespace fuzz {

/// A place in a flatbuffer that its schema gives a meaning.
struct Field {
  enum class Kind {
    kNumber,     ///< Of a table, a struct or a vector.
    kReference,  ///< The offset of a table, vector or string.
    kLength,     ///< How many elements a vector or string has.
  };
  Kind kind = Kind::kNumber;
  size_t at = 0;
  uint8_t size = 4;
  /// Where the reference leads to.
  size_t target = 0;
};

/// Finds the fields of a flatbuffer by its compiled schema (`.bfbs`), and damages them one by one:
/// what is in a file of another one's tensor, a vector that two tables share, a length that lies.
class FlatbufferFields {
 public:
  explicit FlatbufferFields(Bytes schema);

  /// Whether the schema is one.
  bool ok() const { return ok_; }

  /// All fields, by what they are: the name of table and field, or for references of their target.
  /// Empty where the bytes are no flatbuffer of this schema. It may begin anywhere within the first
  /// 64 bytes, behind a length or another format's header.
  std::map<std::string, std::vector<Field>> find(const Bytes& file) const;

  /// Damages one field; false if there is none.
  bool damage(Random& random, Bytes& file) const;

 private:
  Bytes schema_;
  bool ok_ = false;
};

}  // namespace fuzz
}  // namespace executorch
