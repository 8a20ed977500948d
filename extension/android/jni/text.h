#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace executorch {
namespace extension {
namespace jni {

/// Java's UTF-16 as UTF-8, not JNI's modified form, which file systems do not understand. Lone
/// surrogates become U+FFFD.
std::string to_utf8(std::u16string_view text);

/// UTF-8 as UTF-16. What is not UTF-8, and names in a damaged file need not be, becomes U+FFFD.
std::u16string to_utf16(std::string_view text);

/// How many bytes of UTF-8 that comes in pieces can be shown: all but the beginning of a character
/// at the end, the rest of which is still to come.
size_t whole_characters(std::string_view text);

/// Hands on UTF-8 that comes in pieces: what is not whole yet waits for the next piece.
class WholeCharacters {
 public:
  explicit WholeCharacters(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

  void take(const std::string& piece);

  /// What is left at the end is no character.
  void finish();

 private:
  std::function<void(const std::string&)> tell_;
  std::string pending_;
};

}  // namespace jni
}  // namespace extension
}  // namespace executorch
