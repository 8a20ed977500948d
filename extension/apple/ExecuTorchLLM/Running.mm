#import "Running.h"

#include <algorithm>

namespace executorch {
namespace extension {
namespace llm {
namespace apple {

GenerationConfig to_config(ExecuTorchLLMConfig* config) {
  const auto number = [](NSInteger value) {
    return static_cast<int32_t>(std::clamp<NSInteger>(value, INT32_MIN, INT32_MAX));
  };
  GenerationConfig made;
  made.echo = config.isEchoEnabled;
  made.max_new_tokens = number(config.maximumNewTokens);
  made.warming = config.isWarming;
  made.seq_len = number(config.sequenceLength);
  made.temperature = static_cast<float>(config.temperature);
  made.num_bos = number(config.bosCount);
  made.num_eos = number(config.eosCount);
  return made;
}

namespace {

/// Bytes at the end that begin a character of UTF-8 and are not all of it.
size_t unfinished(const std::string& text) {
  for (size_t length = 1; length <= std::min<size_t>(3, text.size()); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    if ((byte & 0xc0) == 0x80) {
      continue;
    }
    const size_t whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return whole > length ? length : 0;
  }
  return 0;
}

}  // namespace

void TextPieces::add(const std::string& piece) {
  pending_ += piece;
  const std::string rest = pending_.substr(pending_.size() - unfinished(pending_));
  pending_.resize(pending_.size() - rest.size());
  finish();
  pending_ = rest;
}

void TextPieces::finish() {
  if (callback_ != nil && !pending_.empty()) {
    @autoreleasepool {
      callback_(extension::apple::to_string(pending_));
    }
  }
  pending_.clear();
}

}  // namespace apple
}  // namespace llm
}  // namespace extension
}  // namespace executorch
