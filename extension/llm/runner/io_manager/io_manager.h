#pragma once

#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// What goes into the methods of a model besides tokens, and what is kept of their outputs. This
/// one is for models that keep their caches themselves: a method takes tokens and, if it has a
/// second input, the position of the first of them. For others there are subclasses.
class IOManager {
 public:
  /// @param module Has to outlive this.
  explicit IOManager(Module& module) : module_(module) {}
  virtual ~IOManager() = default;

  /// Called before the methods run for the first time.
  [[nodiscard]] virtual runtime::Error load(const std::string& prefill_method,
                                            const std::string& decode_method) {
    (void)prefill_method;
    (void)decode_method;
    return runtime::Error::Ok;
  }
  [[nodiscard]] runtime::Error load() { return load("forward", "forward"); }

  /// Forgets what was kept.
  [[nodiscard]] virtual runtime::Error reset(const std::string& prefill_method,
                                             const std::string& decode_method) {
    (void)prefill_method;
    (void)decode_method;
    return runtime::Error::Ok;
  }
  [[nodiscard]] runtime::Error reset() { return reset("forward", "forward"); }

  /// The inputs of a method that takes many tokens of a prompt. The tensors have to live as long as
  /// these are in use.
  virtual runtime::Result<std::vector<runtime::EValue>> prepare_prefill(
      const TensorPtr& input, const TensorPtr& start_pos, const std::string& prefill_method) {
    return prepare(input, start_pos, prefill_method);
  }
  runtime::Result<std::vector<runtime::EValue>> prepare_prefill(const TensorPtr& input,
                                                                const TensorPtr& start_pos) {
    return prepare_prefill(input, start_pos, "forward");
  }

  /// The same for one that takes the last token.
  virtual runtime::Result<std::vector<runtime::EValue>> prepare_decode(
      const TensorPtr& input, const TensorPtr& start_pos, const std::string& decode_method) {
    return prepare(input, start_pos, decode_method);
  }
  runtime::Result<std::vector<runtime::EValue>> prepare_decode(const TensorPtr& input,
                                                               const TensorPtr& start_pos) {
    return prepare_decode(input, start_pos, "forward");
  }

  /// Called with the outputs of a method.
  [[nodiscard]] virtual runtime::Error update_prefill(
      const std::vector<runtime::EValue>& model_outputs, const std::string& prefill_method) {
    (void)model_outputs;
    (void)prefill_method;
    return runtime::Error::Ok;
  }
  [[nodiscard]] virtual runtime::Error update_decode(
      const std::vector<runtime::EValue>& model_outputs, const std::string& decode_method) {
    (void)model_outputs;
    (void)decode_method;
    return runtime::Error::Ok;
  }

 protected:
  Module& module_;

 private:
  runtime::Result<std::vector<runtime::EValue>> prepare(const TensorPtr& input,
                                                        const TensorPtr& start_pos,
                                                        const std::string& method);
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
