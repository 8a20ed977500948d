#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>

namespace {

using executorch::runtime::BackendOption;
using executorch::runtime::BackendOptions;
using executorch::runtime::Error;
using executorch::runtime::kMaxOptionValueLength;
using executorch::runtime::LoadBackendOptionsMap;
using executorch::runtime::Span;

TEST(BackendOptionsTest, KeepsEachKindOfValue) {
  BackendOptions<3> options;
  EXPECT_EQ(options.set_option("debug", true), Error::Ok);
  EXPECT_EQ(options.set_option("threads", 4), Error::Ok);
  EXPECT_EQ(options.set_option("name", "fast"), Error::Ok);

  bool debug = false;
  int threads = 0;
  const char* name = nullptr;
  EXPECT_EQ(options.get_option("debug", debug), Error::Ok);
  EXPECT_EQ(options.get_option("threads", threads), Error::Ok);
  EXPECT_EQ(options.get_option("name", name), Error::Ok);
  EXPECT_TRUE(debug);
  EXPECT_EQ(threads, 4);
  EXPECT_STREQ(name, "fast");

  ASSERT_EQ(options.view().size(), 3u);
  EXPECT_STREQ(options.view()[1].key, "threads");
  EXPECT_EQ(*std::get_if<int>(&options.view()[1].value), 4);
}

TEST(BackendOptionsTest, SettingAgainReplaces) {
  BackendOptions<1> options;
  EXPECT_EQ(options.set_option("key", 1), Error::Ok);
  EXPECT_EQ(options.set_option("key", true), Error::Ok);
  EXPECT_EQ(options.view().size(), 1u);
  bool value = false;
  EXPECT_EQ(options.get_option("key", value), Error::Ok);
  EXPECT_TRUE(value);
  int wrong = 7;
  EXPECT_EQ(options.get_option("key", wrong), Error::InvalidArgument);
  EXPECT_EQ(wrong, 7);
}

TEST(BackendOptionsTest, TellsWhatIsWrong) {
  BackendOptions<1> options;
  bool value = false;
  EXPECT_EQ(options.get_option("absent", value), Error::NotFound);
  EXPECT_EQ(options.set_option("first", 1), Error::Ok);
  EXPECT_EQ(options.set_option("second", 1), Error::InvalidArgument) << "no room";
  EXPECT_EQ(options.set_option("first", static_cast<const char*>(nullptr)), Error::InvalidArgument);
}

TEST(BackendOptionsTest, CutsLongTexts) {
  BackendOptions<1> options;
  const std::string fits(kMaxOptionValueLength - 1, 'a');
  const char* text = nullptr;
  EXPECT_EQ(options.set_option("text", fits.c_str()), Error::Ok);
  EXPECT_EQ(options.get_option("text", text), Error::Ok);
  EXPECT_EQ(text, fits);
  const std::string too_long(kMaxOptionValueLength + 5, 'b');
  EXPECT_EQ(options.set_option("text", too_long.c_str()), Error::Ok);
  EXPECT_EQ(options.get_option("text", text), Error::Ok);
  EXPECT_EQ(text, too_long.substr(0, kMaxOptionValueLength - 1));
}

TEST(LoadBackendOptionsMapTest, FindsOptionsByBackend) {
  BackendOptions<2> first;
  ASSERT_EQ(first.set_option("a", 1), Error::Ok);
  BackendOptions<1> second;
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.size(), 0u);
  EXPECT_FALSE(map.has_options("One"));
  ASSERT_EQ(map.set_options("One", first.view()), Error::Ok);
  ASSERT_EQ(map.set_options("Two", second.view()), Error::Ok);
  EXPECT_EQ(map.size(), 2u);
  ASSERT_EQ(map.get_options("One").size(), 1u);
  EXPECT_STREQ(map.get_options("One")[0].key, "a");
  EXPECT_TRUE(map.has_options("Two"));
  EXPECT_EQ(map.get_options("Two").size(), 0u);
  EXPECT_EQ(map.get_options("Three").size(), 0u);
  EXPECT_EQ(map.get_options(nullptr).size(), 0u);

  ASSERT_EQ(map.set_options("One", second.view()), Error::Ok);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.get_options("One").size(), 0u);
}

TEST(LoadBackendOptionsMapTest, TakesAnOptionBuilder) {
  struct Builder {
    const char* backend_id() const { return "Built"; }
    Span<BackendOption> view() { return options.view(); }
    Span<const BackendOption> view() const { return options.view(); }
    BackendOptions<1> options;
  } builder;
  ASSERT_EQ(builder.options.set_option("a", true), Error::Ok);
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options(builder), Error::Ok);
  const auto& unchanging = builder;
  EXPECT_EQ(map.set_options(unchanging), Error::Ok);
  ASSERT_EQ(map.size(), 1u);
  EXPECT_STREQ(map.entry_at(0).backend_id, builder.backend_id());
  EXPECT_EQ(map.entry_at(0).options.size(), builder.view().size());
  EXPECT_EQ(map.get_options("Built").size(), 1u);
}

TEST(LoadBackendOptionsMapTest, RefusesBadNamesAndTooManyBackends) {
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options(static_cast<const char*>(nullptr), {}), Error::InvalidArgument);
  EXPECT_EQ(map.set_options("", {}), Error::InvalidArgument);
  const std::string longest(LoadBackendOptionsMap::kMaxBackendIdLength - 1, 'x');
  EXPECT_EQ(map.set_options(longest.c_str(), {}), Error::Ok);
  EXPECT_EQ(map.set_options((longest + "x").c_str(), {}), Error::InvalidArgument);
  for (size_t i = map.size(); i < LoadBackendOptionsMap::kMaxBackends; ++i) {
    EXPECT_EQ(map.set_options(std::to_string(i).c_str(), {}), Error::Ok);
  }
  EXPECT_EQ(map.set_options("one more", {}), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(longest.c_str(), {}), Error::Ok) << "replacing still works";
}

}  // namespace
