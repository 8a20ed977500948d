#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/multimodal_decoder_runner.h>
#include <executorch/extension/llm/runner/multimodal_input.h>
#include <executorch/extension/llm/runner/multimodal_prefiller.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_token_generator.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/module/module.h>

namespace executorch {
namespace extension {
namespace llm {

/// Generates text from text, images and audio with a model of several methods.
/// create_multimodal_runner(), in llm_runner_helper.h, puts one together.
///
/// generate() goes on behind what was said before, until reset(). Not for several threads at once,
/// but for stop().
class MultimodalRunner : public IRunner {
 public:
  /// The runner owns everything; the parts may refer to each other.
  ///
  /// @param metadata As get_llm_metadata() gives it.
  explicit MultimodalRunner(std::unordered_map<std::string, int64_t> metadata,
                            std::unique_ptr<::tokenizers::Tokenizer> tokenizer,
                            std::unique_ptr<Module> module,
                            std::unique_ptr<MultimodalDecoderRunner> text_decoder_runner,
                            std::unique_ptr<MultimodalPrefiller> multimodal_prefiller,
                            std::unique_ptr<IOManager> io_manager,
                            std::unique_ptr<TextTokenGenerator> text_token_generator,
                            std::unique_ptr<Stats> stats);

  bool is_loaded() const override;
  [[nodiscard]] runtime::Error load() override;

  /// Continues a prompt of several parts, in their order; loads if needed. The callbacks, which may
  /// be empty, are told of each piece of text (with `echo`, of the prompt's texts first), and of
  /// the figures at the end. `num_bos` counts for the first text, `num_eos` for the last one.
  ///
  /// @returns InvalidArgument for a prompt without parts, and one that leaves no room; what
  ///     MultimodalPrefiller says. Then the conversation is where it was.
  virtual runtime::Error generate(const std::vector<MultimodalInput>& inputs,
                                  const GenerationConfig& config,
                                  std::function<void(const std::string&)> token_callback = {},
                                  std::function<void(const Stats&)> stats_callback = {});
  runtime::Error generate(const std::string& prompt, const GenerationConfig& config,
                          std::function<void(const std::string&)> token_callback = {},
                          std::function<void(const Stats&)> stats_callback = {}) override {
    return generate(std::vector<MultimodalInput>{MultimodalInput(prompt)}, config,
                    std::move(token_callback), std::move(stats_callback));
  }

  /// Runs parts without generating; the next prompt goes on behind them.
  ///
  /// @returns The most probable next token.
  runtime::Result<uint64_t> prefill(const std::vector<MultimodalInput>& inputs, int32_t num_bos = 0,
                                    int32_t num_eos = 0) override;

  void stop() override { text_token_generator_->stop(); }

  /// The next prompt is the first one; the statistics begin anew.
  void reset() override;

 private:
  /// Runs the pending token and all parts; moves the position behind them.
  runtime::Result<uint64_t> run(const std::vector<MultimodalInput>& inputs, int64_t& position,
                                float temperature, int32_t num_bos, int32_t num_eos);
  int64_t metadata(const char* name, int64_t otherwise) const;

  // In this order: what is destroyed first refers to what comes before it.
  std::unordered_map<std::string, int64_t> metadata_;
  std::unique_ptr<::tokenizers::Tokenizer> tokenizer_;
  std::unique_ptr<Stats> stats_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<IOManager> io_manager_;
  std::unique_ptr<MultimodalDecoderRunner> text_decoder_runner_;
  std::unique_ptr<MultimodalPrefiller> multimodal_prefiller_;
  std::unique_ptr<TextTokenGenerator> text_token_generator_;

  /// Position behind what the model has run, and the tokens there that have not.
  int64_t pos_ = 0;
  std::vector<uint64_t> pending_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
