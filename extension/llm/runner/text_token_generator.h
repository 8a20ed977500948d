#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// Generates one token after the other.
class TextTokenGenerator {
 public:
  /// All pointers but `eos_ids` have to outlive this.
  ///
  /// @param use_kv_cache Whether the model keeps what it was given; otherwise it is given all
  ///     tokens each time.
  /// @param eos_ids Tokens that end a text.
  TextTokenGenerator(::tokenizers::Tokenizer* tokenizer, TextDecoderRunner* text_decoder_runner,
                     bool use_kv_cache, std::unique_ptr<std::unordered_set<uint64_t>>&& eos_ids,
                     Stats* stats)
      : tokenizer_(tokenizer),
        text_decoder_runner_(text_decoder_runner),
        use_kv_cache_(use_kv_cache),
        eos_ids_(std::move(eos_ids)),
        stats_(stats) {}
  virtual ~TextTokenGenerator() = default;

  /// Generates until there are `max_new_tokens`, the text ends or stop() is called.
  ///
  /// @param tokens What came before; the last one has not run yet. Afterwards, what was generated
  ///     as well.
  /// @param start_pos Position of the last one of them.
  /// @param token_callback Told the text of each token but those that end the text.
  /// @returns How many were generated, one that ends the text included. InvalidProgram when the
  ///     model gives no logits; and what the model and the tokenizer say.
  virtual runtime::Result<int64_t> generate(
      std::vector<uint64_t>& tokens, int64_t start_pos, int32_t max_new_tokens, float temperature,
      const std::function<void(const std::string&)>& token_callback);

  /// Goes on from a prompt that has run.
  ///
  /// @param first The token that the prompt gave; it is told first, and counts.
  /// @param tokens The prompt; afterwards, what was generated as well.
  /// @param next_pos The position behind the prompt.
  /// @returns As generate().
  runtime::Result<int64_t> answer(uint64_t first, std::vector<uint64_t>& tokens, int64_t next_pos,
                                  int32_t max_new_tokens, float temperature,
                                  const std::function<void(const std::string&)>& token_callback);

  /// Ends generate() after the token at hand; may be called on another thread.
  virtual void stop() { should_stop_.store(true, std::memory_order_relaxed); }

  /// Takes a stop() back. For whoever generates, before it begins.
  void resume() { should_stop_.store(false, std::memory_order_relaxed); }
  bool is_stopped() const { return should_stop_.load(std::memory_order_relaxed); }

  /// Whether tokens that end a text are told like others from now on.
  void set_ignore_eos(bool ignore_eos) { ignore_eos_ = ignore_eos; }

  /// The tokens that end a text.
  std::unordered_set<uint64_t> ends() const {
    return eos_ids_ == nullptr ? std::unordered_set<uint64_t>() : *eos_ids_;
  }
  bool ends_text(uint64_t token) const {
    return !ignore_eos_ && eos_ids_ != nullptr && eos_ids_->count(token) > 0;
  }

  [[nodiscard]] virtual runtime::Error load() { return text_decoder_runner_->load(); }
  virtual bool is_loaded() const {
    return tokenizer_->is_loaded() && text_decoder_runner_->is_method_loaded();
  }

 protected:
  /// Chooses a token, `lines_behind` lines before the last one of the logits, and says its text.
  ///
  /// @returns Whether it ends the text. Errors as those of generate().
  runtime::Result<bool> say(const executorch::aten::Tensor& logits, size_t lines_behind,
                            std::vector<uint64_t>& tokens, float temperature,
                            const std::function<void(const std::string&)>& token_callback);

  TextDecoderRunner* model() { return text_decoder_runner_; }

 private:
  ::tokenizers::Tokenizer* tokenizer_;
  TextDecoderRunner* text_decoder_runner_;
  bool use_kv_cache_;
  std::unique_ptr<std::unordered_set<uint64_t>> eos_ids_;
  Stats* stats_;
  bool ignore_eos_ = false;
  std::atomic<bool> should_stop_{false};
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
