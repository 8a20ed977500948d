#include <array>
#include <utility>

#include <executorch/extension/llm/tokenizer/base64.h>
#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/extension/llm/tokenizer/tekken.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {
namespace {

using Tokens = std::vector<std::pair<std::string, uint64_t>>;

constexpr char kBegin[] = "<s>";
constexpr char kEnd[] = "</s>";

/// Those of files that name none, which are of version 7 or older.
constexpr std::array<const char*, 20> kFormerTokens = {"<unk>",
                                                       kBegin,
                                                       kEnd,
                                                       "[INST]",
                                                       "[/INST]",
                                                       "[AVAILABLE_TOOLS]",
                                                       "[/AVAILABLE_TOOLS]",
                                                       "[TOOL_RESULTS]",
                                                       "[/TOOL_RESULTS]",
                                                       "[TOOL_CALLS]",
                                                       "[IMG]",
                                                       "<pad>",
                                                       "[IMG_BREAK]",
                                                       "[IMG_END]",
                                                       "[PREFIX]",
                                                       "[MIDDLE]",
                                                       "[SUFFIX]",
                                                       "[SYSTEM_PROMPT]",
                                                       "[/SYSTEM_PROMPT]",
                                                       "[TOOL_CONTENT]"};

/// The tokens below `count`; files have more than a model uses. Their numbers begin at `first`.
bool read_tokens(const Json& vocabulary, uint64_t count, uint64_t first, Tokens& tokens,
                 std::string& why) {
  for (const Json& token : vocabulary) {
    std::string bytes;
    const uint64_t rank = count_field(token, "rank", UINT64_MAX);
    if (rank == UINT64_MAX || !decode_base64(text_field(token, "token_bytes"), bytes) ||
        bytes.empty()) {
      why = "token " + std::to_string(tokens.size()) + " has no rank, or no bytes in base64";
      return false;
    }
    if (rank < count) {
      tokens.emplace_back(std::move(bytes), first + rank);
    }
  }
  if (tokens.size() != count) {
    why = "it has " + std::to_string(tokens.size()) + " of the " + std::to_string(count) +
          " tokens that it says it has";
    return false;
  }
  return true;
}

/// The names that are given, by their ranks; the others are called by their numbers.
bool read_special(const Json& given, uint64_t count, Tokens& special, std::string& why) {
  for (uint64_t i = 0; i < count; ++i) {
    const bool is_former = given.is_null() && i < kFormerTokens.size();
    special.emplace_back(is_former ? kFormerTokens[i] : "<SPECIAL_" + std::to_string(i) + ">", i);
  }
  for (const Json& token : given) {
    const uint64_t rank = count_field(token, "rank", UINT64_MAX);
    if (rank >= count) {
      why = "a special token's rank is not below " + std::to_string(count);
      return false;
    }
    special[rank].first = text_field(token, "token_str");
  }
  return true;
}

bool find(const Tokens& tokens, const char* name, uint64_t& number) {
  for (const auto& [content, id] : tokens) {
    if (content == name) {
      number = id;
      return true;
    }
  }
  return false;
}

}  // namespace

bool Tekken::is_beginning_of(const std::string& text) {
  for (const char* const key :
       {"default_num_special_tokens", "\"token_bytes\"", "num_vocab_tokens"}) {
    if (text.find(key) != std::string::npos) {
      return true;
    }
  }
  return false;
}

Error Tekken::load(const std::string& tokenizer_path) {
  std::string text;
  if (!read_file(tokenizer_path, text)) {
    ET_LOG(Error, "Cannot read the tokenizer %s", tokenizer_path.c_str());
    return Error::AccessFailed;
  }
  const Json file = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& config = field(file, "config");
  const uint64_t size = count_field(config, "default_vocab_size", 0);
  const uint64_t reserved = count_field(config, "default_num_special_tokens", 0);
  Vocabulary read;
  read.pattern = text_field(config, "pattern");
  std::string why = "it has no config with a pattern and the numbers of tokens";
  const bool is_whole =
      !read.pattern.empty() && size > reserved && size < (uint64_t{1} << 24) &&
      read_tokens(field(file, "vocab"), size - reserved, reserved, read.tokens, why) &&
      read_special(field(file, "special_tokens"), reserved, read.special, why);
  if (is_whole && !(find(read.special, kBegin, read.bos) && find(read.special, kEnd, read.eos))) {
    why = "it has no special tokens <s> and </s>";
  } else if (is_whole && take(read, why) == Error::Ok) {
    version_ = text_field(config, "version");
    return Error::Ok;
  }
  ET_LOG(Error, "The tekken.json %s cannot be used: %s", tokenizer_path.c_str(), why.c_str());
  return Error::InvalidExternalData;
}

}  // namespace tokenizers
