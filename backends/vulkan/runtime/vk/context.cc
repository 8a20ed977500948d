#include <cstring>

#include <executorch/backends/vk/status.h>
#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/runtime/backend/hash.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::Result;
using vk::check;
using vk::described;

namespace {

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

Result<std::unique_ptr<Context>> make_one() { return Context::make(); }

}  // namespace

Result<Context*> Context::get() { return vk::shared<Context, make_one>(); }

Result<std::unique_ptr<Context>> Context::make(PFN_vkGetInstanceProcAddr loader) {
  std::unique_ptr<Context> context(new Context());
  vk::Needs needs;
  needs.may_have_dot = true;
  needs.words =
      "Vulkan 1.1 and compute shaders; install the driver of the GPU, or lower the model for "
      "another "
      "backend";
  ET_CHECK_OK_OR_RETURN_ERROR(context->gpu_.open(loader, needs));
  context->read_limits();
  auto cache = described<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreatePipelineCache(context->device(), &cache, nullptr, &context->pipeline_cache_),
            "making a pipeline cache"));
  return context;
}

Context::~Context() {
  for (const auto& [key, one] : pipelines_) {
    vkDestroyPipeline(device(), one.pipeline, nullptr);
  }
  for (const auto& [name, module] : modules_) {
    vkDestroyShaderModule(device(), module, nullptr);
  }
  for (const auto& [formats, layouts] : layouts_) {
    vkDestroyPipelineLayout(device(), layouts.second, nullptr);
    vkDestroyDescriptorSetLayout(device(), layouts.first, nullptr);
  }
  if (pipeline_cache_ != VK_NULL_HANDLE) {
    vkDestroyPipelineCache(device(), pipeline_cache_, nullptr);
  }
}

void Context::read_limits() {
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(gpu_.physical_device(), &properties);
  const VkPhysicalDeviceLimits& limits = properties.limits;
  identity_ = identity_of(properties);
  most_range_ = limits.maxStorageBufferRange;
  most_buffers_ = limits.maxPerStageDescriptorStorageBuffers;
  most_texel_buffers_ = limits.maxPerStageDescriptorSampledImages;
  most_texels_ = vk::is_set(kStorageVariable) ? 0 : limits.maxTexelBufferElements;
  for (const char format : {'f', 'h', 'i', 'u', 'F', 'H', 'U'}) {
    VkFormatProperties known = {};
    vkGetPhysicalDeviceFormatProperties(gpu_.physical_device(), format_of(format), &known);
    if ((known.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) == 0) {
      most_texels_ = 0;
    }
  }
  std::memcpy(most_groups_.data(), limits.maxComputeWorkGroupCount, sizeof(most_groups_));
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(gpu_.physical_device(), &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(gpu_.physical_device(), &count, families.data());
  nanoseconds_per_tick_ =
      families[queue_family()].timestampValidBits > 0 ? limits.timestampPeriod : 0;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
