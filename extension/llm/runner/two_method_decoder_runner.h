#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <executorch/extension/llm/runner/text_decoder_runner.h>

namespace executorch {
namespace extension {
namespace llm {

/// Runs a model that has a method for prompts and another one behind them, over the same cache:
/// the module's methods plan in the same memory (`share_memory_arenas`), and their export gave them
/// their buffers in common (`multimethod.share_mutable_buffers`).
///
/// Of a method that takes as many tokens as its export said, the prompt's runs while there are as
/// many; what is left runs by the other.
class TwoMethodDecoderRunner : public TextDecoderRunner {
 public:
  /// Module and manager have to outlive this.
  TwoMethodDecoderRunner(Module* module, IOManager* io_manager, std::string prefill_method,
                         std::string decode_method);

  /// InvalidArgument, besides what TextDecoderRunner's gives, for fewer tokens than either takes.
  runtime::Result<executorch::aten::Tensor> step(TensorPtr& tokens, int64_t start_pos) override;

  /// Loads both methods. InvalidProgram when one of them takes no tokens.
  [[nodiscard]] runtime::Error load() override;
  bool is_method_loaded() override;

 private:
  /// A method, and how many tokens it takes: so many, or any number up to them.
  struct Part {
    std::string method;
    size_t tokens = 0;
    bool is_fixed = true;
  };

  [[nodiscard]] runtime::Error load_part(Part& part);

  Part prefill_;
  Part decode_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
