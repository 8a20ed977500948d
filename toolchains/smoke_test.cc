// The toolchain's promises to every program: exceptions unwind, threads run, streams format.
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace {

TEST(Toolchain, ExceptionsUnwindThroughFrames) {
  EXPECT_THROW(throw std::runtime_error("unwound"), std::runtime_error);
}

TEST(Toolchain, ThreadsRun) {
  int value = 0;
  std::thread thread([&value] { value = 7; });
  thread.join();
  EXPECT_EQ(value, 7);
}

TEST(Toolchain, StreamsFormat) {
  std::ostringstream stream;
  stream << 1.5 << ' ' << std::string("text");
  EXPECT_EQ(stream.str(), "1.5 text");
}

// Under a sanitizer its runtime must really be there: a program that cannot fail proves nothing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
TEST(ToolchainDeathTest, AddressSanitizerReports) {
  EXPECT_DEATH(
      {
        volatile int index = 4;
        int* values = new int[4];
        values[index] = 1;
        delete[] values;
      },
      "heap-buffer-overflow");
}
#endif
#if __has_feature(thread_sanitizer)
TEST(ToolchainDeathTest, ThreadSanitizerReports) {
  // Starts the program anew: threads of the earlier tests do not come along.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        int value = 0;
        std::thread thread([&value] { value = 1; });
        value = 2;
        thread.join();
      },
      "data race");
}
#endif
#endif

}  // namespace
