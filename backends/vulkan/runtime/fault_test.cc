#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <executorch/backends/vk/testing/faulty_vulkan.h>
#include <executorch/backends/vulkan/runtime/VulkanBackend.h>
#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>
#include <executorch/runtime/core/event_tracer_test_util.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/test/stub_platform.h>

// A machine that runs out of what it has, and a device that is lost: what a caller is told, that
// nothing is left behind, and that it works again. The validation layer says what is not freed.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using runtime::Result;
using testing::Array;
using testing::Runner;
using testing::some;
using vk::testing::FaultyVulkan;

/// Keeps what the validation layer says, of contexts that are gone as well.
class Messages : public PlatformIntercept {
 public:
  void emit_log_message(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t,
                        const char* message, size_t) override {
    if (std::strstr(message, "validation:") != nullptr) {
      kept.emplace_back(message);
    }
  }

  std::vector<std::string> kept;
};

/// A convolution, pooled: constants, texels, times.
Array build(Runner& runner) {
  const Array x = some({1, 2, 6, 6});
  const Array weight = some({3, 2, 1, 1});
  const int32_t in = runner.in(x, 0);
  const int32_t made = runner.graph.tensor({1, 3, 6, 6}, DType::Float, DType::Float, 1);
  runner.graph.call(
      "aten.convolution.default",
      {in, runner.constant(weight), runner.graph.none(), runner.graph.ints({1, 1}),
       runner.graph.ints({0, 0}), runner.graph.ints({1, 1}), runner.graph.boolean(false),
       runner.graph.ints({0, 0}), runner.graph.integer(1), made});
  runner.graph.call("aten.relu.default", {made, runner.out({1, 3, 6, 6}, 2)});
  Array expected = testing::zeros({1, 3, 6, 6});
  for (int64_t o = 0; o < 3; ++o) {
    for (int64_t place = 0; place < 36; ++place) {
      const double sum = weight[2 * o] * x[place] + weight[2 * o + 1] * x[36 + place];
      expected[36 * o + place] = sum < 0 ? 0 : sum;
    }
  }
  return expected;
}

/// Makes a context and a delegate and runs it twice; false if something of it failed.
bool run_all(PFN_vkGetInstanceProcAddr loader) {
  Result<std::unique_ptr<Context>> context = Context::make(loader);
  if (!context.ok()) {
    return false;
  }
  Runner runner;
  const Array expected = build(runner);
  runtime::testing::RecordingTracer tracer;
  if (runner.load(true, context->get()) != Error::Ok || runner.execute(&tracer) != Error::Ok) {
    return false;
  }
  runner.compare(expected, runner.result());
  return runner.execute(&tracer) == Error::Ok;
}

class FaultTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Each test loads driver and layer anew. They stay, so that LeakSanitizer can say what is
    // theirs.
    for (const char* name : {"libvulkan_lvp.so", "libVkLayer_khronos_validation.so"}) {
      EXPECT_NE(dlopen(name, RTLD_NOW | RTLD_NODELETE), nullptr) << dlerror();
    }
  }

  void SetUp() override {
    runtime::runtime_init();
    loader_ = FaultyVulkan::loader();
    ASSERT_NE(loader_, nullptr);
  }

  void TearDown() override {
    FaultyVulkan::fail_none();
    for (const std::string& message : messages_.kept) {
      ADD_FAILURE() << message;
    }
  }

  PFN_vkGetInstanceProcAddr loader_ = nullptr;
  Messages messages_;
  InterceptWith intercept_{messages_};
};

TEST_F(FaultTest, EachCallThatFailsIsAnErrorAndLeavesNothingBehind) {
  std::map<std::string, size_t> num_failed;
  for (size_t nth = 0;; ++nth) {
    FaultyVulkan::fail_call(nth, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    const bool is_done = run_all(loader_);
    if (FaultyVulkan::failed() == nullptr) {
      EXPECT_TRUE(is_done);
      EXPECT_EQ(FaultyVulkan::num_live(), 0);
      break;
    }
    EXPECT_EQ(FaultyVulkan::num_live(), 0) << FaultyVulkan::failed();
    // The allocator tries less, or other memory.
    const std::string name = FaultyVulkan::failed();
    EXPECT_TRUE(!is_done || name == "vkAllocateMemory" || name == "vkMapMemory") << name;
    ++num_failed[name];
    ASSERT_LT(nth, 1000u);
  }
  for (const char* const name : {"vkCreateDevice", "vkAllocateMemory", "vkCreateBuffer",
                                 "vkCreateComputePipelines", "vkQueueSubmit", "vkWaitForFences"}) {
    EXPECT_GT(num_failed[name], 0u) << name;
  }
  EXPECT_GE(num_failed.size(), 20u);
}

TEST_F(FaultTest, AfterAFailureTheDelegateRunsAgain) {
  Result<std::unique_ptr<Context>> context = Context::make(loader_);
  ASSERT_TRUE(context.ok());
  Runner runner;
  const Array expected = build(runner);
  ASSERT_EQ(runner.load(false, context->get()), Error::Ok);
  for (size_t nth = 0;; ++nth) {
    FaultyVulkan::fail_call(nth, VK_ERROR_OUT_OF_HOST_MEMORY);
    const Error error = runner.execute();
    if (FaultyVulkan::failed() == nullptr) {
      EXPECT_EQ(error, Error::Ok);
      break;
    }
    EXPECT_EQ(error, Error::MemoryAllocationFailed) << FaultyVulkan::failed();
    FaultyVulkan::fail_none();
    ASSERT_EQ(runner.execute(), Error::Ok);
    runner.compare(expected, runner.result());
  }
}

TEST_F(FaultTest, WhatIsLostStaysLostAndIsSaidAtOnce) {
  Result<std::unique_ptr<Context>> context = Context::make(loader_);
  ASSERT_TRUE(context.ok());
  for (const size_t nth : {1, 2}) {  // The run itself, then waiting for it.
    Result<std::unique_ptr<Context>> lost = Context::make(loader_);
    ASSERT_TRUE(lost.ok());
    Runner runner;
    build(runner);
    ASSERT_EQ(runner.load(false, lost->get()), Error::Ok);
    FaultyVulkan::fail_call(nth, VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(runner.execute(), Error::Internal);
    ASSERT_NE(FaultyVulkan::failed(), nullptr);
    EXPECT_TRUE((*lost)->is_lost()) << FaultyVulkan::failed();
    FaultyVulkan::fail_none();
    EXPECT_EQ(runner.execute(), Error::Internal);
  }
  Runner runner;
  const Array expected = build(runner);
  ASSERT_EQ(runner.load(false, context->get()), Error::Ok) << "another device is not";
  ASSERT_EQ(runner.execute(), Error::Ok);
  runner.compare(expected, runner.result());
}

VKAPI_ATTR VkResult VKAPI_CALL lose(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}

TEST_F(FaultTest, TheProcessGetsAnotherDevice) {
  const Result<Context*> first = Context::get();
  ASSERT_TRUE(first.ok());
  Runner runner;
  const Array expected = build(runner);
  ASSERT_EQ(runner.load(false, *first), Error::Ok);
  const PFN_vkQueueSubmit real = vkQueueSubmit;
  vkQueueSubmit = lose;
  EXPECT_EQ(runner.execute(), Error::Internal);
  vkQueueSubmit = real;
  EXPECT_EQ(runner.execute(), Error::Internal);
  const Result<Context*> second = Context::get();
  ASSERT_TRUE(second.ok());
  EXPECT_NE(*second, *first);
  Runner again;
  build(again);
  again.check(expected);
  const VulkanBackend backend;
  EXPECT_TRUE(backend.is_available());
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
