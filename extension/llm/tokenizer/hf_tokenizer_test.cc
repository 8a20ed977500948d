#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::testing::TempFile;
using executorch::runtime::Error;
using tokenizers::HFTokenizer;

using Tokens = std::vector<uint64_t>;

/// Every kind of part once, or close to it. Compared with the `tokenizers` of Hugging Face, kind by
/// kind, in //extension/llm/tokenizers.
constexpr const char* kBpe = R"({
  "added_tokens": [
    {"id": 0, "content": "<s>", "special": true, "normalized": false},
    {"id": 1, "content": "</s>", "special": true, "normalized": false},
    {"id": 20, "content": "<|x|>", "special": false, "normalized": true, "lstrip": true}
  ],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    {"type": "Strip", "strip_left": false, "strip_right": true}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)|\\p{N}"}, "behavior": "Isolated", "invert": false},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}]},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "unk_token": "<s>",
    "vocab": {"<s>": 0, "</s>": 1, "a": 2, "b": 3, "c": 4, "Ġ": 5, "ab": 6, "Ġab": 7, "Ã": 8, "©": 9, "1": 10},
    "merges": ["a b", ["Ġ", "ab"]]}
})";

class HFTokenizerTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  Tokens encode(const std::string& text, int8_t bos = 0, int8_t eos = 0) {
    const auto tokens = tokenizer_.encode(text, bos, eos);
    EXPECT_TRUE(tokens.ok());
    return tokens.ok() ? *tokens : Tokens();
  }

  HFTokenizer tokenizer_;
};

TEST_F(HFTokenizerTest, PairsAreMergedWithinWords) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  EXPECT_EQ(encode("ab ab c"), (Tokens{6, 7, 5, 4}));
  EXPECT_EQ(encode("ab   ab  "), (Tokens{6, 7}));
  EXPECT_EQ(encode("a11"), (Tokens{2, 10, 10}));
  EXPECT_EQ(encode("e\xcc\x81"), (Tokens{8, 9}));  // Composed, in bytes.
  EXPECT_EQ(encode(""), Tokens());
  EXPECT_EQ(encode("d"), (Tokens{0}));
}

TEST_F(HFTokenizerTest, AddedTokensStayWhole) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  EXPECT_EQ(encode("a</s>b <|x|>c"), (Tokens{2, 1, 3, 20, 4}));
  EXPECT_EQ(tokenizer_.vocab_size(), 12);
  EXPECT_EQ(*tokenizer_.decode_batch({2, 1, 3}, true), "ab");
  EXPECT_EQ(*tokenizer_.decode_batch({2, 1, 3}, false), "a</s>b");
}

TEST_F(HFTokenizerTest, WhatTheFilePutsAroundATextIsAddedWhenAskedFor) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  EXPECT_EQ(encode("a", 1, 0), (Tokens{0, 2}));
  std::string plain = kBpe;
  plain.replace(plain.find("post_processor"), 14, "nothing_______");
  ASSERT_EQ(
      tokenizer_.load_text(plain, R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}})"),
      Error::Ok);
  EXPECT_EQ(tokenizer_.bos_tok(), 0u);
  EXPECT_EQ(tokenizer_.eos_tok(), 1u);
  EXPECT_EQ(encode("a", 2, 1), (Tokens{0, 0, 2, 1}));
}

TEST_F(HFTokenizerTest, PiecesOfCharactersComeAsTheyAre) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  EXPECT_EQ(*tokenizer_.decode(2, 8) + *tokenizer_.decode(8, 9), "\xc3\xa9");
  EXPECT_EQ(*tokenizer_.decode_batch({8}), "\xef\xbf\xbd");
  EXPECT_EQ(*tokenizer_.decode(2, 7), " ab");
  EXPECT_EQ(*tokenizer_.decode(2, 1, true), "");
  EXPECT_EQ(tokenizer_.decode(2, 12).error(), Error::InvalidArgument);
  EXPECT_EQ(*tokenizer_.piece_to_id("</s>"), 1u);
  EXPECT_EQ(tokenizer_.piece_to_id("zz").error(), Error::NotFound);
}

TEST_F(HFTokenizerTest, BytesThatAreNoTextAreReplaced) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  EXPECT_EQ(encode("a\xff"), encode("a\xef\xbf\xbd"));
  EXPECT_EQ(encode("a\xe2\x82"), encode("a\xef\xbf\xbd"));
}

TEST_F(HFTokenizerTest, AFileIsReadWithItsNeighbour) {
  const TempFile file{std::string(kBpe)};
  EXPECT_EQ(tokenizer_.load("no/such/file"), Error::AccessFailed);
  EXPECT_EQ(tokenizer_.encode("a").error(), Error::InvalidState);
  ASSERT_EQ(tokenizer_.load(file.path()), Error::Ok);
  EXPECT_EQ(encode("ab"), (Tokens{6}));
}

/// With something that is not known or not right; it says what, and the tokenizer stays as it was.
TEST_F(HFTokenizerTest, OtherFilesAreRefused) {
  ASSERT_EQ(tokenizer_.load_text(kBpe), Error::Ok);
  const std::pair<const char*, const char*> changes[] = {
      {"\"NFC\"", "\"NFX\""},
      {"\"ByteLevel\"", "\"Bytes\""},
      {"\"Isolated\"", "\"Alone\""},
      {" {2,}", "({2,}"},
      {"\"BPE\"", "\"BPX\""},
      {"\"a b\"", "\"a d\""},
      {"\"b\": 3", "\"b\": 2"},
      {"\"b\": 3", "\"b\": -3"},
      {"\"b\": 3", "\"b\": 99999999999"},
      {"\"id\": 20", "\"id\": \"20\""},
      {"\"ids\": [0]", "\"ids\": []"},
      {"\"unk_token\"", "\"dropout\": 0.5, \"unk_token\""},
  };
  for (const auto& [from, to] : changes) {
    std::string text = kBpe;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_EQ(tokenizer_.load_text(text), Error::InvalidExternalData) << from;
  }
  for (const char* text : {"", "[]", "{}", "{\"model\": {}}", "\xff", "null"}) {
    EXPECT_EQ(tokenizer_.load_text(text), Error::InvalidExternalData) << text;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) {
    deep += R"({"type": "Sequence", "normalizers": [)";
  }
  EXPECT_EQ(tokenizer_.load_text("{\"model\": {}, \"normalizer\": " + deep),
            Error::InvalidExternalData);
  EXPECT_EQ(encode("ab"), (Tokens{6}));
}

/// No change of a few bytes makes it crash, when it is loaded or when it is used.
TEST_F(HFTokenizerTest, HostileFilesAreErrors) {
  const std::string whole = kBpe;
  std::mt19937 random(1);
  int loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (int changes = 1 + i % 3; changes > 0; --changes) {
      text[random() % text.size()] = "\"{}[],:0123ab \\"[random() % 15];
    }
    HFTokenizer tokenizer;
    if (tokenizer.load_text(text) == Error::Ok) {
      ++loaded;
      const auto tokens = tokenizer.encode("a ab  b <|x|> 1\n\xc3\xa9 </s>", 1, 1);
      for (const uint64_t token : tokens.ok() ? *tokens : Tokens()) {
        (void)tokenizer.decode(token, token);
      }
    }
  }
  EXPECT_GT(loaded, 0);
  for (size_t size = 0; size < whole.size(); size += 5) {
    EXPECT_NE(tokenizer_.load_text(whole.substr(0, size)), Error::Ok);
  }
}

TEST_F(HFTokenizerTest, APatternThatTriesTooMuchIsAnError) {
  std::string text = kBpe;
  const std::string pattern = "\\\\s+(?!\\\\S)|\\\\p{N}";
  text.replace(text.find(pattern), pattern.size(), "(a+)+$");
  ASSERT_EQ(tokenizer_.load_text(text), Error::Ok);
  EXPECT_EQ(tokenizer_.encode(std::string(40, 'a') + "b").error(), Error::InvalidExternalData);
}

constexpr const char* kUnigram = R"({
  "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
  "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
  "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -4], ["a", -4], ["b", -4], ["▁a", -2], ["ab", -1.5], ["bb", -1]]}
})";

TEST_F(HFTokenizerTest, TheMostProbableDivisionIsFound) {
  EXPECT_EQ(tokenizer_.load_text(kUnigram), Error::InvalidExternalData);  // A table of no units.
  std::string text = kUnigram;
  text.replace(text.find("AAAAAA=="), 8, "");
  ASSERT_EQ(tokenizer_.load_text(text), Error::Ok);
  EXPECT_EQ(encode("abb"), (Tokens{4, 6}));
  EXPECT_EQ(encode("xyb"), (Tokens{1, 0, 3}));
  EXPECT_EQ(*tokenizer_.decode_batch({4, 4}), "a a");
  EXPECT_EQ(*tokenizer_.decode(4, 4), " a");
}

constexpr const char* kWordPiece = R"({
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 8,
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##able": 4, "##a": 5, ".": 6, "e": 7, "中": 8}}
})";

TEST_F(HFTokenizerTest, TheLongestBeginningsOfWordsAreFound) {
  ASSERT_EQ(tokenizer_.load_text(kWordPiece), Error::Ok);
  EXPECT_EQ(encode("Unable. \xc3\x89 \xe4\xb8\xad\xe4\xb8\xad", 1, 1),
            (Tokens{1, 3, 4, 6, 7, 8, 8, 2}));
  EXPECT_EQ(encode("unx unaaaaaaaaa"), (Tokens{0, 0}));
  EXPECT_EQ(*tokenizer_.decode_batch({3, 4, 6}), "unable.");
}

}  // namespace
