/**
 * @file
 * Applications with language models: bindings that put a runner together from its parts, tokenizers
 * by the paths of PyTorch's library of them, and what such code does with errors.
 */

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pytorch/tokenizers/error.h>
#include <pytorch/tokenizers/hf_tokenizer.h>
#include <pytorch/tokenizers/llama2c_tokenizer.h>
#include <pytorch/tokenizers/result.h>
#include <pytorch/tokenizers/sentencepiece.h>
#include <pytorch/tokenizers/tiktoken.h>
#include <pytorch/tokenizers/tokenizer.h>

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_decoder_runner.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/llm/runner/text_prefiller.h>
#include <executorch/extension/llm/runner/text_token_generator.h>
#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

namespace llm = executorch::extension::llm;

using executorch::extension::Module;
using executorch::extension::testing::TempFile;
using executorch::runtime::Error;

/// Three words and nothing else, in the format of Hugging Face.
constexpr char kWords[] = R"({"version": "1.0", "added_tokens": [], "normalizer": null,
  "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "vocab": {"one": 0, "two": 1, "three": 2, "?": 3}, "unk_token": "?"}})";

/// An application's own codes.
enum class Code { kOk, kNotLoaded, kNoFile, kBadFile, kBadToken, kBadText, kOther };

Code code_of(tokenizers::Error error) {
  switch (error) {
    case tokenizers::Error::Ok:
      return Code::kOk;
    case tokenizers::Error::Uninitialized:
      return Code::kNotLoaded;
    case tokenizers::Error::LoadFailure:
      return Code::kNoFile;
    case tokenizers::Error::ParseFailure:
      return Code::kBadFile;
    case tokenizers::Error::OutOfRange:
    case tokenizers::Error::DecodeFailure:
      return Code::kBadToken;
    case tokenizers::Error::EncodeFailure:
    case tokenizers::Error::Base64DecodeFailure:
    case tokenizers::Error::RegexFailure:
      return Code::kBadText;
    case tokenizers::Error::Internal:
    default:
      return Code::kOther;
  }
}

TEST(TokenizerTest, SaysWhatIsWrongByTheNamesOfItsLibrary) {
  tokenizers::HFTokenizer tokenizer;
  EXPECT_EQ(code_of(tokenizer.encode("one").error()), Code::kNotLoaded);
  EXPECT_EQ(code_of(tokenizer.load("/no/such/tokenizer.json")), Code::kNoFile);
  const TempFile torn("{");
  EXPECT_EQ(code_of(tokenizer.load(torn.path())), Code::kBadFile);
  const TempFile words(kWords);
  const tokenizers::Error error = tokenizer.load(words.path());
  EXPECT_EQ(code_of(error), Code::kOk);
  EXPECT_EQ(static_cast<int>(error), 0);
  EXPECT_EQ(code_of(tokenizer.decode(0, 99).error()), Code::kBadToken);
}

TEST(TokenizerTest, DecodesSeveralTokensAtOnce) {
  tokenizers::HFTokenizer tokenizer;
  const TempFile words(kWords);
  ASSERT_EQ(tokenizer.load(words.path()), tokenizers::Error::Ok);
  const auto tokens = tokenizer.encode("one three two", 0, 0);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens.get(), (std::vector<uint64_t>{0, 2, 1}));
  const auto all = tokenizer.decode(*tokens, /*skip_special_tokens=*/true);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(*all, *tokenizer.decode_batch(*tokens, true));
  EXPECT_EQ(*tokenizer.decode({2}, false), "three");
  EXPECT_EQ(*tokenizer.id_to_piece(1), "two");
  EXPECT_EQ(*tokenizer.piece_to_id("three"), 2u);
  EXPECT_EQ(tokenizer.vocab_size(), 4);
}

/// A tokenizer of an application; a byte is a token.
class Bytes : public tokenizers::Tokenizer {
 public:
  tokenizers::Error load(const std::string& path) override {
    initialized_ = !path.empty();
    vocab_size_ = 256;
    return initialized_ ? tokenizers::Error::Ok : tokenizers::Error::LoadFailure;
  }
  tokenizers::Result<std::vector<uint64_t>> encode(const std::string& input, int8_t,
                                                   int8_t) const override {
    const tokenizers::Error error = check();
    if (error != tokenizers::Error::Ok) {
      return error;
    }
    return std::vector<uint64_t>(input.begin(), input.end());
  }
  tokenizers::Result<std::string> decode(uint64_t, uint64_t token, bool) const override {
    return std::string(1, static_cast<char>(token));
  }

 private:
  tokenizers::Error check() const {
    return initialized_ ? tokenizers::Error::Ok : tokenizers::Error::EncodeFailure;
  }
};

TEST(TokenizerTest, MayBeOneOfTheApplication) {
  const std::unique_ptr<tokenizers::Tokenizer> tokenizer = std::make_unique<Bytes>();
  EXPECT_EQ(tokenizer->load(""), tokenizers::Error::LoadFailure);
  EXPECT_EQ(code_of(tokenizer->encode("a", 0, 0).error()), Code::kBadText);
  const Error as_the_runtime_says = tokenizer->load("x");
  EXPECT_EQ(as_the_runtime_says, Error::Ok);
  EXPECT_EQ(tokenizer->encode("ab", 0, 0)->size(), 2u);
}

/// As bindings do that choose themselves how a prompt runs.
std::unique_ptr<llm::TextLLMRunner> put_together(const std::string& path,
                                                 std::unique_ptr<tokenizers::Tokenizer> tokenizer) {
  auto module = std::make_unique<Module>(path, Module::LoadMode::MmapUseMlockIgnoreErrors);
  auto metadata = llm::get_llm_metadata(tokenizer.get(), module.get());
  if (metadata.error() != Error::Ok) {
    return nullptr;
  }
  auto ends = std::make_unique<std::unordered_set<uint64_t>>(
      llm::get_eos_ids(tokenizer.get(), module.get()));
  auto io_manager = std::make_unique<llm::IOManager>(*module);
  auto sampler = std::make_unique<llm::Sampler>(static_cast<int32_t>(metadata->at(llm::kVocabSize)),
                                                /*temperature=*/0.0f);
  auto stats = std::make_unique<llm::Stats>();
  auto decoder = std::make_unique<llm::TextDecoderRunner>(module.get(), io_manager.get(), "forward",
                                                          std::move(sampler), stats.get());
  const bool use_kv_cache = metadata->at(llm::kUseKVCache) != 0;
  auto prefiller = std::make_unique<llm::TextPrefiller>(decoder.get(), use_kv_cache,
                                                        /*enable_parallel_prefill=*/false,
                                                        metadata->at(llm::kMaxSeqLen));
  auto generator = std::make_unique<llm::TextTokenGenerator>(
      tokenizer.get(), decoder.get(), use_kv_cache, std::move(ends), stats.get());
  return std::make_unique<llm::TextLLMRunner>(
      std::move(*metadata), std::move(tokenizer), std::move(module), std::move(decoder),
      std::move(prefiller), std::move(io_manager), std::move(generator), std::move(stats),
      /*temperature=*/-1.0f);
}

TEST(RunnerTest, AProgramThatIsNotThereGivesNone) {
  executorch::runtime::runtime_init();
  auto tokenizer = std::make_unique<Bytes>();
  ASSERT_EQ(tokenizer->load("x"), tokenizers::Error::Ok);
  EXPECT_EQ(put_together("/no/such/model.pte", std::move(tokenizer)), nullptr);
  auto another = std::make_unique<Bytes>();
  ASSERT_EQ(another->load("x"), tokenizers::Error::Ok);
  EXPECT_EQ(llm::create_text_llm_runner("/no/such/model.pte", std::move(another), std::nullopt,
                                        /*temperature=*/-1.0f, "forward",
                                        Module::LoadMode::MmapUseMlockIgnoreErrors),
            nullptr);
}

TEST(RunnerTest, ConfigurationsAreWrittenInTheOrderOfTheirFields) {
  const llm::GenerationConfig config{
      /*echo=*/true,     /*ignore_eos=*/false, /*max_new_tokens=*/-1,
      /*warming=*/false, /*seq_len=*/128,      /*temperature=*/0.5f,
      /*num_bos=*/1,     /*num_eos=*/2};
  EXPECT_EQ(config.seq_len, 128);
  EXPECT_EQ(config.temperature, 0.5f);
  EXPECT_EQ(config.num_bos, 1);
  EXPECT_EQ(config.num_eos, 2);
}

}  // namespace
