// What the README shows, compiled, and run with files that are not there.

// README begin
#include <cstdio>
#include <string>

#include <executorch/extension/llm/runner/llm_runner_helper.h>

namespace llm = ::executorch::extension::llm;

int run(const char* model, const char* tokenizer) {
  const auto runner = llm::create_text_llm_runner(model, llm::load_tokenizer(tokenizer));
  if (runner == nullptr) {
    return 1;  // The log says why.
  }
  llm::GenerationConfig config;
  config.max_new_tokens = 100;
  config.temperature = 0.8f;
  const auto show = [](const std::string& text) { std::fputs(text.c_str(), stdout); };
  return runner->generate("Hello, world!", config, show) == executorch::runtime::Error::Ok ? 0 : 1;
}
// README end

#include <gtest/gtest.h>

#include <executorch/runtime/platform/runtime.h>

TEST(Readme, TheExampleSaysThatThereIsNoModel) {
  executorch::runtime::runtime_init();
  EXPECT_EQ(run("no/such/model.pte", "no/such/tokenizer.model"), 1);
}
