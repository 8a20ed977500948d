// What the README shows, compiled, and run with files that are not there.

// README begin
#include <iostream>
#include <optional>
#include <string>

#include <executorch/extension/asr/runner/recording.h>

namespace asr = executorch::extension::asr;

bool transcribe(const std::string& recording) {
  asr::AsrRunner runner("model.pte", std::nullopt, "tokenizer.json");
  executorch::extension::Module processor("whisper_preprocessor.pte");
  asr::AsrTranscribeConfig config;
  config.max_new_tokens = 128;
  config.skip_special_tokens = true;
  const auto tokens =
      asr::transcribe_recording(runner, &processor, recording, config,
                                [](const std::string& text) { std::cout << text << std::flush; });
  return tokens.ok();  // If not, the log says why.
}
// README end

#include <gtest/gtest.h>

#include <executorch/runtime/platform/runtime.h>

TEST(Readme, TheExampleSaysThatThereIsNoRecording) {
  executorch::runtime::runtime_init();
  EXPECT_FALSE(transcribe("no/such/recording.wav"));
}
