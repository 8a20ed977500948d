#include <algorithm>
#include <utility>

#include <executorch/extension/llm/tokenizer/added_tokens.h>
#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/llm/tokenizer/model.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/extension/llm/tokenizer/normalizer.h>
#include <executorch/extension/llm/tokenizer/post_processor.h>
#include <executorch/extension/llm/tokenizer/pre_tokenizer.h>
#include <executorch/extension/llm/tokenizer/token_decoder.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {
namespace {

constexpr const char* kBegins[] = {"<|begin_of_text|>", "<s>", "<bos>", "<|startoftext|>", "[CLS]"};
constexpr const char* kEnds[] = {"<|end_of_text|>", "</s>",       "<eos>",
                                 "<|endoftext|>",   "<|im_end|>", "[SEP]"};

Error not_loaded() {
  ET_LOG(Error, "load() a tokenizer before it is used");
  return Error::InvalidState;
}

}  // namespace

struct HFTokenizer::Parts {
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<Model> model;
  std::unique_ptr<TokenDecoder> decoder;
  PostProcessor post_processor;
  AddedTokens added;
  bool has_begin = false;
  bool has_end = false;

  bool read(const Json& file, std::string& why);
  const std::string* piece_of(uint64_t token) const;
  bool find(const std::string& piece, uint64_t& token) const;
  bool boundary(const Json& config, const char* name, const char* const* usual, size_t count,
                uint64_t& token) const;
  size_t vocabulary_size() const;
  Error append(std::string_view text, bool first, std::vector<uint64_t>& tokens) const;
  Error append_text(std::string text, bool first, std::vector<uint64_t>& tokens) const;
};

bool HFTokenizer::Parts::read(const Json& file, std::string& why) {
  const Json& a_normalizer = field(file, "normalizer");
  const Json& a_pre_tokenizer = field(file, "pre_tokenizer");
  const Json& a_decoder = field(file, "decoder");
  const Json& a_post_processor = field(file, "post_processor");
  if (!field(file, "model").is_object()) {
    why = "it has no model";
    return false;
  }
  model = read_model(field(file, "model"), why);
  if (model == nullptr) {
    return false;
  }
  if (!a_normalizer.is_null()) {
    normalizer = read_normalizer(a_normalizer, why);
  }
  if (!a_pre_tokenizer.is_null()) {
    pre_tokenizer = read_pre_tokenizer(a_pre_tokenizer, why);
  }
  if (!a_decoder.is_null()) {
    decoder = read_token_decoder(a_decoder, why);
  }
  return (a_normalizer.is_null() || normalizer != nullptr) &&
         (a_pre_tokenizer.is_null() || pre_tokenizer != nullptr) &&
         (a_decoder.is_null() || decoder != nullptr) &&
         (a_post_processor.is_null() || post_processor.read(a_post_processor, why)) &&
         added.read(field(file, "added_tokens"), normalizer.get(), why);
}

const std::string* HFTokenizer::Parts::piece_of(uint64_t token) const {
  const AddedTokens::Token* const special = added.find(token);
  return special != nullptr ? &special->content : model->vocabulary().piece_of(token);
}

bool HFTokenizer::Parts::find(const std::string& piece, uint64_t& token) const {
  const AddedTokens::Token* const special = added.find(piece);
  if (special == nullptr) {
    return model->vocabulary().find(piece, token);
  }
  token = special->id;
  return true;
}

/// The token of begin or end.
bool HFTokenizer::Parts::boundary(const Json& config, const char* name, const char* const* usual,
                                  size_t count, uint64_t& token) const {
  const Json& named = field(config, name);
  const std::string piece =
      named.is_object() ? text_field(named, "content") : text_field(config, name);
  if (!piece.empty()) {
    return find(piece, token);
  }
  for (size_t i = 0; i < count && config.is_null(); ++i) {
    if (find(usual[i], token)) {
      return true;
    }
  }
  return false;
}

size_t HFTokenizer::Parts::vocabulary_size() const {
  size_t size = model->vocabulary().size();
  for (const AddedTokens::Token& token : added.tokens()) {
    uint64_t id = 0;
    size += model->vocabulary().find(token.content, id) ? 0 : 1;
  }
  return size;
}

/// A part of the input, in which tokens may be that are found before it is normalized.
Error HFTokenizer::Parts::append(std::string_view text, bool first,
                                 std::vector<uint64_t>& tokens) const {
  std::string normal(text);
  if (normalizer != nullptr) {
    const Error error = normalizer->normalize(normal);
    if (error != Error::Ok) {
      return error;
    }
  }
  Error error = Error::Ok;
  for (const AddedTokens::Segment& segment : added.divide(normal, true)) {
    const Range range = segment.range;
    if (segment.token != nullptr) {
      tokens.push_back(segment.token->id);
    } else if (error == Error::Ok) {
      error = append_text(normal.substr(range.begin, range.end - range.begin),
                          first && range.begin == 0, tokens);
    }
  }
  return error;
}

Error HFTokenizer::Parts::append_text(std::string text, bool first,
                                      std::vector<uint64_t>& tokens) const {
  std::vector<Part> words = {{std::move(text), first}};
  Error::Code error = pre_tokenizer == nullptr ? Error::Ok : pre_tokenizer->divide(words);
  for (const Part& word : words) {
    error = error == Error::Ok ? model->tokenize(word.text, tokens) : error;
  }
  return error;
}

HFTokenizer::HFTokenizer() = default;
HFTokenizer::~HFTokenizer() = default;

Error HFTokenizer::load(const std::string& tokenizer_path) {
  std::string path = tokenizer_path;
  std::string text;
  if (!read_file(path, text)) {
    path += "/tokenizer.json";
    text.clear();
    if (!read_file(path, text)) {
      ET_LOG(Error, "Cannot read the tokenizer %s", tokenizer_path.c_str());
      return Error::AccessFailed;
    }
  }
  const size_t slash = path.find_last_of('/');
  std::string config;
  read_file((slash == std::string::npos ? "" : path.substr(0, slash + 1)) + "tokenizer_config.json",
            config);
  return load_text(text, config);
}

Error HFTokenizer::load_text(const std::string& tokenizer, const std::string& config) {
  const Json file = Json::parse(tokenizer, nullptr, /*allow_exceptions=*/false);
  const Json settings = config.empty() ? Json() : Json::parse(config, nullptr, false);
  auto parts = std::make_unique<Parts>();
  std::string why = "it is no JSON, or an object no more";
  if (!file.is_object() || !parts->read(file, why)) {
    ET_LOG(Error, "The tokenizer.json cannot be used: %s", why.c_str());
    return Error::InvalidExternalData;
  }
  uint64_t begin = 0;
  uint64_t end = 0;
  const Json& named = settings.is_object() ? settings : Json();
  parts->has_begin = parts->boundary(named, "bos_token", kBegins, std::size(kBegins), begin);
  parts->has_end = parts->boundary(named, "eos_token", kEnds, std::size(kEnds), end);
  bos_tok_ = begin;
  eos_tok_ = end;
  vocab_size_ = static_cast<int32_t>(parts->vocabulary_size());
  parts_ = std::move(parts);
  initialized_ = true;
  return Error::Ok;
}

Result<std::vector<uint64_t>> HFTokenizer::encode(const std::string& input, int8_t bos,
                                                  int8_t eos) const {
  if (!initialized_) {
    return not_loaded();
  }
  const std::string text = valid_utf8(input);
  std::vector<uint64_t> tokens;
  Error error = Error::Ok;
  for (const AddedTokens::Segment& segment : parts_->added.divide(text, false)) {
    const Range range = segment.range;
    if (segment.token != nullptr) {
      tokens.push_back(segment.token->id);
    } else if (error == Error::Ok) {
      error = parts_->append(std::string_view(text).substr(range.begin, range.end - range.begin),
                             range.begin == 0, tokens);
    }
  }
  if (error != Error::Ok) {
    return error;
  }
  if (bos <= 0 && eos <= 0) {
    return tokens;
  }
  if (parts_->post_processor.adds_tokens()) {
    return parts_->post_processor.around(std::move(tokens));
  }
  if (bos > 0 && parts_->has_begin) {
    tokens.insert(tokens.begin(), static_cast<size_t>(bos), bos_tok_);
  }
  if (eos > 0 && parts_->has_end) {
    tokens.insert(tokens.end(), static_cast<size_t>(eos), eos_tok_);
  }
  return tokens;
}

Result<std::string> HFTokenizer::text_of(const std::vector<uint64_t>& tokens,
                                         bool skip_special_tokens, bool raw) const {
  std::vector<std::string> pieces;
  for (const uint64_t token : tokens) {
    const std::string* const piece = parts_->piece_of(token);
    if (piece == nullptr) {
      ET_LOG(Error, "Token %llu is not in the vocabulary, which has %d",
             static_cast<unsigned long long>(token), static_cast<int>(vocab_size_));
      return Error::InvalidArgument;
    }
    const AddedTokens::Token* const added = parts_->added.find(token);
    if (!skip_special_tokens || added == nullptr || !added->special) {
      pieces.push_back(*piece);
    }
  }
  if (parts_->decoder != nullptr) {
    const Error error = parts_->decoder->decode(pieces, raw);
    if (error != Error::Ok) {
      return error;
    }
  }
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    text += i > 0 && parts_->decoder == nullptr ? " " : "";
    text += pieces[i];
  }
  return text;
}

Result<std::string> HFTokenizer::decode_batch(const std::vector<uint64_t>& tokens,
                                              bool skip_special_tokens) const {
  return initialized_ ? text_of(tokens, skip_special_tokens, false)
                      : Result<std::string>(not_loaded());
}

/// What both tokens are together, without what the first one is: a space in front of a word is part
/// of it then.
Result<std::string> HFTokenizer::decode(uint64_t prev_token, uint64_t token,
                                        bool skip_special_tokens) const {
  if (!initialized_) {
    return not_loaded();
  }
  const AddedTokens::Token* const previous = parts_->added.find(prev_token);
  const bool begins =
      (previous != nullptr && previous->special) || parts_->piece_of(prev_token) == nullptr;
  auto alone = text_of({token}, skip_special_tokens, true);
  if (begins || !alone.ok()) {
    return alone;
  }
  auto before = text_of({prev_token}, skip_special_tokens, true);
  auto both = text_of({prev_token, token}, skip_special_tokens, true);
  if (!before.ok() || !both.ok() || both->compare(0, before->size(), *before) != 0) {
    return alone;
  }
  return both->substr(before->size());
}

Result<std::string> HFTokenizer::id_to_piece(uint64_t token) const {
  if (!initialized_) {
    return not_loaded();
  }
  const std::string* const piece = parts_->piece_of(token);
  return piece == nullptr ? Result<std::string>(Error::InvalidArgument)
                          : Result<std::string>(*piece);
}

Result<uint64_t> HFTokenizer::piece_to_id(const std::string& piece) const {
  uint64_t token = 0;
  if (!initialized_) {
    return not_loaded();
  }
  return parts_->find(piece, token) ? Result<uint64_t>(token) : Result<uint64_t>(Error::NotFound);
}

}  // namespace tokenizers
