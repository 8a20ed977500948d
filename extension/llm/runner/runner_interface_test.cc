#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/util.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::llm::GenerationConfig;
using executorch::extension::llm::IRunner;
using executorch::extension::llm::Stats;
using executorch::extension::llm::stats_to_json_string;
using executorch::extension::llm::time_in_ms;
using executorch::runtime::Error;

TEST(GenerationConfigTest, HasTheDocumentedDefaults) {
  const GenerationConfig config;
  EXPECT_TRUE(config.echo);
  EXPECT_FALSE(config.ignore_eos);
  EXPECT_EQ(config.max_new_tokens, -1);
  EXPECT_FALSE(config.warming);
  EXPECT_EQ(config.seq_len, -1);
  EXPECT_EQ(config.temperature, 0.8f);
  EXPECT_EQ(config.num_bos, 0);
  EXPECT_EQ(config.num_eos, 0);
}

TEST(GenerationConfigTest, TheTighterLimitHolds) {
  GenerationConfig config;
  EXPECT_EQ(config.resolve_max_new_tokens(100, 20), 80);
  config.seq_len = 50;
  EXPECT_EQ(config.resolve_max_new_tokens(100, 20), 30);
  config.seq_len = 150;
  EXPECT_EQ(config.resolve_max_new_tokens(100, 20), 80);
  config.max_new_tokens = 40;
  EXPECT_EQ(config.resolve_max_new_tokens(100, 20), 40);
  EXPECT_EQ(config.resolve_max_new_tokens(100, 70), 30);
  EXPECT_EQ(config.resolve_max_new_tokens(100, 120), 0);
}

/// Says the prompt.
class Echo : public IRunner {
 public:
  bool is_loaded() const override { return true; }
  Error load() override { return Error::Ok; }
  Error generate(const std::string& prompt, const GenerationConfig&,
                 std::function<void(const std::string&)> token_callback,
                 std::function<void(const Stats&)>) override {
    token_callback(prompt);
    return Error::Ok;
  }
  void stop() override {}
};

TEST(IRunnerTest, ARunnerNeedNotKeepWhatWasSaid) {
  Echo echo;
  std::string said;
  const auto listen = [&said](const std::string& text) { said += text; };
  EXPECT_EQ(echo.generate_from_pos("a", 0, {}, listen, {}), Error::Ok);
  EXPECT_EQ(echo.generate_from_pos("b", 1, {}, listen, {}), Error::NotSupported);
  echo.reset();
  EXPECT_EQ(said, "a");
}

TEST(StatsTest, ResetKeepsTheTimesOfLoading) {
  Stats stats;
  stats.model_load_end_ms = 5;
  stats.first_token_ms = 7;
  stats.num_prompt_tokens = 3;
  stats.reset();
  EXPECT_EQ(stats.model_load_end_ms, 5);
  EXPECT_EQ(stats.first_token_ms, 0);
  EXPECT_EQ(stats.num_prompt_tokens, 0);
  stats.reset(true);
  EXPECT_EQ(stats.model_load_end_ms, 0);
}

TEST(StatsTest, GivesJson) {
  executorch::runtime::runtime_init();
  Stats stats;
  stats.num_prompt_tokens = 3;
  stats.num_generated_tokens = 4;
  stats.prompt_eval_end_ms = 1;
  stats.inference_end_ms = 9;
  stats.model_execution_start_ms = 2;
  stats.model_execution_end_ms = 8;
  stats.aggregate_model_execution_time_ms = 6;
  EXPECT_EQ(stats_to_json_string(stats),
            "{\"prefill_token_per_sec\":3000,\"decode_token_per_sec\":500,"
            "\"prompt_tokens\":3,\"generated_tokens\":4,\"model_load_start_ms\":0,"
            "\"model_load_end_ms\":0,\"inference_start_ms\":0,\"inference_end_ms\":9,"
            "\"model_execution_start_ms\":2,\"model_execution_end_ms\":8,"
            "\"prompt_eval_end_ms\":1,\"first_token_ms\":0,\"aggregate_sampling_time_ms\":0,"
            "\"aggregate_model_execution_time_ms\":6,"
            "\"SCALING_FACTOR_UNITS_PER_SECOND\":1000}");
  stats.on_sampling_begin();
  stats.on_sampling_end();
  EXPECT_GE(stats.aggregate_sampling_time_ms, 0);
  EXPECT_LT(stats.aggregate_sampling_time_ms, 60000);
}

TEST(StatsTest, AddsUpTheTimesOfTheModel) {
  executorch::runtime::runtime_init();
  Stats stats;
  stats.on_model_execution_begin();
  stats.on_model_execution_end();
  const long start = stats.model_execution_start_ms;
  EXPECT_GT(start, 0);
  const long before = time_in_ms();
  stats.on_model_execution_begin();
  while (time_in_ms() < before + 3) {
  }
  stats.on_model_execution_end();
  EXPECT_EQ(stats.model_execution_start_ms, start);
  EXPECT_GE(stats.model_execution_end_ms, before + 3);
  EXPECT_GE(stats.aggregate_model_execution_time_ms, 2);
  EXPECT_LE(stats.aggregate_model_execution_time_ms, stats.model_execution_end_ms - start);
  stats.reset();
  EXPECT_EQ(stats.model_execution_end_ms, 0);
  EXPECT_EQ(stats.aggregate_model_execution_time_ms, 0);
}

}  // namespace
