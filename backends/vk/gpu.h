#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <vk_mem_alloc.h>
#include <volk.h>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace vk {

/// Set to anything, it makes devices that may be validated load Khronos' validation layer, with its
/// checks of synchronization: each message is logged and counted. Set to "gpu", shaders are
/// instrumented as well, and each access of theirs is checked.
constexpr char kValidationVariable[] = "EXECUTORCH_VULKAN_VALIDATION";

/// Set to anything, it makes devices be taken for such that have no integer dot products.
constexpr char kNoDotVariable[] = "EXECUTORCH_VULKAN_NO_DOT";

/// Set to anything, it makes integer dot products be taken for fast where a device has them at all.
constexpr char kFastDotVariable[] = "EXECUTORCH_VULKAN_FAST_DOT";

/// Whether an environment variable is set to anything.
bool is_set(const char* variable);

/// What a device must have.
struct Needs {
  /// Of the instance; devices of Vulkan 1.1 are taken.
  uint32_t api_version = VK_API_VERSION_1_1;
  VkQueueFlags queue = VK_QUEUE_COMPUTE_BIT;
  /// Of the device.
  std::vector<const char*> extensions;
  /// A chain of features to enable, the last of which points to null; null for none.
  void* features = nullptr;
  /// Integer dot products of bytes, four in a word, are enabled where the device has them.
  bool may_have_dot = false;
  /// Released validation layers take structures of newer extensions for mistakes.
  bool may_be_validated = true;
  /// Ends "Vulkan: none of 2 devices has ", and names the way out.
  const char* words = "";
};

/// An instance of Vulkan, the best device that has what is needed, one queue of it and an
/// allocator.
class Gpu {
 public:
  Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  /// To be called once, before all else.
  ///
  /// @param loader Vulkan's first function, from which all others come; null for that of
  ///     libvulkan.so.1, which is opened.
  /// @retval Error::NotFound There is no Vulkan loader, or no device with what is needed.
  runtime::Error open(PFN_vkGetInstanceProcAddr loader, const Needs& needs);

  /// Runs commands that were recorded, and waits for the fence, which it resets first. Several
  /// threads may call it at once.
  ///
  /// @retval Error::Internal The device is lost, now or before.
  runtime::Error submit(VkCommandBuffer commands, VkFence fence);

  /// Whether the device is lost; nothing runs on it any more.
  bool is_lost() const { return is_lost_; }

  VkPhysicalDevice physical_device() const { return physical_device_; }
  VkDevice device() const { return device_; }
  uint32_t queue_family() const { return queue_family_; }
  VmaAllocator allocator() const { return allocator_; }
  const std::string& device_name() const { return device_name_; }

  /// Whether shaders may load and store halves.
  bool has_half() const { return has_half_; }

  /// Whether shaders may multiply words of four bytes; see `Needs`.
  bool has_dot() const { return has_dot_; }

  /// Whether it does so faster than by multiplying and adding, as the device says.
  bool has_fast_dot() const { return has_fast_dot_; }

  /// What the validation layer had to say so far.
  size_t num_messages() const { return num_messages_; }

 private:
  runtime::Error load(PFN_vkGetInstanceProcAddr loader);
  runtime::Error make_instance(const Needs& needs);
  runtime::Error choose_device(const Needs& needs);
  runtime::Error make_device(const Needs& needs);
  runtime::Error make_allocator();

  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT type,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                   void* gpu);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VmaAllocator allocator_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  bool has_half_ = false;
  bool has_dot_ = false;
  bool has_fast_dot_ = false;
  std::string device_name_;
  std::atomic<bool> is_lost_{false};
  std::atomic<size_t> num_messages_{0};
  std::mutex queue_mutex_;
};

/// The one of the process, made when it is first asked for. A failure is not remembered; where the
/// device was lost, another one is made.
///
/// @tparam Made A `Gpu`, or what has one's `is_lost`.
/// @tparam kMake Makes it; each function has one of its own.
template <typename Made, runtime::Result<std::unique_ptr<Made>> (*kMake)()>
runtime::Result<Made*> shared() {
  static std::mutex mutex;
  // Never destroyed: drivers have threads and exit handlers of their own. Delegates on a device
  // that was lost keep it.
  static Made* one = nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  if (one == nullptr || one->is_lost()) {
    runtime::Result<std::unique_ptr<Made>> made = kMake();
    if (!made.ok()) {
      return made.error();
    }
    one = made->release();
  }
  return one;
}

}  // namespace vk
}  // namespace backends
}  // namespace executorch
