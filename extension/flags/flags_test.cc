#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/flags/flags.h>

namespace executorch {
namespace extension {
namespace flags {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Options {
  int count = 1;
  float scale = 1;
  bool loud = false;
  std::string name;
};

const Flag<Options> kFlags[] = {
    {"count", "N", "How often.",
     [](Options& o, const std::string& v) { return parse_integer(v, o.count); }},
    {"scale", "NUMBER", "How much.",
     [](Options& o, const std::string& v) { return parse_real(v, o.scale); }},
    {"loud", nullptr, "With noise.",
     [](Options& o, const std::string& v) { return parse_switch(v, o.loud); }},
    {"name", "TEXT", "Of what.",
     [](Options& o, const std::string& v) { return parse_text(v, o.name); }},
};

/// What is wrong with the arguments; empty if they are read.
std::string wrong(std::vector<const char*> arguments, Options& options) {
  arguments.insert(arguments.begin(), "program");
  std::ostringstream errors;
  const bool good =
      parse(static_cast<int>(arguments.size()), arguments.data(), kFlags, options, errors);
  EXPECT_EQ(good, errors.str().empty());
  return errors.str();
}

TEST(FlagsTest, AllUsualForms) {
  Options options;
  EXPECT_EQ(wrong({"--count=-3", "-scale", "0.5", "--loud", "--name=a=b"}, options), "");
  EXPECT_EQ(options.count, -3);
  EXPECT_EQ(options.scale, 0.5f);
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.name, "a=b");
  EXPECT_EQ(wrong({"--loud=no", "--count", "2", "--count", "4"}, options), "");
  EXPECT_FALSE(options.loud);
  EXPECT_EQ(options.count, 4);
}

TEST(FlagsTest, MistakesNameTheFlagAndWhatItTakes) {
  Options options;
  EXPECT_EQ(wrong({"--nonsense=1"}, options), "unknown flag --nonsense; see --help\n");
  EXPECT_EQ(wrong({"stray"}, options), "unexpected argument 'stray'; see --help\n");
  EXPECT_EQ(wrong({"---count=1"}, options), "unexpected argument '---count=1'; see --help\n");
  EXPECT_EQ(wrong({"--"}, options), "unexpected argument '--'; see --help\n");
  EXPECT_EQ(wrong({""}, options), "unexpected argument ''; see --help\n");
  EXPECT_EQ(wrong({"--count"}, options), "--count takes a value: N\n");
  EXPECT_EQ(wrong({"--loud=maybe"}, options), "--loud takes true or false, found 'maybe'\n");
  for (const char* count : {"--count=", "--count=1.5", "--count=99999999999", "--count= 1"}) {
    EXPECT_THAT(wrong({count}, options), HasSubstr("--count takes N, found '"));
  }
  for (const char* scale : {"--scale=", "--scale=-1", "--scale=nan", "--scale=inf", "--scale=1x"}) {
    EXPECT_THAT(wrong({scale}, options), HasSubstr("--scale takes NUMBER, found '"));
  }
}

TEST(FlagsTest, TheHelpIsTheTable) {
  std::ostringstream help;
  print_help(help, kFlags);
  EXPECT_THAT(help.str(), HasSubstr("  --count=N\n      How often.\n"));
  EXPECT_THAT(help.str(), HasSubstr("  --loud\n      With noise.\n"));
}

TEST(FlagsTest, PartsBetweenCommas) {
  EXPECT_THAT(split_at_commas(""), IsEmpty());
  EXPECT_THAT(split_at_commas("a"), ElementsAre("a"));
  EXPECT_THAT(split_at_commas(",b,"), ElementsAre("", "b", ""));
}

}  // namespace
}  // namespace flags
}  // namespace extension
}  // namespace executorch
