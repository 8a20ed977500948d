// The levels below are those of this file, whatever the build's.
#undef ET_LOG_ENABLED
#undef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace {

struct Message {
  et_pal_log_level_t level;
  std::string filename;
  std::string function;
  size_t line;
  std::string text;
};

std::vector<Message>* messages = nullptr;

void record(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char* function,
            size_t line, const char* message, size_t length) {
  EXPECT_EQ(message[length], '\0');
  messages->push_back({level, filename, function, line, std::string(message, length)});
}

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    messages = &messages_;
    executorch::runtime::register_pal(executorch::runtime::PalImpl::create(record, __FILE__));
  }
  void TearDown() override { executorch::runtime::register_pal({}); }

  std::vector<Message> messages_;
};

TEST_F(LogTest, MessageCarriesItsPlace) {
  const size_t line = __LINE__ + 1;
  ET_LOG(Info, "%s has %zu elements", "list", size_t{3});
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].level, kInfo);
  EXPECT_EQ(messages_[0].filename, "log_test.cc");
  EXPECT_EQ(messages_[0].function, "TestBody");
  EXPECT_EQ(messages_[0].line, line);
  EXPECT_EQ(messages_[0].text, "list has 3 elements");
}

TEST_F(LogTest, LevelsBelowTheMinimumVanishWithTheirArguments) {
  int evaluated = 0;
  ET_LOG(Debug, "%d", ++evaluated);
  EXPECT_EQ(evaluated, 0);
  EXPECT_TRUE(messages_.empty());
  ET_LOG(Error, "%d", ++evaluated);
  ET_LOG(Fatal, "%d", ++evaluated);
  ASSERT_EQ(messages_.size(), 2u);
  EXPECT_EQ(messages_[0].level, kError);
  EXPECT_EQ(messages_[1].level, kFatal);
}

TEST_F(LogTest, LongMessagesAreCutOff) {
  const std::string text(1000, 'x');
  ET_LOG(Info, "%s", text.c_str());
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].text,
            std::string(executorch::runtime::internal::kMaxLogMessageLength - 1, 'x'));
}

TEST_F(LogTest, NotALevelIsUnknown) {
  executorch::runtime::internal::logf(executorch::runtime::LogLevel::NumLevels, 0, "f", "g", 1,
                                      "%s", "text");
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].level, kUnknown);
}

TEST_F(LogTest, IsOneStatement) {
  if (messages_.empty())
    ET_LOG(Info, "no arguments");
  else
    ET_LOG(Info, "not reached");
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].text, "no arguments");
}

TEST_F(LogTest, AFailedCheckIsLoggedAndGoesOn) {
  int seen = 0;
  ET_CHECK_OR_LOG_ERROR(++seen == 1, "not reached");
  EXPECT_TRUE(messages_.empty());
  ET_CHECK_OR_LOG_ERROR(++seen == 1, "seen %d", seen);
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].text, "seen 2");
}

}  // namespace
