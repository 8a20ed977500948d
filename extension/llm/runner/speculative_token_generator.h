#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/extension/llm/runner/text_token_generator.h>
#include <executorch/extension/module/module.h>

namespace executorch {
namespace extension {
namespace llm {

/// A smaller model of the same vocabulary, that guesses.
struct DraftModel {
  // In this order: what is destroyed first refers to what comes before it.
  std::unique_ptr<Module> module;
  std::unique_ptr<IOManager> io_manager;
  std::unique_ptr<TextDecoderRunner> decoder;
  /// The most tokens that it takes at once.
  int32_t max_seq_len = 1;
};

/// Generates with the help of a draft model: a smaller one says some tokens, which the model takes
/// all at once, and keeps as many as it would have said itself. What is generated has the model's
/// own distribution; with the most probable token every time, it is the same text.
///
/// The model has to give the logits of all tokens that it takes (`generate_full_logits` of an
/// export), and both keep a cache with a place for each position, since what was not kept is
/// written over. With a penalty on repetitions, or behind tokens that the draft model has not seen,
/// the model generates alone.
class SpeculativeTokenGenerator : public TextTokenGenerator {
 public:
  /// The tokenizer, the model and the statistics have to outlive this.
  ///
  /// @param max_draft_tokens The most tokens that are guessed at a time, at least 1, and at most
  /// one
  ///     less than the model takes at once.
  SpeculativeTokenGenerator(::tokenizers::Tokenizer* tokenizer, TextDecoderRunner* model,
                            DraftModel draft, int32_t max_draft_tokens,
                            std::unique_ptr<std::unordered_set<uint64_t>>&& eos_ids, Stats* stats)
      : TextTokenGenerator(tokenizer, model, /*use_kv_cache=*/true, std::move(eos_ids), stats),
        draft_(std::move(draft)),
        max_draft_tokens_(max_draft_tokens) {}

  /// InvalidProgram as well when the model gives the logits of the last token alone.
  runtime::Result<int64_t> generate(
      std::vector<uint64_t>& tokens, int64_t start_pos, int32_t max_new_tokens, float temperature,
      const std::function<void(const std::string&)>& token_callback) override;

  [[nodiscard]] runtime::Error load() override;
  bool is_loaded() const override;

  /// How many tokens were guessed, and how many of them kept.
  int64_t num_drafted() const { return num_drafted_; }
  int64_t num_accepted() const { return num_accepted_; }

 private:
  runtime::Result<int64_t> speculate(std::vector<uint64_t>& tokens, int64_t start_pos,
                                     int32_t max_new_tokens, float temperature,
                                     const std::function<void(const std::string&)>& token_callback);
  runtime::Result<std::vector<int64_t>> next_ids(int64_t room);
  /// What the draft model says behind all that is known: `count` tokens, or fewer up to one that
  /// ends the text.
  runtime::Result<std::vector<uint64_t>> guess(size_t count);
  /// Runs the draft model; its most probable next token.
  runtime::Result<uint64_t> run_draft(const std::vector<uint64_t>& tokens, int64_t pos);

  DraftModel draft_;
  int32_t max_draft_tokens_;
  /// The conversation as far as this has seen it, and what the draft model's cache holds of it, of
  /// the positions from 0 on.
  std::vector<uint64_t> known_;
  std::vector<uint64_t> drafted_;
  int64_t num_drafted_ = 0;
  int64_t num_accepted_ = 0;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
