#include <algorithm>
#include <cinttypes>

#include <executorch/extension/llm/runner/text_prefiller.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using runtime::Error;
using runtime::Result;

Result<uint64_t> TextPrefiller::prefill(const std::vector<uint64_t>& prompt_tokens,
                                        int64_t& start_pos, float temperature) {
  const int64_t most = use_kv_cache_ ? std::min(max_seq_len_, chunk_) : max_seq_len_;
  const size_t at_once = use_kv_cache_ && !enable_parallel_prefill_ ? 1 : static_cast<size_t>(most);
  if (prompt_tokens.empty() || (!use_kv_cache_ && prompt_tokens.size() > at_once)) {
    ET_LOG(Error, "There are %zu tokens to run; the model takes 1 to %zu%s", prompt_tokens.size(),
           at_once, use_kv_cache_ ? " at once" : "");
    return Error::InvalidArgument;
  }
  uint64_t next = 0;
  for (size_t first = 0; first < prompt_tokens.size(); first += at_once) {
    const size_t last = std::min(first + at_once, prompt_tokens.size());
    const std::vector<uint64_t> chunk(prompt_tokens.begin() + static_cast<std::ptrdiff_t>(first),
                                      prompt_tokens.begin() + static_cast<std::ptrdiff_t>(last));
    const auto token = prefill_chunk(chunk, start_pos, temperature);
    if (!token.ok()) {
      return token.error();
    }
    next = *token;
  }
  return next;
}

Result<uint64_t> TextPrefiller::prefill_chunk(const std::vector<uint64_t>& prompt_tokens,
                                              int64_t& start_pos, float temperature) {
  std::vector<int64_t> ids(prompt_tokens.begin(), prompt_tokens.end());
  TensorPtr tokens =
      from_blob(ids.data(), {1, static_cast<SizesType>(ids.size())}, ScalarType::Long);
  auto logits = text_decoder_runner_->step(tokens, start_pos);
  if (!logits.ok()) {
    return logits.error();
  }
  const int32_t token = text_decoder_runner_->logits_to_token(*logits, temperature);
  if (token < 0) {
    return Error::InvalidProgram;
  }
  start_pos += static_cast<int64_t>(ids.size());
  return static_cast<uint64_t>(token);
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
