#include <gtest/gtest.h>

#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace runtime {
namespace {

TEST(CallGuardTest, OneCallAtATime) {
  runtime_init();
  CallGuard guard;
  int calls = 0;
  const auto count = [&] {
    ++calls;
    return Error::Ok;
  };
  EXPECT_EQ(guard.run("Test", [&] { return guard.run("Test", count); }), Error::InvalidState);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(guard.run("Test", count), Error::Ok);
  EXPECT_EQ(calls, 1);
}

TEST(CallGuardTest, ErrorsAreHandedOnAndTheNextCallRuns) {
  runtime_init();
  CallGuard guard;
  EXPECT_EQ(guard.run("Test", [] { return Error::NotFound; }), Error::NotFound);
  EXPECT_EQ(guard.run("Test", [] { return Error::Ok; }), Error::Ok);
}

}  // namespace
}  // namespace runtime
}  // namespace executorch
