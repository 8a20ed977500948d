#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/extension/llm/tokenizer/regex.h>

namespace tokenizers {

/// {"String": ...} or {"Regex": ...} of a file, compiled; null and the reason for what is neither.
std::unique_ptr<Regex> read_pattern(const Json& pattern, std::string& why);

/// The text with each match replaced.
[[nodiscard]] executorch::runtime::Error replace_all(const Regex& pattern, std::string_view content,
                                                     std::string& text);

/// A text of which a part of a file speaks literally.
void replace_all(std::string_view from, std::string_view to, std::string& text);

}  // namespace tokenizers
