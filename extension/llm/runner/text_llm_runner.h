#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/extension/llm/runner/text_prefiller.h>
#include <executorch/extension/llm/runner/text_token_generator.h>
#include <executorch/extension/llm/sampler/token_constraint.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/module/module.h>

namespace executorch {
namespace extension {
namespace llm {

/// Generates text with a model that takes tokens and gives logits. create_text_llm_runner(), in
/// llm_runner_helper.h, puts one together.
///
/// With a model that has a cache, generate() goes on behind what was said before, until reset().
/// Not for several threads at once, but for stop().
class TextLLMRunner : public IRunner {
 public:
  /// The runner owns everything; the parts may refer to each other.
  ///
  /// @param metadata As get_llm_metadata() gives it.
  /// @param temperature Takes the place of that of all configurations, unless it is -1.
  /// @param prefill_decoder_runner What the prefiller runs, if that is another method.
  explicit TextLLMRunner(std::unordered_map<std::string, int64_t> metadata,
                         std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                         std::unique_ptr<Module> module,
                         std::unique_ptr<TextDecoderRunner> text_decoder_runner,
                         std::unique_ptr<TextPrefiller> text_prefiller,
                         std::unique_ptr<IOManager> io_manager,
                         std::unique_ptr<TextTokenGenerator> text_token_generator,
                         std::unique_ptr<Stats> stats, float temperature = -1.0f,
                         std::unique_ptr<TextDecoderRunner> prefill_decoder_runner = nullptr);

  bool is_loaded() const override;
  [[nodiscard]] runtime::Error load() override;

  /// As IRunner says. InvalidArgument for a prompt without tokens, or one that leaves no room for
  /// an answer in the model's context; what the model and the tokenizer say. Loads if needed.
  runtime::Error generate(const std::string& prompt, const GenerationConfig& config,
                          std::function<void(const std::string&)> token_callback = {},
                          std::function<void(const Stats&)> stats_callback = {}) override;

  /// NotSupported from a position other than 0 for models without a cache.
  runtime::Error generate_from_pos(const std::string& prompt, int64_t start_pos,
                                   const GenerationConfig& config,
                                   std::function<void(const std::string&)> token_callback = {},
                                   std::function<void(const Stats&)> stats_callback = {}) override;

  /// Runs a prompt without generating; the next one goes on behind it.
  ///
  /// @returns The most probable next token.
  runtime::Result<uint64_t> prefill(const std::string& prompt, int32_t num_bos = 0,
                                    int32_t num_eos = 0);
  runtime::Result<uint64_t> prefill(const std::string& prompt, const GenerationConfig& config) {
    return prefill(prompt, config.num_bos, config.num_eos);
  }
  /// The same of texts, one behind the other.
  runtime::Result<uint64_t> prefill(const std::vector<MultimodalInput>& inputs, int32_t num_bos = 0,
                                    int32_t num_eos = 0) override;

  /// Runs once, so that what is done only the first time is done. Shows nothing, and forgets
  /// everything.
  runtime::Error warmup(const std::string& prompt, int32_t max_new_tokens);

  void stop() override;

  /// The next prompt is the first one; the statistics begin anew.
  void reset() override;

  /// The tokens that have run, of the positions from 0 on, and those generated that have not: one
  /// or none. Of positions that were never filled, UINT64_MAX.
  const std::vector<uint64_t>& tokens() const { return tokens_; }
  const std::vector<uint64_t>& pending() const { return pending_; }

  /// Takes a conversation up that the model's cache holds: the next prompt goes on behind these.
  ///
  /// @returns NotSupported for models without a cache, InvalidArgument for more tokens than there
  ///     are positions.
  [[nodiscard]] runtime::Error take_up(std::vector<uint64_t> tokens, std::vector<uint64_t> pending);

  /// The most positions of a conversation.
  int64_t max_context_len() const;

  Module& module() { return *module_; }

 private:
  runtime::Result<std::vector<uint64_t>> encode(const std::string& prompt, int32_t num_bos,
                                                int32_t num_eos, int64_t start_pos);
  /// Notes what has run from a position on.
  void note(int64_t start_pos, const std::vector<uint64_t>& tokens, size_t count);
  int64_t position() const { return static_cast<int64_t>(tokens_.size()); }
  runtime::Error answer(std::vector<uint64_t> tokens, int64_t start_pos,
                        const GenerationConfig& config, int32_t max_new_tokens,
                        const std::function<void(const std::string&)>& token_callback);
  /// Lets only tokens come that a configuration allows.
  runtime::Error constrain(const GenerationConfig& config);
  int64_t metadata(const char* name, int64_t otherwise) const;

  // In this order: what is destroyed first refers to what comes before it.
  std::unordered_map<std::string, int64_t> metadata_;
  std::unique_ptr<::tokenizers::Tokenizer> tokenizer_;
  std::unique_ptr<Stats> stats_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<IOManager> io_manager_;
  std::unique_ptr<TextDecoderRunner> text_decoder_runner_;
  std::unique_ptr<TextDecoderRunner> prefill_decoder_runner_;
  std::unique_ptr<TextPrefiller> text_prefiller_;
  std::unique_ptr<TextTokenGenerator> text_token_generator_;
  float temperature_;
  /// For patterns; found when the first one comes.
  std::shared_ptr<const VocabularyTexts> vocabulary_;

  /// What the model has run; the next position is the number of them.
  std::vector<uint64_t> tokens_;
  /// Tokens behind them that were generated and have not run yet: one or none.
  std::vector<uint64_t> pending_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
