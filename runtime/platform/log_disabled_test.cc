// Built with ET_LOG_ENABLED=0 for this file only: messages vanish, checks still abort.
#undef ET_LOG_ENABLED
#define ET_LOG_ENABLED 0

#include <gtest/gtest.h>

#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace {

int message_count = 0;
void count(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t, const char*,
           size_t) {
  ++message_count;
}

TEST(LogDisabledTest, NothingIsLoggedOrEvaluated) {
  executorch::runtime::register_pal(executorch::runtime::PalImpl::create(count, __FILE__));
  int evaluated = 0;
  ET_LOG(Fatal, "%d", ++evaluated);
  EXPECT_EQ(evaluated, 0);
  EXPECT_EQ(message_count, 0);
}

TEST(LogDisabledTest, ChecksStillAbort) { EXPECT_DEATH(ET_CHECK(1 == 2), ""); }

}  // namespace
