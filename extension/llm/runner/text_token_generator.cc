#include <cinttypes>

#include <executorch/extension/llm/runner/text_token_generator.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using runtime::Error;
using runtime::Result;

Result<int64_t> TextTokenGenerator::answer(
    uint64_t first, std::vector<uint64_t>& tokens, int64_t next_pos, int32_t max_new_tokens,
    float temperature, const std::function<void(const std::string&)>& token_callback) {
  const uint64_t last_of_prompt = tokens.empty() ? tokenizer_->bos_tok() : tokens.back();
  tokens.push_back(first);
  if (ends_text(first)) {
    return 1;
  }
  auto text = tokenizer_->decode(last_of_prompt, first);
  if (!text.ok()) {
    ET_LOG(Error, "The tokenizer does not know token %" PRIu64 " of the model", first);
    return text.error();
  }
  if (token_callback) {
    token_callback(*text);
  }
  const auto more = generate(tokens, next_pos, max_new_tokens - 1, temperature, token_callback);
  return more.ok() ? Result<int64_t>(*more + 1) : Result<int64_t>(more.error());
}

Result<int64_t> TextTokenGenerator::generate(
    std::vector<uint64_t>& tokens, int64_t start_pos, int32_t max_new_tokens, float temperature,
    const std::function<void(const std::string&)>& token_callback) {
  if (tokens.empty()) {
    ET_LOG(Error, "There is no token to go on from");
    return Error::InvalidArgument;
  }
  int64_t generated = 0;
  while (generated < max_new_tokens && !is_stopped()) {
    std::vector<int64_t> ids(use_kv_cache_ ? tokens.end() - 1 : tokens.begin(), tokens.end());
    TensorPtr input =
        from_blob(ids.data(), {1, static_cast<SizesType>(ids.size())}, ScalarType::Long);
    auto logits = text_decoder_runner_->step(input, use_kv_cache_ ? start_pos + generated : 0);
    if (!logits.ok()) {
      return logits.error();
    }
    const auto ended = say(*logits, 0, tokens, temperature, token_callback);
    if (!ended.ok()) {
      return ended.error();
    }
    ++generated;
    if (*ended) {
      break;
    }
  }
  return generated;
}

Result<bool> TextTokenGenerator::say(
    const executorch::aten::Tensor& logits, size_t lines_behind, std::vector<uint64_t>& tokens,
    float temperature, const std::function<void(const std::string&)>& token_callback) {
  stats_->on_sampling_begin();
  const int32_t token = text_decoder_runner_->logits_to_token(logits, temperature, lines_behind);
  stats_->on_sampling_end();
  if (token < 0) {
    return Error::InvalidProgram;
  }
  const uint64_t previous = tokens.back();
  tokens.push_back(static_cast<uint64_t>(token));
  if (ends_text(tokens.back())) {
    return true;
  }
  auto text = tokenizer_->decode(previous, tokens.back());
  if (!text.ok()) {
    ET_LOG(Error, "The tokenizer does not know token %d of the model", static_cast<int>(token));
    return text.error();
  }
  if (token_callback) {
    token_callback(*text);
  }
  return false;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
