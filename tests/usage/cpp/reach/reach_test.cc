// Each source beside this one includes one header and uses what the published header of that name
// brings with it: that they compile is the test.
#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/version.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/runtime.h>

uint64_t ticks_of_event_tracer();
int64_t sum_over_array_ref(executorch::runtime::ArrayRef<int64_t> values);
double sum_in_kernel(executorch::runtime::KernelRuntimeContext& ctx,
                     const executorch::aten::Tensor& in);
size_t buffers_of_method(executorch::runtime::Span<executorch::runtime::Span<uint8_t>> buffers);
int64_t count_in_parallel(int64_t end);
float sum_of_tensor_ptr();

namespace {

TEST(ReachUsage, HeadersBringWhatThePublishedOnesBring) {
  executorch::runtime::runtime_init();
  EXPECT_EQ(sum_over_array_ref({1, 2, 3}), 6);
  EXPECT_LE(ticks_of_event_tracer(), ticks_of_event_tracer());
  executorch::runtime::KernelRuntimeContext context;
  EXPECT_EQ(sum_in_kernel(context, *executorch::extension::ones({2, 3})), 6.0);
  executorch::runtime::Span<uint8_t> buffers[2];
  EXPECT_EQ(buffers_of_method({buffers, 2}), 6u);
  EXPECT_EQ(count_in_parallel(100), 100);
  EXPECT_EQ(sum_of_tensor_ptr(), 55.0f);
}

TEST(ReachUsage, TheVersionIsKnownToThePreprocessor) {
#if ET_VERSION_CODE < ET_VERSION_CHECK(1, 5, 0)
  FAIL() << "an older version";
#endif
  EXPECT_GT(ET_VERSION_CHECK(2, 0, 0), ET_VERSION_CHECK(1, 255, 255));
  EXPECT_EQ(std::string(ET_VERSION), std::to_string(ET_VERSION_MAJOR) + "." +
                                         std::to_string(ET_VERSION_MINOR) + "." +
                                         std::to_string(ET_VERSION_PATCH));
}

}  // namespace
