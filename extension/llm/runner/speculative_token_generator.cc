#include <algorithm>
#include <cinttypes>

#include <executorch/extension/llm/runner/speculative_token_generator.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

Error SpeculativeTokenGenerator::load() {
  const Error error = TextTokenGenerator::load();
  return error == Error::Ok ? draft_.decoder->load() : error;
}

bool SpeculativeTokenGenerator::is_loaded() const {
  return TextTokenGenerator::is_loaded() && draft_.decoder->is_method_loaded();
}

Result<uint64_t> SpeculativeTokenGenerator::run_draft(const std::vector<uint64_t>& tokens,
                                                      int64_t pos) {
  std::vector<int64_t> ids(tokens.begin(), tokens.end());
  TensorPtr input =
      from_blob(ids.data(), {1, static_cast<SizesType>(ids.size())}, ScalarType::Long);
  const auto logits = draft_.decoder->step(input, pos);
  if (!logits.ok()) {
    return logits.error();
  }
  drafted_.resize(static_cast<size_t>(pos));
  drafted_.insert(drafted_.end(), tokens.begin(), tokens.end());
  const int32_t token = draft_.decoder->logits_to_token(*logits, 0.0f);
  return token < 0 ? Result<uint64_t>(Error::InvalidProgram)
                   : Result<uint64_t>(static_cast<uint64_t>(token));
}

Result<std::vector<uint64_t>> SpeculativeTokenGenerator::guess(size_t count) {
  // The draft model has run what was guessed before; what of that was kept need not run again.
  const size_t most = std::min(drafted_.size(), known_.size() - 1);
  const auto known = known_.begin();
  auto same = static_cast<size_t>(
      std::mismatch(known, known + static_cast<std::ptrdiff_t>(most), drafted_.begin()).first -
      known);
  std::vector<uint64_t> guessed(1);
  while (same < known_.size()) {
    const size_t part = std::min(known_.size() - same, static_cast<size_t>(draft_.max_seq_len));
    const auto begin = known + static_cast<std::ptrdiff_t>(same);
    const auto said =
        run_draft({begin, begin + static_cast<std::ptrdiff_t>(part)}, static_cast<int64_t>(same));
    if (!said.ok()) {
      return said.error();
    }
    guessed[0] = *said;
    same += part;
  }
  while (guessed.size() < count && !ends_text(guessed.back())) {
    const auto said = run_draft({guessed.back()}, static_cast<int64_t>(drafted_.size()));
    if (!said.ok()) {
      return said.error();
    }
    guessed.push_back(*said);
  }
  return guessed;
}

Result<int64_t> SpeculativeTokenGenerator::generate(
    std::vector<uint64_t>& tokens, int64_t start_pos, int32_t max_new_tokens, float temperature,
    const std::function<void(const std::string&)>& token_callback) {
  const int64_t first_pos = start_pos + 1 - static_cast<int64_t>(tokens.size());
  if (tokens.empty() || first_pos < 0 || static_cast<size_t>(first_pos) > known_.size()) {
    return TextTokenGenerator::generate(tokens, start_pos, max_new_tokens, temperature,
                                        token_callback);
  }
  known_.resize(static_cast<size_t>(first_pos));
  known_.insert(known_.end(), tokens.begin(), tokens.end());
  const size_t before = tokens.size();
  auto generated = model()->penalizes_repetitions()
                       ? TextTokenGenerator::generate(tokens, start_pos, max_new_tokens,
                                                      temperature, token_callback)
                       : speculate(tokens, start_pos, max_new_tokens, temperature, token_callback);
  known_.resize(static_cast<size_t>(start_pos) + 1);
  known_.insert(known_.end(), tokens.begin() + static_cast<std::ptrdiff_t>(before), tokens.end());
  return generated;
}

/// The tokens that are said at once: the last one of those before, and what the draft model
/// guesses.
Result<std::vector<int64_t>> SpeculativeTokenGenerator::next_ids(int64_t room) {
  std::vector<int64_t> ids = {static_cast<int64_t>(known_.back())};
  if (room > 0) {
    const auto guessed = guess(static_cast<size_t>(std::min<int64_t>(max_draft_tokens_, room)));
    if (!guessed.ok()) {
      return guessed.error();
    }
    ids.insert(ids.end(), guessed->begin(), guessed->end());
    num_drafted_ += static_cast<int64_t>(guessed->size());
  }
  return ids;
}

Result<int64_t> SpeculativeTokenGenerator::speculate(
    std::vector<uint64_t>& tokens, int64_t start_pos, int32_t max_new_tokens, float temperature,
    const std::function<void(const std::string&)>& token_callback) {
  int64_t generated = 0;
  bool has_ended = false;
  while (generated < max_new_tokens && !has_ended && !is_stopped()) {
    auto next = next_ids(max_new_tokens - generated - 1);
    if (!next.ok()) {
      return next.error();
    }
    std::vector<int64_t>& ids = *next;
    TensorPtr input =
        from_blob(ids.data(), {1, static_cast<SizesType>(ids.size())}, ScalarType::Long);
    const auto logits = model()->step(input, start_pos + generated);
    if (!logits.ok()) {
      return logits.error();
    }
    const size_t lines =
        logits->dim() < 2 ? 1 : static_cast<size_t>(logits->size(logits->dim() - 2));
    if (lines != ids.size()) {
      ET_LOG(
          Error,
          "The model gives logits of %zu of %zu tokens; a draft model helps those that give all: "
          "export with generate_full_logits",
          lines, ids.size());
      return Error::InvalidProgram;
    }
    bool was_guessed = true;
    for (size_t i = 0; i < ids.size() && was_guessed && !has_ended && !is_stopped(); ++i) {
      const auto ended = say(*logits, ids.size() - 1 - i, tokens, temperature, token_callback);
      if (!ended.ok()) {
        return ended.error();
      }
      has_ended = *ended;
      known_.push_back(tokens.back());
      ++generated;
      was_guessed = i + 1 < ids.size() && static_cast<int64_t>(tokens.back()) == ids[i + 1];
      num_accepted_ += was_guessed ? 1 : 0;
    }
  }
  return generated;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
