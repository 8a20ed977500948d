#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string>& printed() {
  static std::vector<std::string> lines;
  return lines;
}

class LogCaptureTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    runtime::runtime_init();
    runtime::register_pal(runtime::PalImpl::create(
        [](et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t,
           const char* message, size_t length) { printed().emplace_back(message, length); },
        __FILE__));
    LogCapture::install();
    LogCapture::install();
  }
  void SetUp() override { printed().clear(); }
};

TEST_F(LogCaptureTest, WhatIsTakenIsNotPrinted) {
  {
    LogCapture log;
    ET_LOG(Error, "first");
    ET_LOG(Error, "second");
    ET_LOG(Error, "first");
    EXPECT_THAT(log.take(), ElementsAre("first", "second"));
    EXPECT_THAT(log.take(), IsEmpty());
  }
  EXPECT_THAT(printed(), IsEmpty());
}

TEST_F(LogCaptureTest, WhatIsNotTakenIsPrintedAtTheEnd) {
  {
    LogCapture log;
    ET_LOG(Error, "kept");
    EXPECT_THAT(printed(), IsEmpty());
  }
  EXPECT_THAT(printed(), ElementsAre("kept"));
  ET_LOG(Error, "direct");
  EXPECT_THAT(printed(), ElementsAre("kept", "direct"));
}

TEST_F(LogCaptureTest, TheInnermostCaptureOfTheThreadGetsTheLine) {
  LogCapture outer;
  {
    LogCapture inner;
    ET_LOG(Error, "inner");
    EXPECT_THAT(inner.take(), ElementsAre("inner"));
  }
  ET_LOG(Error, "outer");
  std::thread([] { ET_LOG(Error, "elsewhere"); }).join();
  EXPECT_THAT(outer.take(), ElementsAre("outer"));
  EXPECT_THAT(printed(), ElementsAre("elsewhere"));
}

TEST_F(LogCaptureTest, ThePlatformLayerStaysTheApplications) {
  static int num_ticks;
  const auto printing = runtime::get_pal_impl()->emit_log_message;
  // Registered before the capture is installed, and after it.
  for (const bool before : {true, false}) {
    num_ticks = 0;
    const auto install_or = [&](bool now) { now ? LogCapture::install() : void(); };
    install_or(!before);
    runtime::register_pal(runtime::PalImpl::create(
        nullptr, nullptr,
        []() -> et_timestamp_t { return static_cast<et_timestamp_t>(++num_ticks); }, nullptr,
        printing, nullptr, nullptr, "application"));
    install_or(before);
    EXPECT_STREQ(runtime::get_pal_impl()->source_filename, "application");
    LogCapture log;
    ET_LOG(Error, "captured");
    EXPECT_THAT(log.take(), ElementsAre("captured"));
    EXPECT_GT(num_ticks, 0);
  }
}

TEST_F(LogCaptureTest, AFloodIsCutOff) {
  LogCapture log;
  for (int i = 0; i < 1000; ++i) {
    ET_LOG(Error, "line %d", i);
  }
  EXPECT_EQ(log.take().size(), 64u);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
