#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/tokenizer/file_test_fixture.h>
#include <executorch/extension/llm/tokenizer/tekken.h>
#include <executorch/runtime/core/error.h>

namespace {

using executorch::runtime::Error;
using tokenizers::Tekken;
using tokenizers::testing::base64;
using tokenizers::testing::FileTest;

using Tokens = std::vector<uint64_t>;

constexpr uint64_t kReserved = 22;

/// All bytes, then "ab", and "abc" that is not used.
std::string file(const std::string& rest = "") {
  std::string tokens;
  for (int byte = 0; byte < 256; ++byte) {
    tokens += R"({"rank": )" + std::to_string(byte) + R"(, "token_bytes": ")" +
              base64(std::string(1, static_cast<char>(byte))) + R"("}, )";
  }
  return R"({"config": {"pattern": "\\S+|\\s+", "num_vocab_tokens": 258, "default_vocab_size": )" +
         std::to_string(257 + kReserved) + R"(, "default_num_special_tokens": )" +
         std::to_string(kReserved) + R"(, "version": "v3"}, "vocab": [)" + tokens +
         R"({"rank": 256, "token_bytes": "YWI="}, {"rank": 257, "token_bytes": "YWJj"}])" + rest +
         "}";
}

using TekkenTest = FileTest<Tekken>;

TEST_F(TekkenTest, SpecialTokensStandInFrontOfTheOthers) {
  ASSERT_EQ(load(file()), Error::Ok);
  EXPECT_EQ(tokenizer_.vocab_size(), 257 + 22);
  EXPECT_EQ(tokenizer_.get_version(), "v3");
  EXPECT_EQ(*tokenizer_.encode("abc", 1, 1), (Tokens{1, kReserved + 256, kReserved + 'c', 2}));
  EXPECT_EQ(*tokenizer_.encode("[INST]a<SPECIAL_21>"), (Tokens{3, kReserved + 'a', 21}));
  EXPECT_EQ(tokenizer_.encode_allowing("[INST]", {})->size(), 6u);
  EXPECT_EQ(*tokenizer_.decode_batch({1, kReserved + 256, 3}), "<s>ab[INST]");
  EXPECT_EQ(*tokenizer_.decode(0, 3, true), "");
  EXPECT_EQ(tokenizer_.decode(0, 257 + kReserved).error(), Error::InvalidArgument);
}

TEST_F(TekkenTest, NamesOfTheFileCount) {
  ASSERT_EQ(load(file(R"(, "special_tokens": [{"rank": 5, "token_str": "<s>", "is_control": true},
                          {"rank": 7, "token_str": "</s>"}, {"rank": 9, "token_str": "[X]"}])")),
            Error::Ok);
  EXPECT_EQ(tokenizer_.bos_tok(), 5u);
  EXPECT_EQ(tokenizer_.eos_tok(), 7u);
  EXPECT_EQ(*tokenizer_.encode("[X]"), (Tokens{9}));
  EXPECT_EQ(*tokenizer_.piece_to_id("<SPECIAL_0>"), 0u);
}

TEST_F(TekkenTest, OtherFilesAreRefusedAndChangeNothing) {
  EXPECT_EQ(tokenizer_.encode("a").error(), Error::InvalidState);
  EXPECT_EQ(tokenizer_.load("no/such/file"), Error::AccessFailed);
  ASSERT_EQ(load(file()), Error::Ok);
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = file();
    const size_t at = text.find(from);
    return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
  };
  for (
      const std::string& text :
      {std::string(), std::string("{}"), file() + "x", with("279", "1279"), with("279", "22"),
       with("279", "99999999999"), with("YWI=", "YW!="), with("YWI=", ""), with("256,", "255,"),
       with("AA==", "YWJj"), with("\\\\S+", "("), with("\"pattern\"", "\"p\""),
       file(R"(, "special_tokens": [])"),
       file(R"(, "special_tokens": [{"rank": 22, "token_str": "<s>"}])"),
       file(R"(, "special_tokens": [{"token_str": "<s>"}])"),
       file(
           R"(, "special_tokens": [{"rank": 1, "token_str": "<s>"}, {"rank": 2, "token_str": "<s>"}])")}) {
    EXPECT_EQ(load(text), Error::InvalidExternalData) << text.substr(0, 200);
  }
  EXPECT_EQ(*tokenizer_.encode("ab"), (Tokens{kReserved + 256}));
}

TEST_F(TekkenTest, HostileFilesAreErrors) {
  const std::string whole = file();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    text[random() % text.size()] = static_cast<char>(random());
    if (load(text) == Error::Ok) {
      (void)tokenizer_.encode("ab ab \xff[INST]");
    }
  }
}

}  // namespace
