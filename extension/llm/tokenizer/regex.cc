#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include <pcre2.h>

#include <executorch/extension/llm/tokenizer/regex.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

constexpr const char* kSpace = "\\x{9}-\\x{d}\\x{85}\\p{Z}";
constexpr const char* kWord = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}";
/// How many steps a match may take, and how much memory in KiB.
constexpr uint32_t kMostSteps = 10'000'000;
constexpr uint32_t kMostMemory = 1 << 18;

/// Writes \s, \S, \w and \W as the classes that they are in Unicode: the library's own have a
/// character more (U+180E), and others fewer.
std::string in_unicode(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      const char next = pattern[++i];
      const char* const members = next == 's' || next == 'S'   ? kSpace
                                  : next == 'w' || next == 'W' ? kWord
                                                               : nullptr;
      if (members == nullptr || (in_class && (next == 'S' || next == 'W'))) {
        out += {'\\', next};
      } else if (in_class) {
        out += members;
      } else {
        out += std::string(next == 'S' || next == 'W' ? "[^" : "[") + members + "]";
      }
      continue;
    }
    if (!in_class && pattern[i] == '[') {
      in_class = true;
      out += '[';
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') {
        out += pattern[++i];
      }
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') {
        out += pattern[++i];
      }
      continue;
    }
    if (in_class && pattern.substr(i, 2) == "[:") {  // A class by name, such as [:alpha:].
      const size_t end = std::min(pattern.find(":]", i), pattern.size() - 1);
      out += pattern.substr(i, end - i);
      i = end;
    }
    in_class = in_class && pattern[i] != ']';
    out += pattern[i];
  }
  return out;
}

std::string message(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

PCRE2_SPTR bytes_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data() != nullptr ? text.data() : "");
}

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;

  ~Compiled() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;

std::unique_ptr<Regex> Regex::compile(std::string_view pattern, std::string& why) {
  const std::string unicode = in_unicode(pattern);
  int code = 0;
  PCRE2_SIZE offset = 0;
  auto compiled = std::make_unique<Compiled>();
  compiled->code =
      pcre2_compile(bytes_of(unicode), unicode.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &offset, nullptr);
  if (compiled->code == nullptr) {
    why = "the pattern '" + std::string(pattern) + "' is none: " + message(code);
    return nullptr;
  }
  compiled->context = pcre2_match_context_create(nullptr);
  if (compiled->context == nullptr) {
    why = "there is no memory";
    return nullptr;
  }
  pcre2_set_match_limit(compiled->context, kMostSteps);
  pcre2_set_heap_limit(compiled->context, kMostMemory);
  return std::unique_ptr<Regex>(new Regex(std::move(compiled)));
}

std::unique_ptr<Regex> Regex::of_text(std::string_view text, std::string& why) {
  std::string pattern;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t character = next_character(text, at);
    const bool letter =
        character >= 0x80 || character <= ' ' || std::isalnum(static_cast<int>(character));
    pattern += letter ? "" : "\\";
    pattern += text.substr(begin, at - begin);
  }
  return compile(pattern, why);
}

Error Regex::find_all(std::string_view text, std::vector<Range>& matches) const {
  matches.clear();
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr), pcre2_match_data_free);
  if (data == nullptr) {
    return Error::MemoryAllocationFailed;
  }
  for (size_t at = 0; at <= text.size();) {
    const int code = pcre2_match(compiled_->code, bytes_of(text), text.size(), at,
                                 PCRE2_NO_UTF_CHECK, data.get(), compiled_->context);
    if (code == PCRE2_ERROR_NOMATCH) {
      break;
    }
    if (code < 0) {
      ET_LOG(Error, "A pattern of the tokenizer cannot be matched: %s", message(code).c_str());
      return Error::InvalidExternalData;
    }
    const PCRE2_SIZE* const range = pcre2_get_ovector_pointer(data.get());
    if (range[0] > range[1] || range[1] < at) {
      ET_LOG(Error, "A pattern of the tokenizer matches backwards, by \\K in a lookaround");
      return Error::InvalidExternalData;
    }
    at = range[1];
    // Nothing right behind a match is none.
    if (range[0] < range[1] || matches.empty() || matches.back().end < at) {
      matches.push_back({range[0], range[1]});
    }
    if (range[0] == range[1]) {
      if (at == text.size()) {
        break;
      }
      next_character(text, at);
    }
  }
  return Error::Ok;
}

}  // namespace tokenizers
