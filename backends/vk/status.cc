#include <executorch/backends/vk/status.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vk {

using runtime::Error;

Error check(VkResult result, const char* what) {
  switch (result) {
    case VK_SUCCESS:
      return Error::Ok;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      ET_LOG(
          Error,
          "Vulkan: %s: out of memory; use a smaller model, or force_fp16 where the backend has it",
          what);
      return Error::MemoryAllocationFailed;
    case VK_ERROR_DEVICE_LOST:
      ET_LOG(Error, "Vulkan: %s: the device is lost; load the program again", what);
      return Error::Internal;
    default:
      ET_LOG(Error, "Vulkan: %s failed (result %d)", what, int(result));
      return Error::Internal;
  }
}

}  // namespace vk
}  // namespace backends
}  // namespace executorch
