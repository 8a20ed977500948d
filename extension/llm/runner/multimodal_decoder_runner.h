#pragma once

#include <cstdint>
#include <string>

#include <executorch/extension/llm/runner/text_decoder_runner.h>

namespace executorch {
namespace extension {
namespace llm {

/// Runs the decoder of a model of several methods: `token_embedding` makes embeddings of tokens, as
/// encoders make them of other things, and `text_decoder` (or `text_model`, its older name) logits
/// of embeddings.
class MultimodalDecoderRunner : public TextDecoderRunner {
 public:
  /// Both have to outlive this.
  ///
  /// @param max_seq_len The most embeddings of a call; those of more run one part after the other.
  /// @param max_context_len The most positions.
  MultimodalDecoderRunner(Module* module, IOManager* io_manager, int64_t max_seq_len = 128,
                          int64_t max_context_len = 128)
      : TextDecoderRunner(module, io_manager),
        max_seq_len_(max_seq_len > 0 ? max_seq_len : 128),
        max_context_len_(max_context_len) {}

  /// The embedding of tokens, and decode().
  runtime::Result<executorch::aten::Tensor> step(TensorPtr& tokens, int64_t start_pos) override;

  /// Runs embeddings, [1, n, dim], of which the first is at `start_pos`.
  ///
  /// @returns The logits; valid until the next call. InvalidArgument for positions that are not
  ///     there, InvalidProgram when methods do not fit together; what the model says.
  virtual runtime::Result<executorch::aten::Tensor> decode(
      const executorch::aten::Tensor& embeddings, int64_t start_pos);

  /// Loads both methods.
  [[nodiscard]] runtime::Error load() override;
  bool is_method_loaded() override;

  int64_t max_seq_len() const { return max_seq_len_; }

 private:
  runtime::Result<std::string> decoder_method();

  std::string decoder_method_;  // Once it is known.
  int64_t max_seq_len_;
  int64_t max_context_len_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
