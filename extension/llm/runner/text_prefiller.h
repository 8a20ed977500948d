#pragma once

#include <cstdint>
#include <vector>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// Runs the tokens of a prompt.
class TextPrefiller {
 public:
  /// @param text_decoder_runner Has to outlive this.
  /// @param use_kv_cache Whether the model keeps what it was given; otherwise a prompt runs as a
  ///     whole.
  /// @param enable_parallel_prefill Whether the model takes several tokens at once; otherwise those
  ///     of a model with a cache run one after the other.
  /// @param max_seq_len The most tokens that the model takes at once.
  /// @param chunk The most tokens that are run at once, if the model has a cache; see
  ///     kPrefillChunk.
  TextPrefiller(TextDecoderRunner* text_decoder_runner, bool use_kv_cache,
                bool enable_parallel_prefill, int64_t max_seq_len = 128,
                int64_t chunk = kPrefillChunk)
      : text_decoder_runner_(text_decoder_runner),
        use_kv_cache_(use_kv_cache),
        enable_parallel_prefill_(enable_parallel_prefill),
        max_seq_len_(max_seq_len > 0 ? max_seq_len : 128),
        chunk_(chunk > 0 ? chunk : kPrefillChunk) {}
  virtual ~TextPrefiller() = default;

  /// Runs tokens from a position on.
  ///
  /// @param start_pos Position of the first one; afterwards, that of the first one behind them.
  /// @param temperature Of the choice of the next token.
  /// @returns The next token. InvalidArgument when there are no tokens, or more than the model
  ///     takes; InvalidProgram when the model gives no logits; and what it says.
  virtual runtime::Result<uint64_t> prefill(const std::vector<uint64_t>& prompt_tokens,
                                            int64_t& start_pos, float temperature = 0.0f);

  /// The same for tokens that the model takes at once.
  virtual runtime::Result<uint64_t> prefill_chunk(const std::vector<uint64_t>& prompt_tokens,
                                                  int64_t& start_pos, float temperature = 0.0f);

  [[nodiscard]] virtual runtime::Error load() { return text_decoder_runner_->load(); }
  virtual bool is_loaded() const { return text_decoder_runner_->is_method_loaded(); }

 private:
  TextDecoderRunner* text_decoder_runner_;
  bool use_kv_cache_;
  bool enable_parallel_prefill_;
  int64_t max_seq_len_;
  int64_t chunk_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
