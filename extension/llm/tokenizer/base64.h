#pragma once

#include <string>
#include <string_view>

namespace tokenizers {

/// Appends the bytes that base64 stands for, padded or not. @returns false for what is none.
bool decode_base64(std::string_view text, std::string& bytes);

}  // namespace tokenizers
