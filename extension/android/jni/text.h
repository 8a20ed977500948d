#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace jni
}  // namespace extension
}  // namespace executorch
