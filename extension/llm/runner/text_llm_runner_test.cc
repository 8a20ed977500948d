/**
 * @file
 * The runner around a model that is none: its next token is the last one plus one.
 */

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/llm/runner/util.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

namespace llm = executorch::extension::llm;

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::Error;
using executorch::runtime::Result;

constexpr uint64_t kEnd = 'z' + 1;
constexpr int32_t kVocabulary = 128;

/// A character is a token.
class Characters : public tokenizers::Tokenizer {
 public:
  Error load(const std::string&) override {
    initialized_ = true;
    vocab_size_ = kVocabulary;
    eos_tok_ = kEnd;
    return Error::Ok;
  }
  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos,
                                       int8_t) const override {
    std::vector<uint64_t> tokens(static_cast<size_t>(bos), bos_tok_);
    tokens.insert(tokens.end(), input.begin(), input.end());
    return tokens;
  }
  Result<std::string> decode(uint64_t, uint64_t token, bool) const override {
    if (token == '~') {
      return Error::InvalidArgument;
    }
    return std::string(1, static_cast<char>(token));
  }
};

/// What the model was given, a position and tokens each time.
using Calls = std::vector<std::pair<int64_t, std::string>>;

class Successor : public llm::TextDecoderRunner {
 public:
  explicit Successor(Calls* calls)
      : TextDecoderRunner(nullptr, nullptr), calls_(calls), logits_(kVocabulary) {}
  Error load(const std::string&) override {
    loaded_ = true;
    return Error::Ok;
  }
  bool is_method_loaded(const std::string&) override { return loaded_; }
  Result<Tensor> step(TensorPtr& tokens, int64_t start_pos) override {
    const int64_t* const ids = tokens->const_data_ptr<int64_t>();
    calls_->emplace_back(start_pos, std::string(ids, ids + tokens->numel()));
    logits_.assign(kVocabulary, 0.0f);
    logits_[static_cast<size_t>(ids[tokens->numel() - 1]) + 1] = 1.0f;
    tensor_ = executorch::extension::from_blob(logits_.data(), {1, kVocabulary});
    return *tensor_;
  }

 private:
  Calls* calls_;
  bool loaded_ = false;
  std::vector<float> logits_;
  TensorPtr tensor_;
};

class TextLLMRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  std::unique_ptr<llm::TextLLMRunner> make(bool use_kv_cache = true, bool parallel = true,
                                           bool load_tokenizer = true) {
    auto tokenizer = std::make_unique<Characters>();
    if (load_tokenizer) {
      EXPECT_EQ(tokenizer->load(""), Error::Ok);
    }
    auto decoder = std::make_unique<Successor>(&calls_);
    auto prefiller = std::make_unique<llm::TextPrefiller>(decoder.get(), use_kv_cache, parallel, 4);
    auto stats = std::make_unique<llm::Stats>();
    auto ends = std::make_unique<std::unordered_set<uint64_t>>();
    ends->insert(kEnd);
    auto generator = std::make_unique<llm::TextTokenGenerator>(
        tokenizer.get(), decoder.get(), use_kv_cache, std::move(ends), stats.get());
    return std::make_unique<llm::TextLLMRunner>(
        std::unordered_map<std::string, int64_t>{{llm::kMaxContextLen, 16},
                                                 {llm::kUseKVCache, use_kv_cache ? 1 : 0}},
        std::move(tokenizer), nullptr, std::move(decoder), std::move(prefiller), nullptr,
        std::move(generator), std::move(stats));
  }

  Error generate(llm::TextLLMRunner& runner, const std::string& prompt) {
    said_.clear();
    return runner.generate(
        prompt, config_, [this](const std::string& text) { said_ += text; },
        [this](const llm::Stats& stats) { stats_ = stats; });
  }

  llm::GenerationConfig config_ = [] {
    llm::GenerationConfig config;
    config.echo = false;
    config.temperature = 0.0f;
    return config;
  }();
  Calls calls_;
  std::string said_;
  llm::Stats stats_;
};

TEST_F(TextLLMRunnerTest, GoesOnUntilTheTextEndsOrThereIsEnough) {
  const auto runner = make();
  EXPECT_FALSE(runner->is_loaded());
  EXPECT_EQ(generate(*runner, "vw"), Error::Ok);
  EXPECT_TRUE(runner->is_loaded());
  EXPECT_EQ(said_, "xyz");
  EXPECT_EQ(stats_.num_prompt_tokens, 2);
  EXPECT_EQ(stats_.num_generated_tokens, 4);
  EXPECT_EQ(calls_, (Calls{{0, "vw"}, {2, "x"}, {3, "y"}, {4, "z"}}));

  runner->reset();
  config_.max_new_tokens = 2;
  config_.echo = true;
  EXPECT_EQ(generate(*runner, "ab"), Error::Ok);
  EXPECT_EQ(said_, "abcd");
}

TEST_F(TextLLMRunnerTest, TheNextPromptStandsBehindWhatWasSaid) {
  const auto runner = make();
  config_.max_new_tokens = 2;
  ASSERT_EQ(generate(*runner, "a"), Error::Ok);
  calls_.clear();
  ASSERT_EQ(generate(*runner, "m"), Error::Ok);
  EXPECT_EQ(said_, "no");
  // The last token of the answer had not run.
  EXPECT_EQ(calls_, (Calls{{2, "cm"}, {4, "n"}}));
  EXPECT_EQ(*runner->prefill("pq"), static_cast<uint64_t>('r'));
  calls_.clear();
  ASSERT_EQ(generate(*runner, "s"), Error::Ok);
  EXPECT_EQ(calls_.front(), (std::pair<int64_t, std::string>{8, "s"}));
}

TEST_F(TextLLMRunnerTest, LongPromptsRunInParts) {
  ASSERT_EQ(generate(*make(), "abcdef"), Error::Ok);
  EXPECT_EQ(calls_[0], (std::pair<int64_t, std::string>{0, "abcd"}));
  EXPECT_EQ(calls_[1], (std::pair<int64_t, std::string>{4, "ef"}));
  calls_.clear();
  ASSERT_EQ(generate(*make(true, /*parallel=*/false), "ab"), Error::Ok);
  EXPECT_EQ(calls_[1], (std::pair<int64_t, std::string>{1, "b"}));
}

TEST_F(TextLLMRunnerTest, AModelWithoutACacheIsGivenEverything) {
  const auto runner = make(/*use_kv_cache=*/false);
  config_.max_new_tokens = 3;
  for (int run = 0; run < 2; ++run) {
    calls_.clear();
    ASSERT_EQ(generate(*runner, "ab"), Error::Ok);
    EXPECT_EQ(calls_, (Calls{{0, "ab"}, {0, "abc"}, {0, "abcd"}}));
  }
  EXPECT_EQ(generate(*runner, "abcde"), Error::InvalidArgument);
  EXPECT_EQ(runner->generate_from_pos("a", 1, config_), Error::NotSupported);
  EXPECT_EQ(runner->prefill("a").error(), Error::NotSupported);
}

TEST_F(TextLLMRunnerTest, StopsWhenItIsTold) {
  const auto runner = make();
  std::string said;
  const auto listen = [&](const std::string& text) {
    said += text;
    if (said.size() == 3) {
      runner->stop();
    }
  };
  ASSERT_EQ(runner->generate("a", config_, listen), Error::Ok);
  EXPECT_EQ(said, "bcd");
  ASSERT_EQ(runner->generate_from_pos("a", 0, config_, [&](const std::string& t) { said += t; }),
            Error::Ok);
  EXPECT_GT(said.size(), 6u);
}

TEST_F(TextLLMRunnerTest, PromptsWithoutRoomAreRefused) {
  const auto runner = make();
  EXPECT_EQ(generate(*runner, ""), Error::InvalidArgument);
  EXPECT_EQ(generate(*runner, std::string(16, 'a')), Error::InvalidArgument);
  config_.seq_len = 3;
  EXPECT_EQ(generate(*runner, "abc"), Error::InvalidArgument);
  EXPECT_EQ(runner->generate_from_pos("a", -1, config_), Error::InvalidArgument);
  EXPECT_EQ(runner->generate_from_pos("a", 16, config_), Error::InvalidArgument);
  EXPECT_TRUE(calls_.empty());
  config_.seq_len = -1;
  EXPECT_EQ(generate(*runner, std::string(15, 'a')), Error::Ok);
  EXPECT_EQ(said_, "b");
}

TEST_F(TextLLMRunnerTest, WhatTheTokenizerDoesNotKnowEndsTheRun) {
  EXPECT_EQ(generate(*make(), "}"), Error::InvalidArgument);
  EXPECT_EQ(generate(*make(), "|"), Error::InvalidArgument);
  EXPECT_EQ(said_, "}");
  EXPECT_EQ(make(true, true, /*load_tokenizer=*/false)->load(), Error::InvalidState);
}

TEST_F(TextLLMRunnerTest, AWarmupLeavesNothingBehind) {
  const auto runner = make();
  EXPECT_EQ(runner->warmup("ab", 3), Error::Ok);
  EXPECT_EQ(calls_.size(), 3u);
  calls_.clear();
  EXPECT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_EQ(calls_.front(), (std::pair<int64_t, std::string>{0, "a"}));
  EXPECT_GT(llm::get_rss_bytes(), 0u);
}

TEST_F(TextLLMRunnerTest, TokensAreChosenAsTheConfigurationSays) {
  const auto runner = make();
  config_.temperature = 5.0f;
  config_.max_new_tokens = 5;
  config_.seed = 3;
  EXPECT_EQ(generate(*runner, "b"), Error::Ok);
  const std::string first = said_;
  runner->reset();
  EXPECT_EQ(generate(*runner, "b"), Error::Ok);
  EXPECT_EQ(said_, first);
  runner->reset();
  config_.seed = 4;
  EXPECT_EQ(generate(*runner, "b"), Error::Ok);
  EXPECT_NE(said_, first);
  runner->reset();
  config_.top_k = 1;
  EXPECT_EQ(generate(*runner, "b"), Error::Ok);
  EXPECT_EQ(said_, "cdefg");
}

TEST_F(TextLLMRunnerTest, LogitsOfOtherKindsAreNone) {
  llm::TextDecoderRunner decoder(nullptr, nullptr);
  std::vector<int32_t> whole = {1, 2};
  const TensorPtr ints = executorch::extension::from_blob(whole.data(), {2}, ScalarType::Int);
  EXPECT_EQ(decoder.logits_to_token(*ints), -1);
  std::vector<float> lines = {9, 0, 0, 0, 1, 0};
  const TensorPtr floats = executorch::extension::from_blob(lines.data(), {2, 3});
  EXPECT_EQ(decoder.logits_to_token(*floats), 1);
}

TEST_F(TextLLMRunnerTest, AProgramThatIsNoLanguageModelIsRefused) {
  const executorch::extension::testing::TempFile file(
      executorch::extension::testing::TinyProgram().build());
  auto tokenizer = std::make_unique<Characters>();
  Module module(file.path());
  EXPECT_EQ(llm::get_llm_metadata(tokenizer.get(), &module).error(), Error::InvalidProgram);
  EXPECT_EQ(llm::get_eos_ids(tokenizer.get(), &module), (std::unordered_set<uint64_t>{0}));
  EXPECT_EQ(llm::create_text_llm_runner(file.path(), std::move(tokenizer)), nullptr);
  EXPECT_EQ(llm::create_text_llm_runner(file.path(), nullptr), nullptr);
  auto loaded = std::make_unique<Characters>();
  ASSERT_EQ(loaded->load(""), Error::Ok);
  EXPECT_EQ(llm::create_text_llm_runner("no/such/file", std::move(loaded)), nullptr);
}

TEST_F(TextLLMRunnerTest, TokenizersAreKnownByTheirFiles) {
  using executorch::extension::testing::TempFile;
  // A model of SentencePiece with the unknown token alone.
  const TempFile sentencepiece(std::string("\x0a\x09\x0a\x05<unk>\x18\x02"));
  const auto tokenizer = llm::load_tokenizer(sentencepiece.path());
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocab_size(), 1);

  std::string llama2c("\x08\0\0\0", 4);
  for (int i = 0; i < 3 + 256; ++i) {
    llama2c += std::string("\0\0\0\0\x01\0\0\0a", 9);
  }
  const TempFile pairs(llama2c);
  const auto other = llm::load_tokenizer(pairs.path());
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->vocab_size(), 259);

  const TempFile json(std::string(R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}})"));
  const auto words = llm::load_tokenizer(json.path());
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->vocab_size(), 1);

  const TempFile neither(std::string("{}"));
  EXPECT_EQ(llm::load_tokenizer(neither.path()), nullptr);
  EXPECT_EQ(llm::load_tokenizer("no/such/file"), nullptr);
}

}  // namespace
