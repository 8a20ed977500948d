#include <cstdlib>
#include <cstring>

#include <executorch/backends/vk/gpu.h>
#include <executorch/backends/vk/status.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vk {

using runtime::Error;

namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";

bool is_value(const char* variable, const char* value) {
  return is_set(variable) && std::strcmp(std::getenv(variable), value) == 0;
}

bool has_extensions(VkPhysicalDevice device, const std::vector<const char*>& names) {
  uint32_t count = 0;
  if (names.empty()) {
    return true;
  }
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) {
    return false;
  }
  std::vector<VkExtensionProperties> extensions(count);
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()) !=
      VK_SUCCESS) {
    return false;
  }
  for (const char* const wanted : names) {
    bool is_there = false;
    for (const VkExtensionProperties& one : extensions) {
      is_there = is_there || std::strcmp(one.extensionName, wanted) == 0;
    }
    if (!is_there) {
      return false;
    }
  }
  return true;
}

/// The better the larger; 0 for what cannot be used.
int rank_of(VkPhysicalDevice device, const Needs& needs, uint32_t& family) {
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(device, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_1 || !has_extensions(device, needs.extensions)) {
    return 0;
  }
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (family = 0; family < count; ++family) {
    if ((families[family].queueFlags & needs.queue) != 0) {
      switch (properties.deviceType) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
          return 5;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
          return 4;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
          return 3;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
          return 1;
        default:
          return 2;
      }
    }
  }
  return 0;
}

/// Of four bytes in a word, with signs.
bool says_dot_is_fast(VkPhysicalDevice device) {
  auto dot = described<VkPhysicalDeviceShaderIntegerDotProductProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES);
  auto properties =
      described<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &dot;
  vkGetPhysicalDeviceProperties2(device, &properties);
  return dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
}

}  // namespace

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

Error Gpu::open(PFN_vkGetInstanceProcAddr loader, const Needs& needs) {
  ET_CHECK_OK_OR_RETURN_ERROR(load(loader));
  ET_CHECK_OK_OR_RETURN_ERROR(make_instance(needs));
  ET_CHECK_OK_OR_RETURN_ERROR(choose_device(needs));
  ET_CHECK_OK_OR_RETURN_ERROR(make_device(needs));
  return make_allocator();
}

Gpu::~Gpu() {
  if (allocator_ != VK_NULL_HANDLE) {
    vmaDestroyAllocator(allocator_);
  }
  if (device_ != VK_NULL_HANDLE) {
    vkDestroyDevice(device_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) {
    vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) {
    vkDestroyInstance(instance_, nullptr);
  }
}

VkBool32 Gpu::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                         VkDebugUtilsMessageTypeFlagsEXT type,
                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* gpu) {
  (void)severity;
  (void)type;
  ++static_cast<Gpu*>(gpu)->num_messages_;
  ET_LOG(Error, "Vulkan: validation: %s", data->pMessage == nullptr ? "" : data->pMessage);
  return VK_FALSE;
}

Error Gpu::load(PFN_vkGetInstanceProcAddr loader) {
  if (loader != nullptr) {
    volkInitializeCustom(loader);
  } else {
    ET_CHECK_OR_RETURN_ERROR(
        volkInitialize() == VK_SUCCESS, NotFound,
        "Vulkan: there is no loader (libvulkan.so.1) on this machine; install the driver of its "
        "GPU, or lower the model for another backend");
  }
  ET_CHECK_OR_RETURN_ERROR(volkGetInstanceVersion() >= VK_API_VERSION_1_1, NotFound,
                           "Vulkan: the loader is older than Vulkan 1.1");
  return Error::Ok;
}

Error Gpu::make_instance(const Needs& needs) {
  auto application = described<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "executorch";
  application.apiVersion = needs.api_version;
  auto messenger = described<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = this;
  const VkValidationFeatureEnableEXT checks[] = {
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
      VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
      VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
  auto validation = described<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  validation.pNext = &messenger;
  validation.enabledValidationFeatureCount = is_value(kValidationVariable, "gpu") ? 3 : 1;
  validation.pEnabledValidationFeatures = checks;
  const char* const layers[] = {kLayer};
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                    VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  auto info = described<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  const bool is_validated = needs.may_be_validated && is_set(kValidationVariable);
  if (is_validated) {
    info.pNext = &validation;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = layers;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
  }
  const VkResult result = vkCreateInstance(&info, nullptr, &instance_);
  ET_CHECK_OR_RETURN_ERROR(result != VK_ERROR_LAYER_NOT_PRESENT, NotFound,
                           "Vulkan: %s asks for %s, which is not there; VK_LAYER_PATH says where "
                           "layers are",
                           kValidationVariable, kLayer);
  ET_CHECK_OR_RETURN_ERROR(result == VK_SUCCESS, NotFound,
                           "Vulkan: there is no driver on this machine (result %d); install that "
                           "of its GPU, or lower the model for another backend",
                           int(result));
  volkLoadInstance(instance_);
  return is_validated
             ? check(vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
                     "listening to the validation layer")
             : Error::Ok;
}

Error Gpu::choose_device(const Needs& needs) {
  uint32_t count = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "looking for devices"));
  std::vector<VkPhysicalDevice> devices(count);
  if (count > 0) {
    ET_CHECK_OK_OR_RETURN_ERROR(check(vkEnumeratePhysicalDevices(instance_, &count, devices.data()),
                                      "looking for devices"));
  }
  int best = 0;
  for (const VkPhysicalDevice device : devices) {
    uint32_t family = 0;
    const int rank = rank_of(device, needs, family);
    if (rank > best) {
      best = rank;
      physical_device_ = device;
      queue_family_ = family;
    }
  }
  ET_CHECK_OR_RETURN_ERROR(best > 0, NotFound, "Vulkan: none of %zu devices has %s", devices.size(),
                           needs.words);
  return Error::Ok;
}

Error Gpu::make_device(const Needs& needs) {
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(physical_device_, &properties);
  device_name_ = properties.deviceName;
  auto storage = described<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  auto dot = described<VkPhysicalDeviceShaderIntegerDotProductFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
  const bool may_have_dot =
      needs.may_have_dot && !is_set(kNoDotVariable) &&
      has_extensions(physical_device_, {VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME});
  storage.pNext = may_have_dot ? &dot : nullptr;
  auto features =
      described<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &storage;
  vkGetPhysicalDeviceFeatures2(physical_device_, &features);
  has_half_ = storage.storageBuffer16BitAccess == VK_TRUE;
  has_dot_ = dot.shaderIntegerDotProduct == VK_TRUE;
  has_fast_dot_ = has_dot_ && (is_set(kFastDotVariable) || says_dot_is_fast(physical_device_));
  storage = described<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  storage.storageBuffer16BitAccess = has_half_ ? VK_TRUE : VK_FALSE;
  storage.pNext = needs.features;
  std::vector<const char*> extensions = needs.extensions;
  if (has_dot_) {
    extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    dot.pNext = needs.features;
    storage.pNext = &dot;
  }
  features.features = {};
  // Every device has it: whatever a program says, nothing beyond a buffer is read or written.
  features.features.robustBufferAccess = VK_TRUE;
  const float priority = 1;
  auto queue = described<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = described<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateDevice(physical_device_, &info, nullptr, &device_), "opening the device"));
  // Functions go by way of the loader: those of one device would not do for another, of which there
  // are two once one was lost.
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  return Error::Ok;
}

Error Gpu::make_allocator() {
  VmaVulkanFunctions functions = {};
  functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = vkGetDeviceProcAddr;
  VmaAllocatorCreateInfo info = {};
  info.physicalDevice = physical_device_;
  info.device = device_;
  info.instance = instance_;
  info.pVulkanFunctions = &functions;
  info.vulkanApiVersion = VK_API_VERSION_1_1;
  return check(vmaCreateAllocator(&info, &allocator_), "making an allocator");
}

Error Gpu::submit(VkCommandBuffer commands, VkFence fence) {
  ET_CHECK_OR_RETURN_ERROR(!is_lost_, Internal,
                           "Vulkan: the device (%s) was lost; load the program again",
                           device_name_.c_str());
  ET_CHECK_OK_OR_RETURN_ERROR(check(vkResetFences(device_, 1, &fence), "resetting a fence"));
  auto info = described<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    result = vkQueueSubmit(queue_, 1, &info, fence);
  }
  if (result == VK_SUCCESS) {
    result = vkWaitForFences(device_, 1, &fence, VK_TRUE, UINT64_MAX);
    if (result != VK_SUCCESS) {
      // Nobody may free what it uses before it has ended.
      const std::lock_guard<std::mutex> lock(queue_mutex_);
      (void)vkDeviceWaitIdle(device_);
    }
  }
  if (result == VK_ERROR_DEVICE_LOST) {
    is_lost_ = true;
  }
  return check(result, "running a graph");
}

}  // namespace vk
}  // namespace backends
}  // namespace executorch
