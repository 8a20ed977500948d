#pragma once

#include <cstdint>
#include <vector>

#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/runner/multimodal_decoder_runner.h>
#include <executorch/extension/llm/runner/multimodal_input.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// Runs the parts of a prompt: each by its encoder, and then by the decoder.
class MultimodalPrefiller {
 public:
  /// All have to outlive this. The last one is that of the decoder's runner.
  MultimodalPrefiller(Module* module, MultimodalDecoderRunner* decoder_runner,
                      ::tokenizers::Tokenizer* tokenizer, IOManager* /*io_manager*/)
      : module_(module), decoder_runner_(decoder_runner), tokenizer_(tokenizer) {}
  virtual ~MultimodalPrefiller() = default;

  /// Runs a part from a position on.
  ///
  /// @param start_pos Position of what it begins with; afterwards, that of what comes behind it.
  /// @param temperature Of the choice of the next token.
  /// @param num_bos, num_eos Tokens put around a text.
  /// @returns The next token. InvalidArgument for parts that are empty, do not fit the encoder, or
  ///     leave no room; NotSupported for one that the program has no encoder for; what the model
  ///     says.
  virtual runtime::Result<uint64_t> prefill(const MultimodalInput& input, int64_t& start_pos,
                                            float temperature = 0.0f, int32_t num_bos = 0,
                                            int32_t num_eos = 0);

  /// Loads the decoder, and the encoders that the program has.
  [[nodiscard]] virtual runtime::Error load();
  virtual bool is_method_loaded() { return decoder_runner_->is_method_loaded(); }

 private:
  runtime::Result<executorch::aten::Tensor> prefill_tokens(const std::vector<uint64_t>& tokens,
                                                           int64_t& start_pos);
  runtime::Result<executorch::aten::Tensor> prefill_encoded(const MultimodalInput& input,
                                                            int64_t& start_pos);

  Module* module_;
  MultimodalDecoderRunner* decoder_runner_;
  ::tokenizers::Tokenizer* tokenizer_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
