/**
 * @file
 * The runner around a model that is none: its next token is the last one plus one.
 */

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/speculative_token_generator.h>
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
  tokenizers::Error load(const std::string&) override {
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
  /// @param all_lines Gives the logits of all tokens.
  /// @param slips Says something else behind these.
  explicit Successor(Calls* calls, bool all_lines = false, std::string slips = "")
      : TextDecoderRunner(nullptr, nullptr),
        calls_(calls),
        all_lines_(all_lines),
        slips_(std::move(slips)) {}
  Error load() override {
    loaded_ = true;
    return Error::Ok;
  }
  bool is_method_loaded() override { return loaded_; }
  Result<Tensor> step(TensorPtr& tokens, int64_t start_pos) override {
    const int64_t* const ids = tokens->const_data_ptr<int64_t>();
    calls_->emplace_back(start_pos, std::string(ids, ids + tokens->numel()));
    const auto count = static_cast<size_t>(tokens->numel());
    const size_t lines = all_lines_ ? count : 1;
    logits_.assign(lines * kVocabulary, 0.0f);
    for (size_t i = 0; i < lines; ++i) {
      const auto last = static_cast<char>(ids[count - lines + i]);
      const size_t step = slips_.find(last) == std::string::npos ? 1 : 2;
      logits_[i * kVocabulary + static_cast<size_t>(last) + step] = 1.0f;
    }
    tensor_ =
        executorch::extension::from_blob(logits_.data(), {1, static_cast<int>(lines), kVocabulary});
    return *tensor_;
  }

 private:
  Calls* calls_;
  bool all_lines_;
  std::string slips_;
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
    auto decoder = std::make_unique<Successor>(&calls_, all_lines_);
    auto prefiller = std::make_unique<llm::TextPrefiller>(decoder.get(), use_kv_cache, parallel, 4);
    auto stats = std::make_unique<llm::Stats>();
    auto ends = std::make_unique<std::unordered_set<uint64_t>>();
    ends->insert(kEnd);
    std::unique_ptr<llm::TextTokenGenerator> generator;
    if (has_draft_) {
      llm::DraftModel draft;
      draft.decoder = std::make_unique<Successor>(&draft_calls_, false, slips_);
      draft.max_seq_len = 4;
      auto made = std::make_unique<llm::SpeculativeTokenGenerator>(
          tokenizer.get(), decoder.get(), std::move(draft), 3, std::move(ends), stats.get());
      speculative_ = made.get();
      generator = std::move(made);
    } else {
      generator = std::make_unique<llm::TextTokenGenerator>(
          tokenizer.get(), decoder.get(), use_kv_cache, std::move(ends), stats.get());
    }
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
  bool all_lines_ = false;
  bool has_draft_ = false;
  std::string slips_;
  const llm::SpeculativeTokenGenerator* speculative_ = nullptr;
  Calls calls_;
  Calls draft_calls_;
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

TEST_F(TextLLMRunnerTest, PartsAreNoLongerThanAChunk) {
  Successor decoder(&calls_);
  const std::vector<uint64_t> prompt = {'a', 'b', 'c', 'd'};
  int64_t position = 0;
  llm::TextPrefiller prefiller(&decoder, /*use_kv_cache=*/true, true, /*max_seq_len=*/8,
                               /*chunk=*/3);
  const auto next = prefiller.prefill(prompt, position);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(*next, static_cast<uint64_t>('e'));
  EXPECT_EQ(position, 4);
  EXPECT_EQ(calls_, (Calls{{0, "abc"}, {3, "d"}}));

  // What is not kept cannot be given in parts.
  calls_.clear();
  position = 0;
  llm::TextPrefiller whole(&decoder, /*use_kv_cache=*/false, true, 8, 3);
  ASSERT_TRUE(whole.prefill(prompt, position).ok());
  EXPECT_EQ(calls_, (Calls{{0, "abcd"}}));
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

TEST(Util, APieceIsPrintedUnlessATerminalWouldObeyIt) {
  const char* const pieces[] = {"a", " the",  "\n",           "\x1b",   "\x07",
                                "",  nullptr, "\xe2\x82\xac", "\x1b[1m"};
  testing::internal::CaptureStdout();
  for (const char* piece : pieces) {
    llm::safe_printf(piece);
  }
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a the\n\xe2\x82\xac\x1b[1m");
}

TEST(Util, NamesOfReleasesBeforeThisNamespaceAreTheSame) {
  EXPECT_EQ(&torch::executor::util::safe_printf, &llm::safe_printf);
  EXPECT_LE(torch::executor::util::time_in_ms(), llm::time_in_ms());
  EXPECT_GT(torch::executor::util::get_rss_bytes(), 0u);
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

TEST_F(TextLLMRunnerTest, GoesOnBehindTheEndOfTheTextIfItIsTold) {
  const auto runner = make();
  config_.max_new_tokens = 3;
  EXPECT_EQ(generate(*runner, "y"), Error::Ok);
  EXPECT_EQ(said_, "z");
  runner->reset();
  config_.ignore_eos = true;
  EXPECT_EQ(generate(*runner, "y"), Error::Ok);
  EXPECT_EQ(said_, "z{|");
  EXPECT_EQ(stats_.num_generated_tokens, 3);
}

TEST_F(TextLLMRunnerTest, PartsOfTextRunBeforeThePrompt) {
  const std::unique_ptr<llm::IRunner> runner = make();
  const auto next = runner->prefill({llm::make_text_input("ab"), llm::make_text_input("c")});
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(*next, static_cast<uint64_t>('d'));
  EXPECT_EQ(calls_, (Calls{{0, "abc"}}));
  const std::vector<llm::MultimodalInput> image = {llm::make_image_input(llm::Image())};
  EXPECT_EQ(runner->prefill(image).error(), Error::NotSupported);
}

TEST_F(TextLLMRunnerTest, ADecoderChoosesWithTheSamplerThatItIsGiven) {
  std::vector<float> values(8);
  const TensorPtr logits = executorch::extension::from_blob(values.data(), {1, 8});
  llm::Sampler alone(8, 5.0f, 1.0f, 11);
  llm::TextDecoderRunner decoder(nullptr, nullptr, "forward",
                                 std::make_unique<llm::Sampler>(8, 5.0f, 1.0f, 11));
  for (int i = 0; i < 20; ++i) {
    std::vector<float> copy = {0, 3, 1, 0, 2, 0, 1, 3};
    values = copy;
    EXPECT_EQ(decoder.logits_to_token(*logits, 5.0f), alone.sample(copy.data()));
  }
}

TEST_F(TextLLMRunnerTest, ADraftModelGuessesWhatTheModelSays) {
  all_lines_ = has_draft_ = true;
  slips_ = "e";
  const auto runner = make();
  config_.max_new_tokens = 9;
  ASSERT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_EQ(said_, "bcdefghij");
  EXPECT_EQ(stats_.num_generated_tokens, 9);
  // "cde" was right; behind "e" the draft model slips, and what it says behind that is lost.
  EXPECT_EQ(calls_, (Calls{{0, "a"}, {1, "bcde"}, {5, "fghi"}}));
  EXPECT_EQ(draft_calls_, (Calls{{0, "ab"}, {2, "c"}, {3, "d"}, {4, "ef"}, {6, "g"}, {7, "h"}}));
  EXPECT_EQ(speculative_->num_drafted(), 6);
  EXPECT_EQ(speculative_->num_accepted(), 6);

  // Goes on behind what was said, of which the draft model has not run all.
  calls_.clear();
  draft_calls_.clear();
  config_.max_new_tokens = 4;
  ASSERT_EQ(generate(*runner, "m"), Error::Ok);
  EXPECT_EQ(said_, "nopq");
  EXPECT_EQ(calls_, (Calls{{9, "jm"}, {11, "nop"}}));
  EXPECT_EQ(draft_calls_, (Calls{{8, "ijmn"}, {12, "o"}}));
}

TEST_F(TextLLMRunnerTest, WhatTheDraftModelGuessesWrongIsSaidByTheModel) {
  all_lines_ = has_draft_ = true;
  slips_ = "abcdefghijklmnopqrstuvwxy";
  const auto runner = make();
  ASSERT_EQ(generate(*runner, "u"), Error::Ok);
  EXPECT_EQ(said_, "vwxyz");
  EXPECT_EQ(speculative_->num_accepted(), 1) << "that the text ends behind z";
  EXPECT_EQ(stats_.num_generated_tokens, 6);
  // Of a text that ends within what was guessed, nothing more is said.
  slips_ = "";
  const auto other = make();
  ASSERT_EQ(generate(*other, "x"), Error::Ok);
  EXPECT_EQ(said_, "yz");
  // The same random choices with and without a draft model.
  config_ = {};
  config_.echo = false;
  config_.temperature = 5.0f;
  config_.seed = 7;
  config_.max_new_tokens = 8;
  ASSERT_EQ(generate(*make(), "b"), Error::Ok);
  const std::string said = said_;
  has_draft_ = false;
  ASSERT_EQ(generate(*make(), "b"), Error::Ok);
  EXPECT_EQ(said, said_);
}

TEST_F(TextLLMRunnerTest, ADraftModelNeedsTheLogitsOfAllTokens) {
  has_draft_ = true;
  EXPECT_EQ(generate(*make(), "a"), Error::InvalidProgram);
  // With a penalty on repetitions the model is alone.
  config_.repetition_penalty = 1.1f;
  config_.max_new_tokens = 3;
  const auto runner = make();
  EXPECT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_EQ(said_, "bcd");
  EXPECT_EQ(speculative_->num_drafted(), 0);
}

TEST_F(TextLLMRunnerTest, AnswersMatchAPattern) {
  const auto runner = make();
  // The model would say "bcd".
  config_.pattern = "b[x-z]{2}";
  ASSERT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_EQ(said_, "bxy");
  EXPECT_EQ(stats_.num_generated_tokens, 4) << "with the one that ends the text";
  runner->reset();
  config_.pattern.clear();
  config_.json_schema = R"({"enum": [true, 12]})";
  config_.temperature = 9.0f;
  config_.seed = 5;
  ASSERT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_TRUE(said_ == "true" || said_ == "12") << said_;
  config_.json_schema.clear();
  config_.pattern = "(";
  EXPECT_EQ(generate(*runner, "a"), Error::InvalidArgument);
  // No token has a byte beyond ASCII.
  config_.pattern = "\303\244";
  EXPECT_EQ(generate(*runner, "a"), Error::InvalidProgram);
  // The next one is free again.
  runner->reset();
  config_ = {};
  config_.echo = false;
  config_.temperature = 0.0f;
  config_.max_new_tokens = 2;
  ASSERT_EQ(generate(*runner, "a"), Error::Ok);
  EXPECT_EQ(said_, "bc");
}

TEST_F(TextLLMRunnerTest, LogitsOfOtherKindsAreNone) {
  llm::TextDecoderRunner decoder(nullptr, nullptr);
  std::vector<int32_t> whole = {1, 2};
  const TensorPtr ints = executorch::extension::from_blob(whole.data(), {2}, ScalarType::Int);
  EXPECT_EQ(decoder.logits_to_token(*ints), -1);
  std::vector<float> lines = {9, 0, 0, 0, 1, 0};
  const TensorPtr floats = executorch::extension::from_blob(lines.data(), {2, 3});
  EXPECT_EQ(decoder.logits_to_token(*floats), 1);
  EXPECT_EQ(decoder.logits_to_token(*floats, 0.0f, 1), 0);
  EXPECT_EQ(decoder.logits_to_token(*floats, 0.0f, 2), -1);
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
