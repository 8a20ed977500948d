#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/tokenizer/file_test_fixture.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/error.h>

namespace {

using executorch::extension::testing::TempFile;
using executorch::runtime::Error;
using tokenizers::Tiktoken;
using tokenizers::testing::base64;
using tokenizers::testing::FileTest;

using Tokens = std::vector<uint64_t>;

/// All bytes, then "ab" and " ab".
std::string file() {
  std::string lines;
  for (int byte = 0; byte < 256; ++byte) {
    lines += base64(std::string(1, static_cast<char>(byte))) + " " + std::to_string(byte) + "\n";
  }
  return lines + base64("ab") + " 256\n" + base64(" ab") + " 257\n";
}

constexpr uint64_t kBegin = 258;

using TiktokenTest = FileTest<Tiktoken>;

TEST_F(TiktokenTest, BytesAreJoinedByRank) {
  ASSERT_EQ(load(file()), Error::Ok);
  EXPECT_EQ(tokenizer_.vocab_size(), 258 + 256);
  EXPECT_EQ(*tokenizer_.encode("ab ab"), (Tokens{256, 257}));
  EXPECT_EQ(*tokenizer_.encode("abc", 1, 1), (Tokens{kBegin, 256, 'c', kBegin + 1}));
  EXPECT_EQ(*tokenizer_.encode("a<|eot_id|>"), (Tokens{'a', kBegin + 9}));
  EXPECT_EQ(tokenizer_.encode_allowing("<|eot_id|>", {})->size(), 10u);
  EXPECT_EQ(*tokenizer_.encode_allowing("<|eot_id|>", {"<|eot_id|>"}), (Tokens{kBegin + 9}));
}

TEST_F(TiktokenTest, TokensAreBytes) {
  ASSERT_EQ(load(file()), Error::Ok);
  EXPECT_EQ(*tokenizer_.decode(0, 257), " ab");
  EXPECT_EQ(*tokenizer_.decode(0, 0xc3), "\xc3");
  EXPECT_EQ(*tokenizer_.decode_batch({0xc3, 0xa9, 0xc3}), "\xc3\xa9\xef\xbf\xbd");
  EXPECT_EQ(*tokenizer_.decode(0, kBegin), "<|begin_of_text|>");
  EXPECT_EQ(*tokenizer_.decode(0, kBegin, true), "");
  EXPECT_EQ(tokenizer_.decode(0, 258 + 256).error(), Error::InvalidArgument);
  EXPECT_EQ(*tokenizer_.piece_to_id("ab"), 256u);
}

TEST_F(TiktokenTest, OtherFilesAreRefusedAndChangeNothing) {
  EXPECT_EQ(tokenizer_.encode("a").error(), Error::InvalidState);
  EXPECT_EQ(tokenizer_.load("no/such/file"), Error::AccessFailed);
  ASSERT_EQ(load(file()), Error::Ok);
  for (const std::string& line :
       {std::string("YWI= 258\n"), std::string("YWM= 3\n"), std::string("YWM=\n"),
        std::string("YW!= 258\n"), std::string("YWM= -1\n"), std::string("YWM= 99999999999999\n"),
        std::string(" 258\n"), std::string("YWM= 258x\n")}) {
    EXPECT_EQ(load(file() + line), Error::InvalidExternalData) << line;
  }
  EXPECT_EQ(load(""), Error::InvalidExternalData);
  EXPECT_EQ(load(file().substr(9)), Error::InvalidExternalData);
  EXPECT_EQ(*tokenizer_.encode("ab"), (Tokens{256}));
}

TEST_F(TiktokenTest, PatternsAndSpecialTokensThatDoNotFitAreRefused) {
  const TempFile temporary(file());
  const auto special = [](std::vector<std::string> tokens) {
    return std::make_unique<std::vector<std::string>>(std::move(tokens));
  };
  EXPECT_EQ(Tiktoken("(", special({"<a>", "<b>"}), 0, 1).load(temporary.path()),
            Error::InvalidArgument);
  EXPECT_EQ(Tiktoken(special({"<a>", "<b>"}), 0, 2).load(temporary.path()), Error::InvalidArgument);
  EXPECT_EQ(Tiktoken(special({""}), 0, 0).load(temporary.path()), Error::InvalidArgument);
  Tiktoken tokenizer(".", special({"<a>", "<b>"}), 0, 1);
  ASSERT_EQ(tokenizer.load(temporary.path()), Error::Ok);
  EXPECT_EQ(*tokenizer.encode("ab<b>"), (Tokens{'a', 'b', kBegin + 1}));
}

TEST_F(TiktokenTest, HostileFilesAreErrors) {
  const std::string whole = file();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    text[random() % text.size()] = static_cast<char>(random());
    if (load(text) == Error::Ok) {
      (void)tokenizer_.encode("ab ab \xff");
    }
  }
}

}  // namespace
