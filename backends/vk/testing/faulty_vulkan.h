#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <tuple>

#include <volk.h>

namespace executorch {
namespace backends {
namespace vk {
namespace testing {

// What a test has beside these: the functions of an extension.
#ifndef EXECUTORCH_FALLIBLE_MORE
#define EXECUTORCH_FALLIBLE_MORE(X)
#define EXECUTORCH_FREEING_MORE(X)
#endif

// The functions of which a call can be made to fail: all that a delegate or its allocator calls
// and that return what a machine can run out of.
#define EXECUTORCH_FALLIBLE(X)      \
  X(vkCreateInstance)               \
  X(vkEnumeratePhysicalDevices)     \
  X(vkCreateDevice)                 \
  X(vkCreatePipelineCache)          \
  X(vkAllocateMemory)               \
  X(vkMapMemory)                    \
  X(vkFlushMappedMemoryRanges)      \
  X(vkInvalidateMappedMemoryRanges) \
  X(vkCreateBuffer)                 \
  X(vkCreateBufferView)             \
  X(vkBindBufferMemory)             \
  X(vkCreateShaderModule)           \
  X(vkCreateDescriptorSetLayout)    \
  X(vkCreatePipelineLayout)         \
  X(vkCreateComputePipelines)       \
  X(vkCreateDescriptorPool)         \
  X(vkAllocateDescriptorSets)       \
  X(vkCreateCommandPool)            \
  X(vkResetCommandPool)             \
  X(vkAllocateCommandBuffers)       \
  X(vkBeginCommandBuffer)           \
  X(vkEndCommandBuffer)             \
  X(vkCreateQueryPool)              \
  X(vkGetQueryPoolResults)          \
  X(vkCreateFence)                  \
  X(vkResetFences)                  \
  X(vkQueueSubmit)                  \
  X(vkWaitForFences)                \
  EXECUTORCH_FALLIBLE_MORE(X)

// What takes back what a function above made: a handle, before the last argument.
#define EXECUTORCH_FREEING(X)     \
  X(vkDestroyInstance)            \
  X(vkDestroyDevice)              \
  X(vkDestroyPipelineCache)       \
  X(vkFreeMemory)                 \
  X(vkDestroyBuffer)              \
  X(vkDestroyBufferView)          \
  X(vkDestroyShaderModule)        \
  X(vkDestroyDescriptorSetLayout) \
  X(vkDestroyPipelineLayout)      \
  X(vkDestroyPipeline)            \
  X(vkDestroyDescriptorPool)      \
  X(vkDestroyCommandPool)         \
  X(vkDestroyQueryPool)           \
  X(vkDestroyFence)               \
  EXECUTORCH_FREEING_MORE(X)

/// Vulkan as the machine has it, but for calls that fail on purpose. One at a time, and for one
/// thread.
class FaultyVulkan {
 public:
  /// To be given to `Gpu::open`; null where the machine has no Vulkan.
  static PFN_vkGetInstanceProcAddr loader() {
    if (volkInitialize() != VK_SUCCESS) {
      return nullptr;
    }
    state().get_instance = vkGetInstanceProcAddr;
    return get_instance;
  }

  /// The `nth` call from now on fails, before anything is done.
  static void fail_call(size_t nth, VkResult result) {
    state().count = 0;
    state().nth = nth;
    state().result = result;
    state().failed = nullptr;
  }

  static void fail_none() { fail_call(SIZE_MAX, VK_SUCCESS); }

  /// The name of the function of which a call failed; null if none did.
  static const char* failed() { return state().failed; }

  /// How many objects were made and not destroyed.
  static ptrdiff_t num_live() { return state().num_live; }

 private:
  enum Index {
#define EXECUTORCH_INDEX(name) k_##name,
    EXECUTORCH_FALLIBLE(EXECUTORCH_INDEX) kNumFallible,
    kBeforeFreeing = kNumFallible - 1,
    EXECUTORCH_FREEING(EXECUTORCH_INDEX)
#undef EXECUTORCH_INDEX
        kCount
  };

  struct State {
    PFN_vkGetInstanceProcAddr get_instance = nullptr;
    PFN_vkGetDeviceProcAddr get_device = nullptr;
    /// By way of the loader, and of the device alone.
    PFN_vkVoidFunction real[2][kCount] = {};
    size_t count = 0;
    size_t nth = SIZE_MAX;
    VkResult result = VK_SUCCESS;
    const char* failed = nullptr;
    ptrdiff_t num_live = 0;
  };

  static State& state() {
    static State state;
    return state;
  }

  static bool fails(const char* name) {
    const bool is_it = state().count++ == state().nth;
    state().failed = is_it ? name : state().failed;
    return is_it;
  }

  template <typename Function>
  struct Faulty;
  template <typename... Arguments>
  struct Faulty<VkResult(VKAPI_PTR*)(Arguments...)> {
    template <int kIsDevice, int kIndex>
    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
      const auto real =
          reinterpret_cast<VkResult(VKAPI_PTR*)(Arguments...)>(state().real[kIsDevice][kIndex]);
      const bool is_it = fails(kNames[kIndex]);
      // What waits does so, that nothing is freed which is in use.
      const VkResult result =
          is_it && kIndex != k_vkWaitForFences ? VK_SUCCESS : real(arguments...);
      state().num_live += !is_it && result == VK_SUCCESS && makes(kNames[kIndex]) ? 1 : 0;
      return is_it ? state().result : result;
    }
  };
  template <typename... Arguments>
  struct Faulty<void(VKAPI_PTR*)(Arguments...)> {
    template <int kIsDevice, int kIndex>
    static VKAPI_ATTR void VKAPI_CALL call(Arguments... arguments) {
      constexpr size_t kHandle = sizeof...(Arguments) - 2;
      state().num_live -= std::get<kHandle>(std::tie(arguments...)) != VK_NULL_HANDLE ? 1 : 0;
      reinterpret_cast<void(VKAPI_PTR*)(Arguments...)>(state().real[kIsDevice][kIndex])(
          arguments...);
    }
  };

  /// Whether a function makes an object that another one destroys.
  static bool makes(const char* name) {
    return std::strncmp(name, "vkCreate", 8) == 0 || std::strcmp(name, "vkAllocateMemory") == 0;
  }

  template <int kIsDevice>
  static PFN_vkVoidFunction faulty(const char* name, PFN_vkVoidFunction real) {
#define EXECUTORCH_FIND(function)                                         \
  if (real != nullptr && std::strcmp(name, #function) == 0) {             \
    state().real[kIsDevice][k_##function] = real;                         \
    return reinterpret_cast<PFN_vkVoidFunction>(                          \
        &Faulty<PFN_##function>::template call<kIsDevice, k_##function>); \
  }
    EXECUTORCH_FALLIBLE(EXECUTORCH_FIND)
    EXECUTORCH_FREEING(EXECUTORCH_FIND)
#undef EXECUTORCH_FIND
    return real;
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char* name) {
    return faulty<1>(name, state().get_device(device, name));
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance instance,
                                                               const char* name) {
    const PFN_vkVoidFunction real = state().get_instance(instance, name);
    if (real != nullptr && std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
      state().get_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
      return reinterpret_cast<PFN_vkVoidFunction>(&get_device);
    }
    return faulty<0>(name, real);
  }

#define EXECUTORCH_NAME(name) #name,
  static constexpr const char* kNames[] = {EXECUTORCH_FALLIBLE(EXECUTORCH_NAME)};
#undef EXECUTORCH_NAME
};

}  // namespace testing
}  // namespace vk
}  // namespace backends
}  // namespace executorch
