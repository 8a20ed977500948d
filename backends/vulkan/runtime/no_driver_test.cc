#include <cstdlib>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/VulkanBackend.h>
#include <executorch/runtime/platform/runtime.h>

// No driver is there, and maybe no loader: what a caller is told. BUILD.bazel sets the variables.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

TEST(NoDriverTest, IsAnErrorAndNoCrash) {
  runtime::runtime_init();
  const VulkanBackend backend;
  runtime::BackendInitContext context(nullptr);
  char bytes[64] = {};
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(backend.is_available());
    runtime::FreeableBuffer processed(bytes, sizeof(bytes), nullptr);
    EXPECT_EQ(backend.init(context, &processed, {}).error(), runtime::Error::NotFound);
  }
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
