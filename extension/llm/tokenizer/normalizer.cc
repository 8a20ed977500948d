#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <executorch/extension/llm/tokenizer/base64.h>
#include <executorch/extension/llm/tokenizer/charsmap.h>
#include <executorch/extension/llm/tokenizer/normalizer.h>
#include <executorch/extension/llm/tokenizer/pattern.h>
#include <executorch/extension/llm/tokenizer/unicode.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

/// A change that cannot fail.
class Change : public Normalizer {
 public:
  explicit Change(std::function<std::string(const std::string&)> change)
      : change_(std::move(change)) {}

  Error normalize(std::string& text) const override {
    text = change_(text);
    return Error::Ok;
  }

 private:
  std::function<std::string(const std::string&)> change_;
};

class Replacement : public Normalizer {
 public:
  Replacement(std::unique_ptr<Regex> pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  Error normalize(std::string& text) const override {
    return replace_all(*pattern_, content_, text);
  }

 private:
  std::unique_ptr<Regex> pattern_;
  std::string content_;
};

class Sequence : public Normalizer {
 public:
  explicit Sequence(std::vector<std::unique_ptr<Normalizer>> parts) : parts_(std::move(parts)) {}

  Error normalize(std::string& text) const override {
    for (const auto& part : parts_) {
      const Error error = part->normalize(text);
      if (error != Error::Ok) {
        return error;
      }
    }
    return Error::Ok;
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> parts_;
};

/// The characters for which `change`, which may change them, is true.
template <typename Function>
std::string each_character(const std::string& text, const Function& change) {
  std::string changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    char32_t character = next_character(text, at);
    if (change(character)) {
      append_character(character, changed);
    }
  }
  return changed;
}

std::string stripped(const std::string& text, bool left, bool right) {
  size_t begin = 0;
  size_t end = 0;
  bool inside = !left;
  for (size_t at = 0; at < text.size();) {
    const size_t first = at;
    const bool space = is_space(next_character(text, at));
    if (!space && !inside) {
      begin = first;
      inside = true;
    }
    end = space ? end : at;
  }
  if (!inside) {
    return "";
  }
  return text.substr(begin, right ? std::max(end, begin) - begin : std::string::npos);
}

bool is_chinese(char32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

std::string cleaned(const std::string& text) {
  return each_character(text, [](char32_t& c) {
    if (c == 0 || c == 0xfffd || (is_other(c) && c != '\t' && c != '\n' && c != '\r')) {
      return false;
    }
    c = is_space(c) ? U' ' : c;
    return true;
  });
}

std::string with_space_around_chinese(const std::string& text) {
  std::string spaced;
  for (size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    const char* const space = is_chinese(character) ? " " : "";
    spaced += space;
    append_character(character, spaced);
    spaced += space;
  }
  return spaced;
}

std::unique_ptr<Normalizer> bert(const Json& config) {
  const bool clean = flag_field(config, "clean_text", true);
  const bool chinese = flag_field(config, "handle_chinese_chars", true);
  const bool lower = flag_field(config, "lowercase", true);
  const bool accents = flag_field(config, "strip_accents", lower);
  return std::make_unique<Change>([=](const std::string& given) {
    std::string text = clean ? cleaned(given) : given;
    text = chinese ? with_space_around_chinese(text) : text;
    if (accents) {
      text = each_character(normal_form(text, NormalForm::kD),
                            [](char32_t& c) { return !is_mark_without_width(c); });
    }
    return lower ? lower_case(text) : text;
  });
}

std::string of_translation(const std::string& text) {
  return each_character(text, [](char32_t& c) {
    if ((c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f ||
        c == 0x9f) {
      return false;
    }
    const bool space = c == 9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 ||
                       (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                       c == 0xfeff || c == 0xfffd;
    c = space ? U' ' : c;
    return true;
  });
}

std::string in_bytes(const std::string& text) {
  std::string characters;
  for (const char byte : text) {
    characters += character_of_byte(static_cast<unsigned char>(byte));
  }
  return characters;
}

/// Those that nothing more than their name says.
std::unique_ptr<Normalizer> by_name(const std::string& type) {
  static const std::unordered_map<std::string, std::string (*)(const std::string&)> changes = {
      {"NFC", [](const std::string& text) { return normal_form(text, NormalForm::kC); }},
      {"NFD", [](const std::string& text) { return normal_form(text, NormalForm::kD); }},
      {"NFKC", [](const std::string& text) { return normal_form(text, NormalForm::kKC); }},
      {"NFKD", [](const std::string& text) { return normal_form(text, NormalForm::kKD); }},
      {"Lowercase", [](const std::string& text) { return lower_case(text); }},
      {"StripAccents",
       [](const std::string& text) {
         return each_character(text, [](char32_t& c) { return !is_mark(c); });
       }},
      {"Nmt", of_translation},
      {"ByteLevel", in_bytes},
  };
  const auto found = changes.find(type);
  return found == changes.end() ? nullptr : std::make_unique<Change>(found->second);
}

std::unique_ptr<Normalizer> precompiled(const Json& config, std::string& why) {
  std::string bytes;
  Charsmap charsmap;
  if (!decode_base64(text_field(config, "precompiled_charsmap"), bytes) || !charsmap.load(bytes)) {
    why = "its precompiled_charsmap is no table of replacements in base64";
    return nullptr;
  }
  return std::make_unique<Change>([charsmap](const std::string& text) {
    return charsmap.empty() ? text : charsmap.replace_graphemes(text);
  });
}

}  // namespace

std::unique_ptr<Normalizer> read_normalizer(const Json& config, std::string& why, int depth) {
  const std::string type = type_of(config);
  if (auto simple = by_name(type)) {
    return simple;
  }
  if (type == "BertNormalizer") {
    return bert(config);
  }
  if (type == "Precompiled") {
    return precompiled(config, why);
  }
  if (type == "Strip") {
    const bool left = flag_field(config, "strip_left", true);
    const bool right = flag_field(config, "strip_right", true);
    return std::make_unique<Change>(
        [=](const std::string& text) { return stripped(text, left, right); });
  }
  if (type == "Prepend") {
    const std::string front = text_field(config, "prepend");
    return std::make_unique<Change>(
        [front](const std::string& text) { return text.empty() ? text : front + text; });
  }
  if (type == "Replace") {
    auto pattern = read_pattern(field(config, "pattern"), why);
    return pattern == nullptr
               ? nullptr
               : std::make_unique<Replacement>(std::move(pattern), text_field(config, "content"));
  }
  if (type != "Sequence" || !field(config, "normalizers").is_array() || depth == kDeepest) {
    why = "its normalizer '" + type + "' is not known, or not complete";
    return nullptr;
  }
  std::vector<std::unique_ptr<Normalizer>> parts;
  for (const Json& part : field(config, "normalizers")) {
    parts.push_back(read_normalizer(part, why, depth + 1));
    if (parts.back() == nullptr) {
      return nullptr;
    }
  }
  return std::make_unique<Sequence>(std::move(parts));
}

}  // namespace tokenizers
