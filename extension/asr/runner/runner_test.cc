/**
 * @file
 * What a runner of speech says of settings and files that do not fit. Whole models:
 * examples/models/whisper.
 */

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/asr/runner.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::make_tensor_ptr;
using executorch::extension::TensorPtr;
using executorch::extension::asr::AsrRunner;
using executorch::extension::asr::AsrTranscribeConfig;
using executorch::extension::asr::TokenCallback;
using executorch::extension::testing::TempFile;
using executorch::extension::testing::TinyProgram;
using executorch::runtime::Error;

/// Two tokens, "a" and "b".
constexpr char kTokenizer[] = R"({
  "added_tokens": [],
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}
})";

class AsrRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  /// A program whose methods add two tensors.
  static std::unique_ptr<TempFile> program(const std::vector<std::string>& methods) {
    TinyProgram tiny;
    tiny.methods = methods;
    const auto bytes = tiny.build();
    return std::make_unique<TempFile>(bytes.data(), bytes.size());
  }

  TempFile tokenizer_{std::string(kTokenizer)};
};

TEST_F(AsrRunnerTest, SettingsHaveTheDocumentedDefaults) {
  const executorch::extension::llm::AsrTranscribeConfig config;
  EXPECT_EQ(config.max_new_tokens, 128);
  EXPECT_TRUE(config.eos_token_ids.empty());
  EXPECT_EQ(config.temperature, 0.0f);
  EXPECT_EQ(config.decoder_start_token_id, 0);
  EXPECT_TRUE(config.decoder_input_ids.empty());
}

TEST_F(AsrRunnerTest, ATokenizerThatIsNotThereIsAnInvalidArgument) {
  const auto file = program({"encoder", "text_decoder"});
  AsrRunner runner(file->path(), std::nullopt, "/no/such/tokenizer.json");
  EXPECT_FALSE(runner.is_loaded());
  EXPECT_EQ(runner.load(), Error::InvalidArgument);
  EXPECT_FALSE(runner.is_loaded());
}

TEST_F(AsrRunnerTest, AProgramThatIsNotThereIsAnError) {
  AsrRunner runner("/no/such/model.pte", std::nullopt, tokenizer_.path());
  EXPECT_EQ(runner.load(), Error::AccessFailed);
}

TEST_F(AsrRunnerTest, AProgramWithoutADecoderIsInvalid) {
  const auto file = program({"encoder", "forward"});
  AsrRunner runner(file->path(), std::nullopt, tokenizer_.path());
  EXPECT_EQ(runner.load(), Error::InvalidProgram);
}

TEST_F(AsrRunnerTest, NoFeaturesAreAnInvalidArgument) {
  const auto file = program({"encoder", "text_decoder"});
  AsrRunner runner(file->path(), std::nullopt, tokenizer_.path());
  EXPECT_EQ(runner.transcribe(TensorPtr()).error(), Error::InvalidArgument);
}

TEST_F(AsrRunnerTest, SettingsOutOfRangeAreAnInvalidArgument) {
  const auto file = program({"encoder", "text_decoder"});
  AsrRunner runner(file->path(), std::nullopt, tokenizer_.path());
  const TensorPtr features = make_tensor_ptr({2, 3}, std::vector<float>(6));
  std::vector<AsrTranscribeConfig> wrong(3);
  wrong[0].max_new_tokens = 0;
  wrong[1].temperature = -1.0f;
  wrong[2].decoder_input_ids = {1, -1};
  for (const auto& config : wrong) {
    EXPECT_EQ(runner.transcribe(features, config).error(), Error::InvalidArgument);
  }
}

TEST_F(AsrRunnerTest, WhatTheEncoderSaysOfFeaturesIsHandedOn) {
  const auto file = program({"encoder", "text_decoder"});
  AsrRunner runner(file->path(), std::nullopt, tokenizer_.path());
  bool told = false;
  const std::optional<TokenCallback> callback = [&told](const std::string&) { told = true; };
  const TensorPtr features = make_tensor_ptr({2, 3}, std::vector<float>(6));
  // It takes two inputs.
  EXPECT_EQ(runner.transcribe(features, {}, callback).error(), Error::InvalidArgument);
  EXPECT_FALSE(told);
}

}  // namespace
