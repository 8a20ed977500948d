#include <executorch/extension/llm/tokenizer/pattern.h>

namespace tokenizers {

using ::executorch::runtime::Error;

std::unique_ptr<Regex> read_pattern(const Json& pattern, std::string& why) {
  if (const auto* const text = field(pattern, "String").get_ptr<const std::string*>()) {
    return Regex::of_text(*text, why);
  }
  if (const auto* const expression = field(pattern, "Regex").get_ptr<const std::string*>()) {
    return Regex::compile(*expression, why);
  }
  why = "a pattern is neither {\"String\": ...} nor {\"Regex\": ...}";
  return nullptr;
}

Error replace_all(const Regex& pattern, std::string_view content, std::string& text) {
  std::vector<Range> matches;
  const Error error = pattern.find_all(text, matches);
  if (error != Error::Ok || matches.empty()) {
    return error;
  }
  std::string replaced;
  size_t at = 0;
  for (const Range& match : matches) {
    replaced.append(text, at, match.begin - at);
    replaced += content;
    at = match.end;
  }
  replaced.append(text, at);
  text = std::move(replaced);
  return Error::Ok;
}

void replace_all(std::string_view from, std::string_view to, std::string& text) {
  if (from.empty() || text.find(from) == std::string::npos) {
    return;
  }
  std::string replaced;
  size_t at = 0;
  for (size_t found = text.find(from); found != std::string::npos; found = text.find(from, at)) {
    replaced.append(text, at, found - at);
    replaced += to;
    at = found + from.size();
  }
  replaced.append(text, at);
  text = std::move(replaced);
}

}  // namespace tokenizers
