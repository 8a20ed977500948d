#include <cstring>

#include <executorch/extension/llm/tokenizer/sentencepiece_reader.h>

namespace tokenizers {
namespace {

/// The fields of a message, one after the other. Only what a field of its kind has is set.
class Fields {
 public:
  Fields(const char* data, size_t size) : at_(data), end_(data + size) {}

  /// False at the end, or if what follows is no field.
  bool next() {
    uint64_t key = 0;
    if (at_ == end_ || !varint(key)) {
      return false;
    }
    number = key >> 3;
    switch (key & 7) {
      case 0:
        return varint(integer);
      case 1:
        return take(8);
      case 2:
        return varint(integer) && take(integer);
      case 5:
        return take(4);
      default:
        at_ = nullptr;
        return false;
    }
  }

  /// Whether the message was read to its end.
  bool complete() const { return at_ == end_; }

  uint64_t number = 0;
  uint64_t integer = 0;
  const char* data = nullptr;
  size_t size = 0;

  float real() const {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4 && size == 4; ++i) {
      bits |= static_cast<uint32_t>(static_cast<unsigned char>(data[i])) << (8 * i);
    }
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

 private:
  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return true;
      }
    }
    at_ = nullptr;
    return false;
  }

  bool take(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_)) {
      at_ = nullptr;
      return false;
    }
    data = at_;
    size = static_cast<size_t>(count);
    at_ += count;
    return true;
  }

  const char* at_;
  const char* end_;
};

bool read_token(const Fields& message, SPTokenizer::Model& model) {
  SPTokenizer::Model::Token token;
  Fields fields(message.data, message.size);
  while (fields.next()) {
    if (fields.number == 1) {
      token.piece.assign(fields.data != nullptr ? fields.data : "", fields.size);
    } else if (fields.number == 2) {
      token.score = fields.real();
    } else if (fields.number == 3) {
      token.kind = static_cast<int64_t>(fields.integer);
    }
  }
  model.tokens.push_back(std::move(token));
  return fields.complete();
}

/// How the model was trained says what it is.
bool read_trainer(const Fields& message, SPTokenizer::Model& model) {
  constexpr uint64_t kUnigram = 1;
  constexpr uint64_t kBpe = 2;
  Fields fields(message.data, message.size);
  while (fields.next()) {
    const auto integer = static_cast<int64_t>(fields.integer);
    switch (fields.number) {
      case 3:
        model.unigram = fields.integer == kUnigram;
        model.supported = model.supported && (model.unigram || fields.integer == kBpe);
        break;
      case 24:  // Spaces behind words instead of in front of them.
        model.supported = model.supported && fields.integer == 0;
        break;
      case 40:
        model.unknown = integer;
        break;
      case 41:
        model.begin = integer;
        break;
      case 42:
        model.end = integer;
        break;
      default:
        break;
    }
  }
  return fields.complete();
}

bool read_normalizer(const Fields& message, SPTokenizer::Model& model) {
  Fields fields(message.data, message.size);
  while (fields.next()) {
    switch (fields.number) {
      case 2:  // A table of replacements.
        model.replacements.assign(fields.data != nullptr ? fields.data : "", fields.size);
        break;
      case 3:
        model.space_in_front = fields.integer != 0;
        break;
      case 4:
        model.single_spaces = fields.integer != 0;
        break;
      case 5:
        model.escapes_spaces = fields.integer != 0;
        break;
      default:
        break;
    }
  }
  return fields.complete();
}

}  // namespace

bool read_sentencepiece(const std::string& bytes, SPTokenizer::Model& model) {
  Fields fields(bytes.data(), bytes.size());
  bool fits = true;
  while (fits && fields.next()) {
    // Only messages have data; their kind is checked by reading them.
    if (fields.number >= 1 && fields.number <= 3 && fields.data == nullptr) {
      return false;
    }
    if (fields.number == 1) {
      fits = read_token(fields, model);
    } else if (fields.number == 2) {
      fits = read_trainer(fields, model);
    } else if (fields.number == 3) {
      fits = read_normalizer(fields, model);
    }
  }
  return fits && fields.complete() && !model.tokens.empty();
}

}  // namespace tokenizers
