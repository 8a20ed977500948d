#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/tokenizer/file_test_fixture.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/runtime/core/error.h>

namespace {

using executorch::runtime::Error;
using tokenizers::SPTokenizer;
using tokenizers::testing::FileTest;

using Tokens = std::vector<uint64_t>;

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string field(uint64_t number, uint64_t value) { return varint(number << 3) + varint(value); }

std::string field(uint64_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string token(const std::string& piece, float score, uint64_t kind = 1) {
  char raw[4];
  std::memcpy(raw, &score, 4);
  return field(1, field(1, piece) + varint(2 << 3 | 5) + std::string(raw, 4) + field(3, kind));
}

constexpr uint64_t kUnigram = 1;
constexpr uint64_t kBpe = 2;

/// Unknown, begin and end, tokens from 3 on, and then perhaps the bytes.
std::string model(uint64_t kind, bool with_bytes, const std::string& normalizer = field(4, 0)) {
  std::string bytes = token("<unk>", 0, 2) + token("<s>", 0, 3) + token("</s>", 0, 3);
  bytes += token("\xe2\x96\x81", -4) + token("a", -4) + token("b", -4);
  bytes += token("ab", -1.5f) +
           token(
               "\xe2\x96\x81"
               "a",
               -2) +
           token("<|x|>", 0, 4);
  bytes += token("bb", -1) + token("unused", 0, 5);
  for (unsigned byte = 0; with_bytes && byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", byte);
    bytes += token(name, 0, 6);
  }
  const std::string trainer = field(3, kind) + field(40, 0) + field(41, 1) + field(42, 2);
  return bytes + field(2, trainer) + field(3, normalizer);
}

constexpr uint64_t kSpace = 3;
constexpr uint64_t kA = 4;
constexpr uint64_t kB = 5;
constexpr uint64_t kAB = 6;
constexpr uint64_t kSpaceA = 7;
constexpr uint64_t kX = 8;
constexpr uint64_t kBB = 9;
constexpr uint64_t kBytes = 11;

class SentencePieceTest : public FileTest<SPTokenizer> {
 protected:
  Tokens encode(const std::string& text) {
    const auto tokens = tokenizer_.encode(text);
    EXPECT_TRUE(tokens.ok());
    return *tokens;
  }

  /// What is left of a text after it was tokens.
  std::string there_and_back(const std::string& text) {
    const auto tokens = tokenizer_.encode(text, 1, 0);
    std::string back;
    for (size_t i = 1; i < tokens->size(); ++i) {
      back += *tokenizer_.decode((*tokens)[i - 1], (*tokens)[i]);
    }
    return back;
  }
};

TEST_F(SentencePieceTest, JoinsPairsByTheirScore) {
  ASSERT_EQ(load(model(kBpe, true)), Error::Ok);
  EXPECT_EQ(encode("ab"), (Tokens{kSpace, kAB}));
  EXPECT_EQ(encode("abb"), (Tokens{kSpaceA, kBB}));
  EXPECT_EQ(encode("a"), (Tokens{kSpaceA}));
  EXPECT_EQ(*tokenizer_.encode("b", 1, 2), (Tokens{1, kSpace, kB, 2, 2}));
  EXPECT_EQ(encode(""), Tokens());
}

TEST_F(SentencePieceTest, FindsTheMostProbableDivision) {
  ASSERT_EQ(load(model(kUnigram, true)), Error::Ok);
  // -2 - 1 is more than -4 - 1.5 - 4.
  EXPECT_EQ(encode("abb"), (Tokens{kSpaceA, kBB}));
  EXPECT_EQ(encode("ab"), (Tokens{kSpace, kAB}));
  EXPECT_EQ(encode("c"), (Tokens{kSpace, kBytes + 'c'}));
}

TEST_F(SentencePieceTest, UserDefinedTokensStayWhole) {
  for (const uint64_t kind : {kBpe, kUnigram}) {
    ASSERT_EQ(load(model(kind, true)), Error::Ok);
    EXPECT_EQ(encode("a<|x|>b"), (Tokens{kSpaceA, kX, kB}));
  }
}

TEST_F(SentencePieceTest, UnknownCharactersAreBytesOrOneToken) {
  for (const uint64_t kind : {kBpe, kUnigram}) {
    ASSERT_EQ(load(model(kind, true)), Error::Ok);
    EXPECT_EQ(encode("a\xc3\xa9"), (Tokens{kSpaceA, kBytes + 0xc3, kBytes + 0xa9}));
    for (const std::string text : {"ab  a", "\xf0\x9f\x99\x82 b", "c\n", "\xe2\x82"}) {
      EXPECT_EQ(there_and_back(text), text);
    }
    ASSERT_EQ(load(model(kind, false)), Error::Ok);
    EXPECT_EQ(encode("acdb"), (Tokens{kSpaceA, 0, kB}));
    EXPECT_EQ(*tokenizer_.decode(1, 0), " \xe2\x81\x87 ");
  }
}

TEST_F(SentencePieceTest, TextIsMadeAsItWasInTraining) {
  ASSERT_EQ(load(model(kBpe, true, field(4, 1))), Error::Ok);
  EXPECT_EQ(there_and_back("  a   b "), "a b");
  ASSERT_EQ(load(model(kBpe, true, field(3, 0) + field(4, 0))), Error::Ok);
  EXPECT_EQ(encode("b a"), (Tokens{kB, kSpaceA}));
}

TEST_F(SentencePieceTest, SpecialTokensCanBeLeftOut) {
  ASSERT_EQ(load(model(kBpe, true)), Error::Ok);
  EXPECT_EQ(*tokenizer_.decode(kA, 2), "</s>");
  EXPECT_EQ(*tokenizer_.decode(kA, 2, true), "");
  EXPECT_EQ(tokenizer_.decode(1, kBytes + 256).error(), Error::InvalidArgument);
}

TEST_F(SentencePieceTest, OtherFilesAreRefusedAndChangeNothing) {
  EXPECT_EQ(tokenizer_.encode("a").error(), Error::InvalidState);
  EXPECT_EQ(tokenizer_.decode(1, 2).error(), Error::InvalidState);
  const std::string whole = model(kBpe, true);
  ASSERT_EQ(load(whole), Error::Ok);
  const auto size = tokenizer_.vocab_size();
  EXPECT_EQ(size, 11 + 256);
  EXPECT_EQ(load(""), Error::InvalidExternalData);
  EXPECT_EQ(load("{\"version\": \"1.0\"}"), Error::InvalidExternalData);
  EXPECT_EQ(load(whole.substr(0, whole.size() - 1)), Error::InvalidExternalData);
  EXPECT_EQ(load(whole + field(2, field(40, 5000))), Error::InvalidExternalData);
  EXPECT_EQ(load(model(/*kind=*/4, true)), Error::NotSupported);
  EXPECT_EQ(load(model(kBpe, true, field(2, std::string("table")))), Error::InvalidExternalData);
  EXPECT_EQ(tokenizer_.load("no/such/file"), Error::AccessFailed);
  // No beginning of a file is more than an error.
  for (size_t size_of_part = 0; size_of_part < whole.size(); size_of_part += 7) {
    load(whole.substr(0, size_of_part));
  }
  ASSERT_EQ(load(whole), Error::Ok);
  EXPECT_EQ(tokenizer_.vocab_size(), size);
}

}  // namespace
