#include <sstream>

#include <executorch/extension/llm/runner/stats.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

/// How many of them in a second; 0 if no time went by.
double rate(int64_t count, long milliseconds) {
  return milliseconds <= 0
             ? 0.0
             : static_cast<double>(count) * 1000.0 / static_cast<double>(milliseconds);
}

double seconds(long begin, long end) { return static_cast<double>(end - begin) / 1000.0; }

}  // namespace

void Stats::on_sampling_begin() { sampling_begin_ms_ = time_in_ms(); }

void Stats::on_sampling_end() {
  aggregate_sampling_time_ms += time_in_ms() - sampling_begin_ms_;
  sampling_begin_ms_ = 0;
}

void Stats::on_model_execution_begin() {
  model_execution_begin_ms_ = time_in_ms();
  if (model_execution_start_ms == 0) {
    model_execution_start_ms = model_execution_begin_ms_;
  }
}

void Stats::on_model_execution_end() {
  model_execution_end_ms = time_in_ms();
  aggregate_model_execution_time_ms += model_execution_end_ms - model_execution_begin_ms_;
}

void Stats::reset(bool all_stats) {
  const long load_start_ms = model_load_start_ms;
  const long load_end_ms = model_load_end_ms;
  *this = Stats();
  if (!all_stats) {
    model_load_start_ms = load_start_ms;
    model_load_end_ms = load_end_ms;
  }
}

std::string stats_to_json_string(const Stats& stats) {
  std::ostringstream out;
  out << "{\"prefill_token_per_sec\":"
      << rate(stats.num_prompt_tokens, stats.prompt_eval_end_ms - stats.inference_start_ms)
      << ",\"decode_token_per_sec\":"
      << rate(stats.num_generated_tokens, stats.inference_end_ms - stats.prompt_eval_end_ms)
      << ",\"prompt_tokens\":" << stats.num_prompt_tokens
      << ",\"generated_tokens\":" << stats.num_generated_tokens
      << ",\"model_load_start_ms\":" << stats.model_load_start_ms
      << ",\"model_load_end_ms\":" << stats.model_load_end_ms
      << ",\"inference_start_ms\":" << stats.inference_start_ms
      << ",\"inference_end_ms\":" << stats.inference_end_ms
      << ",\"model_execution_start_ms\":" << stats.model_execution_start_ms
      << ",\"model_execution_end_ms\":" << stats.model_execution_end_ms
      << ",\"prompt_eval_end_ms\":" << stats.prompt_eval_end_ms
      << ",\"first_token_ms\":" << stats.first_token_ms
      << ",\"aggregate_sampling_time_ms\":" << stats.aggregate_sampling_time_ms
      << ",\"aggregate_model_execution_time_ms\":" << stats.aggregate_model_execution_time_ms
      << ",\"SCALING_FACTOR_UNITS_PER_SECOND\":" << stats.SCALING_FACTOR_UNITS_PER_SECOND << "}";
  return out.str();
}

void print_report(const Stats& stats) {
  ET_LOG(Info, "PyTorchObserver %s", stats_to_json_string(stats).c_str());
  const long evaluation = stats.prompt_eval_end_ms - stats.inference_start_ms;
  const long generation = stats.inference_end_ms - stats.prompt_eval_end_ms;
  ET_LOG(Info, "%lld prompt tokens, %lld generated tokens",
         static_cast<long long>(stats.num_prompt_tokens),
         static_cast<long long>(stats.num_generated_tokens));
  ET_LOG(Info, "model load: %.3f s", seconds(stats.model_load_start_ms, stats.model_load_end_ms));
  ET_LOG(Info, "whole run: %.3f s, %.2f tokens a second",
         seconds(stats.inference_start_ms, stats.inference_end_ms),
         rate(stats.num_generated_tokens, stats.inference_end_ms - stats.inference_start_ms));
  ET_LOG(Info, "prompt: %.3f s, %.2f tokens a second",
         seconds(stats.inference_start_ms, stats.prompt_eval_end_ms),
         rate(stats.num_prompt_tokens, evaluation));
  ET_LOG(Info, "generation: %.3f s, %.2f tokens a second",
         seconds(stats.prompt_eval_end_ms, stats.inference_end_ms),
         rate(stats.num_generated_tokens, generation));
  ET_LOG(Info, "first token after %.3f s", seconds(stats.inference_start_ms, stats.first_token_ms));
  ET_LOG(Info, "choosing tokens: %.3f s", seconds(0, stats.aggregate_sampling_time_ms));
  ET_LOG(Info, "running the model: %.3f s", seconds(0, stats.aggregate_model_execution_time_ms));
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
