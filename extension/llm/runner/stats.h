#pragma once

#include <cstdint>
#include <string>

#include <executorch/extension/llm/runner/util.h>

namespace executorch {
namespace extension {
namespace llm {

/// When the stages of a run began and ended. Times are milliseconds of one clock.
struct Stats {
  /// Units of the times in a second.
  static constexpr long SCALING_FACTOR_UNITS_PER_SECOND = 1000;

  long model_load_start_ms = 0;
  long model_load_end_ms = 0;

  /// generate() was called.
  long inference_start_ms = 0;
  /// The prompt is in tokens.
  long token_encode_end_ms = 0;
  /// The model begins to run, has taken the prompt, and has run for the last time.
  long model_execution_start_ms = 0;
  long prompt_eval_end_ms = 0;
  long model_execution_end_ms = 0;
  /// The first token is there.
  long first_token_ms = 0;
  /// The last one is.
  long inference_end_ms = 0;

  /// Time spent on choosing tokens.
  long aggregate_sampling_time_ms = 0;
  /// Time in which the model ran.
  long aggregate_model_execution_time_ms = 0;

  int64_t num_prompt_tokens = 0;
  int64_t num_generated_tokens = 0;

  void on_sampling_begin();
  void on_sampling_end();
  void on_model_execution_begin();
  void on_model_execution_end();

  /// Back to zero. The times of loading stay, unless `all_stats`.
  void reset(bool all_stats = false);

 private:
  long sampling_begin_ms_ = 0;
  long model_execution_begin_ms_ = 0;
};

/// The figures as one JSON object.
std::string stats_to_json_string(const Stats& stats);

/// Logs the figures: first in one line, "PyTorchObserver" and the JSON object, then for people,
/// with rates.
void print_report(const Stats& stats);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
