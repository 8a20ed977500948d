#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <executorch/extension/llm/tokenizer/byte_pairs.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {
namespace {

constexpr uint64_t kBegin = 1;
constexpr uint64_t kEnd = 2;
constexpr uint64_t kFirstByte = 3;
constexpr size_t kBytes = 256;
/// Bounds of what a file may say.
constexpr int32_t kLongestToken = 1 << 16;
constexpr size_t kMostTokens = size_t{1} << 24;

/// Takes little-endian values off bytes.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }

  bool get(int32_t& value) {
    uint32_t bits = 0;
    if (bytes_.size() - at_ < sizeof(bits)) {
      return false;
    }
    for (size_t i = 0; i < sizeof(bits); ++i) {
      bits |= static_cast<uint32_t>(static_cast<unsigned char>(bytes_[at_++])) << (8 * i);
    }
    std::memcpy(&value, &bits, sizeof(value));
    return true;
  }

  bool get(float& value) {
    int32_t bits = 0;
    const bool there = get(bits);
    std::memcpy(&value, &bits, sizeof(value));
    return there;
  }

  bool get(size_t length, std::string& text) {
    if (bytes_.size() - at_ < length) {
      return false;
    }
    text.assign(bytes_.data() + at_, length);
    at_ += length;
    return true;
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

}  // namespace

Error Llama2cTokenizer::load(const std::string& tokenizer_path) {
  std::string bytes;
  if (!read_file(tokenizer_path, bytes)) {
    ET_LOG(Error, "Cannot read the tokenizer %s", tokenizer_path.c_str());
    return Error::AccessFailed;
  }
  Reader reader(bytes);
  int32_t longest = 0;
  bool fits = reader.get(longest) && longest > 0 && longest <= kLongestToken;
  std::vector<std::string> pieces;
  std::vector<float> scores;
  while (fits && !reader.at_end()) {
    float score = 0;
    int32_t length = 0;
    std::string piece;
    fits = reader.get(score) && reader.get(length) && length >= 0 && length <= longest &&
           reader.get(static_cast<size_t>(length), piece) && pieces.size() < kMostTokens;
    pieces.push_back(std::move(piece));
    scores.push_back(score);
  }
  if (!fits || pieces.size() < kFirstByte + kBytes) {
    ET_LOG(
        Error,
        "%s is no tokenizer of llama2.c: it ends early, or has lengths out of range or fewer than "
        "%zu tokens",
        tokenizer_path.c_str(), static_cast<size_t>(kFirstByte + kBytes));
    return Error::InvalidExternalData;
  }
  index_.clear();
  for (size_t i = 0; i < pieces.size(); ++i) {
    index_.emplace(pieces[i], i);  // Of equal ones the first.
  }
  pieces_ = std::move(pieces);
  scores_ = std::move(scores);
  vocab_size_ = static_cast<int32_t>(pieces_.size());
  bos_tok_ = kBegin;
  eos_tok_ = kEnd;
  initialized_ = true;
  return Error::Ok;
}

Result<std::vector<uint64_t>> Llama2cTokenizer::encode(const std::string& input, int8_t bos,
                                                       int8_t eos) const {
  if (!initialized_) {
    ET_LOG(Error, "load() a tokenizer before it encodes");
    return Error::InvalidState;
  }
  std::vector<uint64_t> tokens;
  tokens.insert(tokens.end(), bos > 0 ? static_cast<size_t>(bos) : 0, kBegin);
  append_text(input, tokens);
  tokens.insert(tokens.end(), eos > 0 ? static_cast<size_t>(eos) : 0, kEnd);
  return tokens;
}

void Llama2cTokenizer::append_text(const std::string& input, std::vector<uint64_t>& tokens) const {
  if (input.empty()) {
    return;
  }
  // A space in front, as models were trained.
  const std::string text = index_.count(" ") > 0 ? " " + input : input;
  std::vector<Piece> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(at + character_length(text[at]), text.size());
    characters.push_back({at, end, index_.count(text.substr(at, end - at)) > 0});
    at = end;
  }
  const auto score_of = [this](const std::string& piece) -> std::optional<float> {
    const auto found = index_.find(piece);
    return found == index_.end() ? std::nullopt : std::optional<float>(scores_[found->second]);
  };
  for (const Piece& piece : join_byte_pairs(text, characters, score_of)) {
    const auto found = index_.find(text.substr(piece.begin, piece.end - piece.begin));
    if (found != index_.end()) {
      tokens.push_back(found->second);
      continue;
    }
    for (size_t at = piece.begin; at < piece.end; ++at) {
      tokens.push_back(kFirstByte + static_cast<unsigned char>(text[at]));
    }
  }
}

Result<std::string> Llama2cTokenizer::decode(uint64_t prev_token, uint64_t token,
                                             bool skip_special_tokens) const {
  if (!initialized_) {
    ET_LOG(Error, "load() a tokenizer before it decodes");
    return Error::InvalidState;
  }
  if (token >= pieces_.size()) {
    ET_LOG(Error, "Token %llu is not in the vocabulary, which has %zu",
           static_cast<unsigned long long>(token), pieces_.size());
    return Error::InvalidArgument;
  }
  if (skip_special_tokens && token < kFirstByte) {
    return std::string();
  }
  const std::string& piece = pieces_[token];
  const int byte = byte_of(piece);
  if (byte >= 0) {
    return std::string(1, static_cast<char>(byte));
  }
  // The space that encode() has put in front of the text is not part of it.
  return prev_token == kBegin && !piece.empty() && piece[0] == ' ' ? piece.substr(1) : piece;
}

}  // namespace tokenizers
