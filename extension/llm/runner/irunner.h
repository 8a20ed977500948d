#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/multimodal_input.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// How a text is generated.
struct GenerationConfig {
  /// The prompt comes first in what is generated.
  bool echo = true;

  /// Tokens that end a text are told like others, and it goes on to the limits below.
  bool ignore_eos = false;

  /// The most tokens that are generated; -1 for as many as there is room for.
  int32_t max_new_tokens = -1;

  /// A run to warm up: tokens are not shown.
  bool warming = false;

  /// The most tokens of prompt and answer together; -1 for the model's limit.
  int32_t seq_len = -1;

  /// 0 takes the most probable token every time.
  float temperature = 0.8f;

  /// How many tokens of begin and of end are put around the prompt.
  int32_t num_bos = 0;
  int32_t num_eos = 0;

  /// How tokens are chosen besides the temperature; see SamplingOptions. With a seed, equal prompts
  /// have equal answers.
  float top_p = 0.9f;
  int32_t top_k = 0;
  float min_p = 0.0f;
  float repetition_penalty = 1.0f;
  uint64_t seed = 0;

  /// A regular expression (see Pattern) that the whole answer matches, or the JSON schema of it
  /// (see pattern_of_json_schema()); only tokens that can lead there are chosen. Empty for any
  /// answer. One that is cut off by the limits above is the beginning of one that matches.
  std::string pattern = {};
  std::string json_schema = {};

  /// How many tokens may be generated for a prompt of `num_prompt_tokens`, in a model with a
  /// context of `max_context_len`: what both limits above allow. Not negative.
  int32_t resolve_max_new_tokens(int32_t max_context_len, int32_t num_prompt_tokens) const {
    const int32_t length = seq_len == -1 ? max_context_len : std::min(seq_len, max_context_len);
    const int32_t room = length - num_prompt_tokens;
    return std::max(0, max_new_tokens == -1 ? room : std::min(max_new_tokens, room));
  }
};

/// Whatever generates text.
class IRunner {
 public:
  virtual ~IRunner() = default;

  virtual bool is_loaded() const = 0;

  /// Loads the model and makes it ready to run.
  virtual runtime::Error load() = 0;

  /// Continues the prompt. The callbacks, which may be empty, are told of each piece of text, and
  /// of the figures at the end.
  virtual runtime::Error generate(const std::string& prompt, const GenerationConfig& config,
                                  std::function<void(const std::string&)> token_callback,
                                  std::function<void(const Stats&)> stats_callback) = 0;

  /// The same from a position of the model's cache on, which holds what was said before.
  /// NotSupported from a runner that always begins anew.
  virtual runtime::Error generate_from_pos(const std::string& prompt, int64_t start_pos,
                                           const GenerationConfig& config,
                                           std::function<void(const std::string&)> token_callback,
                                           std::function<void(const Stats&)> stats_callback) {
    return start_pos == 0 ? generate(prompt, config, token_callback, stats_callback)
                          : runtime::Error::NotSupported;
  }

  /// Runs parts of a prompt without generating; the next prompt goes on behind them.
  ///
  /// @returns The most probable next token. NotSupported from a runner that does not keep them, and
  ///     for parts that it does not take.
  virtual runtime::Result<uint64_t> prefill(const std::vector<MultimodalInput>& inputs,
                                            int32_t num_bos = 0, int32_t num_eos = 0) {
    (void)inputs, (void)num_bos, (void)num_eos;
    return runtime::Error::NotSupported;
  }

  /// Ends a run as soon as possible; may be called on another thread.
  virtual void stop() = 0;

  /// Forgets what was said so far, if the runner keeps it.
  virtual void reset() {}
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
