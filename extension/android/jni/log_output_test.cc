#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/android/jni/log_output.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

struct Line {
  int priority;
  std::string tag;
  std::string text;
};

std::vector<Line>& written() {
  static std::vector<Line> lines;
  return lines;
}

}  // namespace

// Stands in for Android's.
extern "C" int __android_log_write(int priority, const char* tag, const char* text) {
  written().push_back({priority, tag, text});
  return 1;
}

TEST(LogOutputTest, LinesGoToAndroidsLog) {
  executorch::runtime::runtime_init();
  ASSERT_TRUE(executorch::extension::jni::send_logs_to_android());
  ET_LOG(Info, "for %d people", 2);
  ET_LOG(Error, "bad");
  ASSERT_EQ(written().size(), 2u);
  EXPECT_EQ(written()[0].priority, 4);
  EXPECT_EQ(written()[0].tag, "ExecuTorch");
  EXPECT_THAT(written()[0].text, testing::EndsWith("] for 2 people"));
  EXPECT_EQ(written()[1].priority, 6);
  EXPECT_THAT(written()[1].text, testing::HasSubstr("log_output_test.cc:"));
  const std::vector<std::string> kept = executorch::extension::jni::kept_log_lines();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_THAT(kept[0], testing::StartsWith("I "));
  EXPECT_THAT(kept[1], testing::EndsWith("] bad"));
}

TEST(LogOutputTest, OldLinesGo) {
  for (size_t i = 0; i < executorch::extension::jni::kKeptLogLines + 5; ++i) {
    ET_LOG(Info, "line %zu", i);
  }
  const std::vector<std::string> kept = executorch::extension::jni::kept_log_lines();
  ASSERT_EQ(kept.size(), executorch::extension::jni::kKeptLogLines);
  EXPECT_THAT(kept.front(), testing::EndsWith("] line 5"));
}
