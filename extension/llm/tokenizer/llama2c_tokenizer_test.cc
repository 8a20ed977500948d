#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/tokenizer/file_test_fixture.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/runtime/core/error.h>

namespace {

using executorch::runtime::Error;
using tokenizers::Llama2cTokenizer;
using tokenizers::testing::FileTest;

using Vocabulary = std::vector<std::pair<std::string, float>>;

template <typename T>
void append(std::string& bytes, T value) {
  static_assert(sizeof(T) == 4, "numbers of the format");
  char raw[4];
  std::memcpy(raw, &value, 4);
  bytes.append(raw, 4);
}

std::string file_of(const Vocabulary& vocabulary, int32_t longest = 16) {
  std::string bytes;
  append(bytes, longest);
  for (const auto& [piece, score] : vocabulary) {
    append(bytes, score);
    append(bytes, static_cast<int32_t>(piece.size()));
    bytes += piece;
  }
  return bytes;
}

/// The special tokens, all bytes, and some text from token 259 on.
Vocabulary vocabulary() {
  Vocabulary all = {{"<unk>", 0.0f}, {"\n<s>\n", 0.0f}, {"\n</s>\n", 0.0f}};
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", byte);
    all.emplace_back(name, 0.0f);
  }
  for (const auto& entry : Vocabulary{{" ", -9},
                                      {"a", -8},
                                      {"b", -7},
                                      {"ab", -2},
                                      {" a", -3},
                                      {"bab", -1},
                                      {"\xc3\xa9", -6}}) {
    all.push_back(entry);
  }
  return all;
}

constexpr uint64_t kSpace = 259;

class Llama2cTokenizerTest : public FileTest<Llama2cTokenizer> {
 protected:
  std::string decoded(const std::vector<uint64_t>& tokens) {
    std::string text;
    for (size_t i = 1; i < tokens.size(); ++i) {
      const auto piece = tokenizer_.decode(tokens[i - 1], tokens[i]);
      EXPECT_TRUE(piece.ok());
      text += *piece;
    }
    return text;
  }
};

TEST_F(Llama2cTokenizerTest, JoinsPairsByTheirScore) {
  ASSERT_EQ(load(file_of(vocabulary())), Error::Ok);
  EXPECT_EQ(tokenizer_.vocab_size(), 266);
  EXPECT_EQ(tokenizer_.bos_tok(), 1u);
  EXPECT_EQ(tokenizer_.eos_tok(), 2u);
  // "ab" is better than " a"; of "b" and "ab", "bab" is left.
  const auto tokens = tokenizer_.encode("abab", 1, 2);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(*tokens, (std::vector<uint64_t>{1, kSpace, kSpace + 3, kSpace + 3, 2, 2}));
  EXPECT_EQ(*tokenizer_.encode("bab"), (std::vector<uint64_t>{kSpace, kSpace + 5}));
  EXPECT_EQ(*tokenizer_.encode(""), std::vector<uint64_t>());
}

TEST_F(Llama2cTokenizerTest, GivesBackWhatItTook) {
  ASSERT_EQ(load(file_of(vocabulary())), Error::Ok);
  for (const std::string text :
       {"ab b", "xyz\n", "\xc3\xa9t\xc3\xa9", "\xf0\x9f\x99\x82", "\xe2\x82"}) {
    const auto tokens = tokenizer_.encode(text, 1, 0);
    ASSERT_TRUE(tokens.ok());
    EXPECT_EQ(decoded(*tokens), text);
  }
  EXPECT_EQ(tokenizer_.encode("\xc3\xa9")->back(), kSpace + 6);
}

TEST_F(Llama2cTokenizerTest, SpecialTokensCanBeLeftOut) {
  ASSERT_EQ(load(file_of(vocabulary())), Error::Ok);
  EXPECT_EQ(*tokenizer_.decode(5, 2), "\n</s>\n");
  EXPECT_EQ(*tokenizer_.decode(5, 2, true), "");
  EXPECT_EQ(tokenizer_.decode(1, 266).error(), Error::InvalidArgument);
}

TEST_F(Llama2cTokenizerTest, OtherFilesAreRefusedAndChangeNothing) {
  EXPECT_EQ(tokenizer_.encode("a").error(), Error::InvalidState);
  EXPECT_EQ(tokenizer_.decode(1, 2).error(), Error::InvalidState);
  ASSERT_EQ(load(file_of(vocabulary())), Error::Ok);
  const std::string whole = file_of(vocabulary());
  EXPECT_EQ(load(""), Error::InvalidExternalData);
  EXPECT_EQ(load("{\"version\": \"1.0\"}"), Error::InvalidExternalData);
  EXPECT_EQ(load(whole.substr(0, whole.size() - 1)), Error::InvalidExternalData);
  EXPECT_EQ(load(file_of(vocabulary(), 3)), Error::InvalidExternalData);
  EXPECT_EQ(load(file_of({{"a", 0.0f}})), Error::InvalidExternalData);
  EXPECT_EQ(tokenizer_.load("no/such/file"), Error::AccessFailed);
  EXPECT_TRUE(tokenizer_.is_loaded());
  EXPECT_EQ(tokenizer_.vocab_size(), 266);
}

}  // namespace
