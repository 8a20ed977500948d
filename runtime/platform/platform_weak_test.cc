// A program that defines et_pal_* functions replaces the defaults at link time, one by one.
#include <string>

#include <gtest/gtest.h>

#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace {
std::string last_message;
}  // namespace

et_timestamp_t et_pal_current_ticks(void) { return 42; }

void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                             const char* filename, ET_UNUSED const char* function,
                             ET_UNUSED size_t line, const char* message, size_t length) {
  last_message = std::string(1, static_cast<char>(level)) + " " + std::to_string(timestamp) + " " +
                 filename + " " + std::string(message, length);
}

TEST(PlatformWeakTest, DefinedFunctionsReplaceTheDefaults) {
  EXPECT_EQ(executorch::runtime::pal_current_ticks(), 42u);
  ET_LOG(Error, "value %d", 7);
  EXPECT_EQ(last_message, "E 42 platform_weak_test.cc value 7");
}

TEST(PlatformWeakTest, OthersKeepTheirDefault) {
  EXPECT_EQ(executorch::runtime::pal_ticks_to_ns_multiplier().denominator, 1u);
  void* memory = executorch::runtime::pal_allocate(1);
  EXPECT_NE(memory, nullptr);
  executorch::runtime::pal_free(memory);
}
