// Patterns against std::regex on random texts, schemas against texts that fit and that do not, and
// the tokens of a small vocabulary.

#include <memory>
#include <random>
#include <regex>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/sampler/json_schema.h>
#include <executorch/extension/llm/sampler/pattern.h>
#include <executorch/extension/llm/sampler/token_constraint.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

class ConstraintTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

bool matches(Pattern& pattern, const std::string& text) {
  Pattern::State state = pattern.begin();
  for (const char byte : text) {
    state = pattern.next(state, static_cast<uint8_t>(byte));
    if (state == Pattern::kNowhere) {
      return false;
    }
  }
  return pattern.matches(state);
}

bool matches(const std::string& expression, const std::string& text) {
  auto pattern = Pattern::compile(expression);
  EXPECT_TRUE(pattern.ok()) << expression;
  return pattern.ok() && matches(*pattern, text);
}

bool fits(const std::string& schema, const std::string& text) {
  const auto pattern = pattern_of_json_schema(schema);
  EXPECT_TRUE(pattern.ok()) << schema;
  return pattern.ok() && matches(*pattern, text);
}

TEST_F(ConstraintTest, PatternsMatchAsThoseOfTheStandardLibrary) {
  const char* const expressions[] = {
      "a",     "ab|c",    "(?:a|b)*c", "a+b?c*",         "[a-c]{2,3}", "a{2}|b{1,}", "(a|ab)(c)",
      "[^a]b", ".*abc",   "(?:a*)*b",  "\\d+|\\w",       "a(b(c)?)?",  "[ab\\d]+c",  "(?:)a|b",
      "^a.c$", "a{0,2}b", "[a-]b|\\.", "\\s?\\S\\D\\W?", "((a|b)c)+",  "a\\|b|[|b]",
  };
  std::mt19937 random(1);
  const std::string letters = "abc1 .|-";
  for (const char* const expression : expressions) {
    auto pattern = Pattern::compile(expression);
    ASSERT_TRUE(pattern.ok()) << expression;
    const std::regex oracle(expression);
    for (int i = 0; i < 3000; ++i) {
      std::string text;
      for (size_t length = random() % 7; text.size() < length;) {
        text += letters[random() % (i % 2 == 0 ? 3 : letters.size())];
      }
      EXPECT_EQ(matches(*pattern, text), std::regex_match(text, oracle))
          << expression << ": " << text;
    }
  }
}

TEST_F(ConstraintTest, PatternsKnowTextBeyondAscii) {
  EXPECT_TRUE(matches("h.llo", "h\xC3\xA4llo"));
  EXPECT_TRUE(matches("[^a]", "\xE2\x82\xAC"));
  EXPECT_TRUE(matches("\xC3\xA4+", "\xC3\xA4\xC3\xA4"));
  EXPECT_TRUE(matches("[x\xC3\xA4]", "\xC3\xA4"));
  EXPECT_TRUE(matches(".", "\xF0\x9F\x98\x80"));
  for (const char* const wrong :
       {"\xC3", "\xFF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(matches(".", wrong));
  }
}

TEST_F(ConstraintTest, PatternsThatAreWrongAreRefused) {
  for (const char* const wrong :
       {"(",           ")",   "a)",     "[",        "[]",
        "a{",          "a{2", "a{3,2}", "*",        "a|*",
        "\\",          "\\q", "(?=a)",  "(?<n>a)",  "[z-a]",
        "[^\xC3\xA4]", "a^b", "a$b",    "a{99999}", "((a{1000}){1000}){1000}",
        "\\xZZ"}) {
    EXPECT_EQ(Pattern::compile(wrong).error(), runtime::Error::InvalidArgument) << wrong;
  }
  EXPECT_FALSE(Pattern::compile(std::string(1000, '(') + std::string(1000, ')')).ok());
}

TEST_F(ConstraintTest, SchemasDescribeTexts) {
  const std::string person = R"({"type": "object", "title": "x", "required": ["name", "tags"],
    "additionalProperties": false, "properties": {
      "id": {"type": "integer"}, "name": {"type": "string", "maxLength": 5},
      "size": {"type": ["number", "null"]},
      "tags": {"type": "array", "items": {"enum": ["a.b", 2, null]}, "minItems": 1, "maxItems": 3},
      "of": {"$ref": "#/$defs/ok"}}, "$defs": {"ok": {"type": "boolean"}}})";
  for (const char* const text :
       {R"({"name": "Ada", "tags": [2]})", R"({"id": -10, "name":"", "tags":["a.b",null,2]})",
        R"({"name": "\u00e4\n\"", "size": 1.5e-3, "tags": [2], "of": true})",
        R"({"name": "x", "size": null, "tags": [2]})"}) {
    EXPECT_TRUE(fits(person, text)) << text;
  }
  for (const char* const text :
       {R"({"name": "Ada"})", R"({"tags": [2], "name": "Ada"})",
        R"({"name": "toolong", "tags": [2]})", R"({"name": "Ada", "tags": []})",
        R"({"name": "Ada", "tags": [2,2,2,2]})", R"({"id": 01, "name": "Ada", "tags": [2]})",
        R"({"name": "Ada", "tags": ["axb"]})", R"({, "name": "Ada", "tags": [2]})",
        R"({"name": "Ada", "tags": [2],})"}) {
    EXPECT_FALSE(fits(person, text)) << text;
  }
  const std::string optional =
      R"({"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}})";
  for (const char* const text : {"{}", R"({"a": 1})", R"({"b": 2})", R"({"a": 1, "b": 2})"}) {
    EXPECT_TRUE(fits(optional, text)) << text;
  }
  EXPECT_FALSE(fits(optional, R"({"b": 2, "a": 1})"));
  EXPECT_TRUE(fits(R"({"anyOf": [{"type": "null"}, {"type": "string", "pattern": "^[a-c]+$"}]})",
                   "\"abc\""));
  EXPECT_TRUE(fits(R"({"type": "array", "items": {"type": "integer"}, "maxItems": 0})", "[]"));
}

TEST_F(ConstraintTest, SchemasThatAreNotKnownAreRefused) {
  for (const char* const wrong :
       {"", "{", "[]", "{}", R"({"type": "thing"})", R"({"type": "object"})",
        R"({"type": "array"})", R"({"type": "integer", "minimum": 3})", R"({"$ref": "#/nowhere"})",
        R"({"$ref": "other"})", R"({"$ref": "#"})", R"({"enum": []})",
        R"({"type": "string", "minLength": -1})",
        R"({"type": "object", "properties": {}, "required": ["a"]})",
        R"({"type": "object", "properties": {}, "additionalProperties": true})"}) {
    EXPECT_EQ(pattern_of_json_schema(wrong).error(), runtime::Error::InvalidArgument) << wrong;
  }
}

TEST_F(ConstraintTest, TokensGoOnlyWhereTheTextCanEnd) {
  // Token 5 ends a text, 6 is none.
  const auto vocabulary = std::make_shared<const VocabularyTexts>(
      std::vector<std::string>{"a", "ab", "abc", "b", "\n", "</s>", ""});
  auto pattern = Pattern::compile("(ab)+c?");
  ASSERT_TRUE(pattern.ok());
  TokenConstraint constraint(std::move(*pattern), vocabulary, {5});
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(constraint.allowed(), (Bytes{1, 1, 1, 0, 0, 0, 0}));
  constraint.accept(0);
  EXPECT_EQ(constraint.allowed(), (Bytes{0, 0, 0, 1, 0, 0, 0}));
  constraint.accept(3);
  EXPECT_EQ(constraint.allowed(), (Bytes{1, 1, 1, 0, 0, 1, 0}));
  std::vector<float> logits = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(constraint.mask(logits.data(), logits.size()));
  EXPECT_EQ(logits[1], 2);
  EXPECT_LT(logits[3], -1e30F);
  EXPECT_LT(logits[7], -1e30F) << "behind the vocabulary";
  constraint.accept(2);
  EXPECT_EQ(constraint.allowed(), (Bytes{0, 0, 0, 0, 0, 1, 0}));
  constraint.accept(5);
  EXPECT_FALSE(constraint.mask(logits.data(), logits.size()));
}

}  // namespace
}  // namespace llm
}  // namespace extension
}  // namespace executorch
