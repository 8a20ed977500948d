#include <functional>
#include <utility>

#include <executorch/extension/llm/tokenizer/division.h>
#include <executorch/extension/llm/tokenizer/pattern.h>
#include <executorch/extension/llm/tokenizer/pre_tokenizer.h>
#include <executorch/extension/llm/tokenizer/unicode.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

constexpr const char* kGpt2 =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

using Finder = std::function<Error(std::string_view text, std::vector<Range>& matches)>;

/// Divides at what is found.
class Divider : public PreTokenizer {
 public:
  Divider(Finder find, Delimiter delimiter, bool invert = false)
      : find_(std::move(find)), delimiter_(delimiter), invert_(invert) {}

  Error divide(std::vector<Part>& parts) const override {
    std::vector<Part> divided;
    std::vector<Range> matches;
    for (const Part& part : parts) {
      const Error error = find_(part.text, matches);
      if (error != Error::Ok) {
        return error;
      }
      divide_at(part, matches, delimiter_, invert_, divided);
    }
    parts = std::move(divided);
    return Error::Ok;
  }

 private:
  Finder find_;
  Delimiter delimiter_;
  bool invert_;
};

/// Changes each part.
class Editor : public PreTokenizer {
 public:
  explicit Editor(std::function<void(Part&)> edit) : edit_(std::move(edit)) {}

  Error divide(std::vector<Part>& parts) const override {
    for (Part& part : parts) {
      edit_(part);
    }
    return Error::Ok;
  }

 private:
  std::function<void(Part&)> edit_;
};

class Sequence : public PreTokenizer {
 public:
  explicit Sequence(std::vector<std::unique_ptr<PreTokenizer>> steps) : steps_(std::move(steps)) {}

  Error divide(std::vector<Part>& parts) const override {
    for (const auto& step : steps_) {
      const Error error = step->divide(parts);
      if (error != Error::Ok) {
        return error;
      }
    }
    return Error::Ok;
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> steps_;
};

using Steps = std::vector<std::unique_ptr<PreTokenizer>>;

template <typename Predicate>
std::unique_ptr<PreTokenizer> at_characters(const Predicate& is_delimiter, Delimiter delimiter) {
  return std::make_unique<Divider>(
      [is_delimiter](std::string_view text, std::vector<Range>& matches) {
        matches = characters_that(text, is_delimiter);
        return Error::Ok;
      },
      delimiter);
}

std::unique_ptr<PreTokenizer> at_pattern(std::shared_ptr<Regex> pattern, Delimiter delimiter,
                                         bool invert) {
  return std::make_unique<Divider>(
      [pattern](std::string_view text, std::vector<Range>& matches) {
        return pattern->find_all(text, matches);
      },
      delimiter, invert);
}

std::unique_ptr<PreTokenizer> byte_level(const Json& config, std::string& why) {
  Steps steps;
  if (flag_field(config, "add_prefix_space", true)) {
    steps.push_back(std::make_unique<Editor>([](Part& part) {
      if (part.text.front() != ' ') {
        part.text.insert(0, " ");
      }
    }));
  }
  if (flag_field(config, "use_regex", true)) {
    steps.push_back(at_pattern(Regex::compile(kGpt2, why), Delimiter::kIsolated, false));
  }
  steps.push_back(std::make_unique<Editor>([](Part& part) {
    std::string characters;
    for (const char byte : part.text) {
      characters += character_of_byte(static_cast<unsigned char>(byte));
    }
    part.text = std::move(characters);
  }));
  return std::make_unique<Sequence>(std::move(steps));
}

std::unique_ptr<PreTokenizer> metaspace(const Json& config, std::string& why) {
  const std::string replacement = text_field(config, "replacement");
  std::string scheme = text_field(config, "prepend_scheme");
  if (scheme.empty()) {
    scheme = flag_field(config, "add_prefix_space", true) ? "always" : "never";
  }
  if (replacement.empty() || (scheme != "always" && scheme != "first" && scheme != "never")) {
    why = "its Metaspace has no replacement, or a prepend_scheme that is not known";
    return nullptr;
  }
  Steps steps;
  steps.push_back(std::make_unique<Editor>([replacement, scheme](Part& part) {
    replace_all(" ", replacement, part.text);
    const bool here = scheme == "always" || (scheme == "first" && part.first);
    if (here && part.text.compare(0, replacement.size(), replacement) != 0) {
      part.text.insert(0, replacement);
    }
  }));
  if (flag_field(config, "split", true)) {
    steps.push_back(
        at_pattern(Regex::of_text(replacement, why), Delimiter::kMergedWithNext, false));
  }
  return std::make_unique<Sequence>(std::move(steps));
}

std::unique_ptr<PreTokenizer> split(const Json& config, std::string& why) {
  Delimiter delimiter;
  if (!read_delimiter(text_field(config, "behavior"), delimiter)) {
    why = "its Split has no behavior that is known";
    return nullptr;
  }
  auto pattern = read_pattern(field(config, "pattern"), why);
  return pattern == nullptr
             ? nullptr
             : at_pattern(std::move(pattern), delimiter, flag_field(config, "invert", false));
}

std::unique_ptr<PreTokenizer> fixed_length(const Json& config, std::string& why) {
  const uint64_t length = count_field(config, "length", 0);
  if (length == 0) {
    why = "its FixedLength has no length";
    return nullptr;
  }
  return std::make_unique<Divider>(
      [length](std::string_view text, std::vector<Range>& matches) {
        matches.clear();
        for (size_t at = 0; at < text.size();) {
          const size_t begin = at;
          for (uint64_t i = 0; i < length && at < text.size(); ++i) {
            next_character(text, at);
          }
          matches.push_back({begin, at});
        }
        return Error::Ok;
      },
      Delimiter::kIsolated);
}

/// Those that divide at characters.
std::unique_ptr<PreTokenizer> by_characters(const Json& config) {
  const std::string type = type_of(config);
  if (type == "WhitespaceSplit") {
    return at_characters(is_space, Delimiter::kRemoved);
  }
  if (type == "BertPreTokenizer") {
    Steps steps;
    steps.push_back(at_characters(is_space, Delimiter::kRemoved));
    steps.push_back(at_characters(is_punctuation, Delimiter::kIsolated));
    return std::make_unique<Sequence>(std::move(steps));
  }
  if (type == "Digits") {
    const bool each = flag_field(config, "individual_digits", false);
    return at_characters(is_number, each ? Delimiter::kIsolated : Delimiter::kContiguous);
  }
  const std::string behavior = text_field(config, "behavior");
  Delimiter delimiter = Delimiter::kIsolated;
  if (type == "Punctuation" && (behavior.empty() || read_delimiter(behavior, delimiter))) {
    return at_characters(is_punctuation, delimiter);
  }
  const std::string character = text_field(config, "delimiter");
  if (type == "CharDelimiterSplit" && !character.empty()) {
    size_t at = 0;
    const char32_t chosen = next_character(character, at);
    return at_characters([chosen](char32_t c) { return c == chosen; }, Delimiter::kRemoved);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<PreTokenizer> read_pre_tokenizer(const Json& config, std::string& why, int depth) {
  const std::string type = type_of(config);
  if (auto simple = by_characters(config)) {
    return simple;
  }
  if (type == "ByteLevel") {
    return byte_level(config, why);
  }
  if (type == "Metaspace") {
    return metaspace(config, why);
  }
  if (type == "Split") {
    return split(config, why);
  }
  if (type == "FixedLength") {
    return fixed_length(config, why);
  }
  if (type == "Whitespace") {
    return at_pattern(Regex::compile("\\w+|[^\\w\\s]+", why), Delimiter::kRemoved, true);
  }
  if (type != "Sequence" || !field(config, "pretokenizers").is_array() || depth == kDeepest) {
    why = "its pre_tokenizer '" + type + "' is not known, or not complete";
    return nullptr;
  }
  Steps steps;
  for (const Json& step : field(config, "pretokenizers")) {
    steps.push_back(read_pre_tokenizer(step, why, depth + 1));
    if (steps.back() == nullptr) {
      return nullptr;
    }
  }
  return std::make_unique<Sequence>(std::move(steps));
}

}  // namespace tokenizers
