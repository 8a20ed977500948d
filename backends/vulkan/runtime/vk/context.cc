#include <cstdlib>
#include <cstring>
#include <iterator>

#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/backends/vulkan/runtime/vk/status.h>
#include <executorch/backends/vulkan/runtime/vk/vk_arm.h>
#include <executorch/runtime/backend/hash.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::Result;

namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

bool is_value(const char* variable, const char* value) {
  return is_set(variable) && std::strcmp(std::getenv(variable), value) == 0;
}

/// What decides whether compiled pipelines can be used again.
uint64_t identity_of(const VkPhysicalDeviceProperties& properties) {
  return runtime::Hash()
      .add_word(properties.vendorID)
      .add_word(properties.deviceID)
      .add_word(properties.driverVersion)
      .add_word(properties.apiVersion)
      .add(properties.pipelineCacheUUID, sizeof(properties.pipelineCacheUUID))
      .digest();
}

constexpr const char* kDataGraphExtensions[] = {VK_ARM_TENSORS_EXTENSION_NAME,
                                                VK_ARM_DATA_GRAPH_EXTENSION_NAME};

bool has_data_graphs(VkPhysicalDevice device) {
  uint32_t count = 0;
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) {
    return false;
  }
  std::vector<VkExtensionProperties> extensions(count);
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()) !=
      VK_SUCCESS) {
    return false;
  }
  for (const char* const wanted : kDataGraphExtensions) {
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
int rank_of(VkPhysicalDevice device, Use use, uint32_t& family) {
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(device, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_1 ||
      (use == Use::kDataGraphs && !has_data_graphs(device))) {
    return 0;
  }
  const VkQueueFlags wanted =
      use == Use::kDataGraphs ? VK_QUEUE_DATA_GRAPH_BIT_ARM : VkQueueFlags(VK_QUEUE_COMPUTE_BIT);
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (family = 0; family < count; ++family) {
    if ((families[family].queueFlags & wanted) != 0) {
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

}  // namespace

Result<Context*> Context::get(Use use) {
  static std::mutex mutex;
  // Never destroyed: drivers have threads and exit handlers of their own. Delegates on a device
  // that was lost keep its context.
  static Context* contexts[2] = {};
  Context*& made = contexts[static_cast<size_t>(use)];
  const std::lock_guard<std::mutex> lock(mutex);
  if (made != nullptr && !made->is_lost()) {
    return made;
  }
  Result<std::unique_ptr<Context>> context = make(nullptr, use);
  if (!context.ok()) {
    return context.error();
  }
  made = context->release();
  return made;
}

Result<std::unique_ptr<Context>> Context::make(PFN_vkGetInstanceProcAddr loader, Use use) {
  std::unique_ptr<Context> context(new Context(use));
  ET_CHECK_OK_OR_RETURN_ERROR(context->open(loader));
  ET_CHECK_OK_OR_RETURN_ERROR(context->make_instance());
  ET_CHECK_OK_OR_RETURN_ERROR(context->choose_device());
  ET_CHECK_OK_OR_RETURN_ERROR(context->make_device());
  ET_CHECK_OK_OR_RETURN_ERROR(context->make_allocator());
  return context;
}

Context::~Context() {
  if (allocator_ != VK_NULL_HANDLE) {
    vmaDestroyAllocator(allocator_);
  }
  for (const auto& [key, one] : pipelines_) {
    vkDestroyPipeline(device_, one.pipeline, nullptr);
  }
  for (const auto& [name, module] : modules_) {
    vkDestroyShaderModule(device_, module, nullptr);
  }
  for (const auto& [formats, layouts] : layouts_) {
    vkDestroyPipelineLayout(device_, layouts.second, nullptr);
    vkDestroyDescriptorSetLayout(device_, layouts.first, nullptr);
  }
  if (pipeline_cache_ != VK_NULL_HANDLE) {
    vkDestroyPipelineCache(device_, pipeline_cache_, nullptr);
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

VkBool32 Context::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                             VkDebugUtilsMessageTypeFlagsEXT type,
                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* context) {
  (void)severity;
  (void)type;
  ++static_cast<Context*>(context)->num_messages_;
  ET_LOG(Error, "Vulkan: validation: %s", data->pMessage == nullptr ? "" : data->pMessage);
  return VK_FALSE;
}

Error Context::open(PFN_vkGetInstanceProcAddr loader) {
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

Error Context::make_instance() {
  auto application = described<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "executorch";
  application.apiVersion = use_ == Use::kDataGraphs ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1;
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
  // Released validation layers take structures of Arm's extensions for mistakes.
  is_validated_ = use_ == Use::kShaders && is_set(kValidationVariable);
  if (is_validated_) {
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
  return is_validated_
             ? check(vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
                     "listening to the validation layer")
             : Error::Ok;
}

Error Context::choose_device() {
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
    const int rank = rank_of(device, use_, family);
    if (rank > best) {
      best = rank;
      physical_device_ = device;
      queue_family_ = family;
    }
  }
  ET_CHECK_OR_RETURN_ERROR(
      best > 0 || use_ == Use::kShaders, NotFound,
      "Vulkan: none of %zu devices has VK_ARM_tensors and VK_ARM_data_graph; install a driver that "
      "has them or Arm's emulation layers (pip install ai-ml-emulation-layer-for-vulkan; "
      "VK_INSTANCE_LAYERS=VK_LAYER_ML_Graph_Emulation:VK_LAYER_ML_Tensor_Emulation, VK_LAYER_PATH "
      "says where they are), or lower the model for another backend",
      devices.size());
  ET_CHECK_OR_RETURN_ERROR(best > 0, NotFound,
                           "Vulkan: no driver offers a device with Vulkan 1.1 and compute shaders "
                           "(%zu devices were seen); lower the model for another backend",
                           devices.size());
  return Error::Ok;
}

Error Context::make_device() {
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(physical_device_, &properties);
  const VkPhysicalDeviceLimits& limits = properties.limits;
  device_name_ = properties.deviceName;
  identity_ = identity_of(properties);
  most_range_ = limits.maxStorageBufferRange;
  most_buffers_ = limits.maxPerStageDescriptorStorageBuffers;
  most_texel_buffers_ = limits.maxPerStageDescriptorSampledImages;
  most_texels_ = is_set(kStorageVariable) ? 0 : limits.maxTexelBufferElements;
  for (const char format : {'f', 'h', 'i', 'u', 'F', 'H'}) {
    VkFormatProperties known = {};
    vkGetPhysicalDeviceFormatProperties(physical_device_, format_of(format), &known);
    if ((known.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) == 0) {
      most_texels_ = 0;
    }
  }
  std::memcpy(most_groups_.data(), limits.maxComputeWorkGroupCount, sizeof(most_groups_));
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &count, families.data());
  nanoseconds_per_tick_ =
      families[queue_family_].timestampValidBits > 0 ? limits.timestampPeriod : 0;

  auto storage = described<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  auto features =
      described<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &storage;
  vkGetPhysicalDeviceFeatures2(physical_device_, &features);
  has_half_ = storage.storageBuffer16BitAccess == VK_TRUE;
  storage = described<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  storage.storageBuffer16BitAccess = has_half_ ? VK_TRUE : VK_FALSE;
  features.features = {};
  // Every device has it: whatever a program says, nothing beyond a buffer is read or written.
  features.features.robustBufferAccess = VK_TRUE;
  return open_device(features);
}

Error Context::open_device(VkPhysicalDeviceFeatures2& features) {
  auto graphs = described<VkPhysicalDeviceDataGraphFeaturesARM>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM);
  graphs.dataGraph = VK_TRUE;
  graphs.dataGraphShaderModule = VK_TRUE;
  auto tensors = described<VkPhysicalDeviceTensorFeaturesARM>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM);
  tensors.tensors = VK_TRUE;
  tensors.shaderTensorAccess = VK_TRUE;
  // What SPIR-V of graphs declares.
  auto memory = described<VkPhysicalDeviceVulkanMemoryModelFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  memory.vulkanMemoryModel = VK_TRUE;
  if (use_ == Use::kDataGraphs) {
    memory.pNext = features.pNext;
    tensors.pNext = &memory;
    graphs.pNext = &tensors;
    features.pNext = &graphs;
  }
  const float priority = 1;
  auto queue = described<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = described<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  if (use_ == Use::kDataGraphs) {
    info.enabledExtensionCount = std::size(kDataGraphExtensions);
    info.ppEnabledExtensionNames = kDataGraphExtensions;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateDevice(physical_device_, &info, nullptr, &device_), "opening the device"));
  // Functions go by way of the loader: those of one device would not do for another, of which there
  // are two once one was lost.
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  auto cache = described<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  return check(vkCreatePipelineCache(device_, &cache, nullptr, &pipeline_cache_),
               "making a pipeline cache");
}

Error Context::make_allocator() {
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

Error Context::submit(VkCommandBuffer commands, VkFence fence) {
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

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
