#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/extension/llm/sampler/token_constraint.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

struct Stats;

/// Runs a method of a model of text: tokens in, logits out.
class TextDecoderRunner {
 public:
  /// Module and manager have to outlive this.
  ///
  /// @param sampler Chooses tokens of its temperature until set_sampling() wants others; without it
  ///     one is made when it is needed.
  /// @param stats As of `set_stats`.
  TextDecoderRunner(Module* module, IOManager* io_manager, std::string method_name = "forward",
                    std::unique_ptr<Sampler> sampler = nullptr, Stats* stats = nullptr);
  virtual ~TextDecoderRunner() = default;

  /// Where the time goes in which the model runs; null for nowhere. What it is has to outlive this.
  void set_stats(Stats* stats) { stats_ = stats; }

  /// Runs a method of the module, and notes the time.
  runtime::Result<std::vector<runtime::EValue>> execute(const std::string& method,
                                                        const std::vector<runtime::EValue>& inputs);

  /// Runs tokens ([1, n], Long) of which the first is at `start_pos`.
  ///
  /// @returns The logits; valid until the next call. InvalidArgument for a position that is
  ///     negative, InvalidProgram when the model gives no tensor, and what the model says.
  virtual runtime::Result<executorch::aten::Tensor> step(TensorPtr& tokens, int64_t start_pos);

  [[nodiscard]] virtual runtime::Error load() { return load_method(method_name_); }

  virtual bool is_method_loaded() { return module_->is_method_loaded(method_name_); }

  /// How tokens are chosen from now on; its temperature does not count, that of each call does.
  /// Random numbers begin anew if there is a seed.
  void set_sampling(const SamplingOptions& options);

  /// Which tokens count for a penalty on repetitions when the next call goes on behind them: the
  /// first `count` of these.
  void set_seen(const std::vector<uint64_t>& tokens, size_t count);

  /// Which tokens may be chosen from now on, those that are, taken as said; null for all.
  void set_constraint(std::unique_ptr<TokenConstraint> constraint) {
    constraint_ = std::move(constraint);
  }

  /// Chooses a token. For a penalty on repetitions, all tokens that ran since position 0 count.
  ///
  /// @param logits [.., vocabulary]; the last line counts. Overwritten with probabilities unless
  ///     the temperature is 0.
  /// @param lines_behind Which line counts instead: so many before the last one.
  /// @returns -1, after saying why, for logits that are empty, not floating, or have fewer lines;
  ///     and where no token of the vocabulary can go on to what the constraint wants.
  int32_t logits_to_token(const executorch::aten::Tensor& logits, float temperature = 0.0f,
                          size_t lines_behind = 0);

  bool penalizes_repetitions() const { return sampling_.repetition_penalty != 1.0f; }

 protected:
  [[nodiscard]] runtime::Error load_method(const std::string& method_name);

  /// Notes tokens for a penalty on repetitions, from position 0 on anew.
  void note_seen(const executorch::aten::Tensor& tokens, int64_t start_pos);

  /// Runs a method with an input for `count` positions, of which the first is `start_pos`; its
  /// first output are the logits.
  runtime::Result<executorch::aten::Tensor> run(const std::string& method, const TensorPtr& input,
                                                size_t count, int64_t start_pos);

  Module* module_;
  IOManager* io_manager_;

 private:
  template <typename T>
  int32_t sample(const executorch::aten::Tensor& logits, float temperature, size_t lines_behind);

  /// A token by the sampler that the constraint allows.
  template <typename T>
  int32_t choose(T* logits, int32_t vocabulary);

  std::string method_name_;
  Stats* stats_;
  SamplingOptions sampling_;
  std::unique_ptr<TokenConstraint> constraint_;
  std::unordered_set<uint64_t> seen_;  // only for a penalty

  // Kept from token to token, so that its random numbers go on.
  std::unique_ptr<Sampler> sampler_;
  int32_t sampler_vocabulary_ = 0;
  float sampler_temperature_ = 0.0f;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
