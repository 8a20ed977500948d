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

// README begin
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/llm_runner_helper.h>

namespace llm = ::executorch::extension::llm;

std::string describe(llm::MultimodalRunner& runner, std::vector<float> pixels, int width,
                     int height) {
  std::vector<llm::MultimodalInput> inputs;
  inputs.push_back(llm::make_text_input("What is on this picture? "));
  inputs.push_back(
      llm::make_image_input(llm::Image(std::move(pixels), width, height, /*channels=*/3)));
  std::string answer;
  llm::GenerationConfig config;
  config.echo = false;
  const auto error =
      runner.generate(inputs, config, [&](const std::string& piece) { answer += piece; });
  return error == executorch::runtime::Error::Ok ? answer : std::string();
}
// README end

#include <gtest/gtest.h>

#include <executorch/runtime/platform/runtime.h>

TEST(Readme, TheExampleSaysThatThereIsNoModel) {
  executorch::runtime::runtime_init();
  EXPECT_EQ(run("no/such/model.pte", "no/such/tokenizer.model"), 1);
}

TEST(Readme, ARunnerThatCannotLoadHasNoAnswer) {
  executorch::runtime::runtime_init();
  EXPECT_EQ(llm::create_multimodal_runner("no/such/model.pte", nullptr), nullptr);
}
