#include <algorithm>
#include <cinttypes>
#include <cstring>

#include <executorch/backends/vk/status.h>
#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::Result;
using vk::check;
using vk::described;

namespace {

/// A buffer of nothing is none; shaders read up to 16 bytes at once.
size_t rounded(size_t size) { return std::max<size_t>((size + 15) / 16 * 16, 16); }

VkBufferCreateInfo describe(size_t size) {
  auto info = described<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return info;
}

}  // namespace

VkFormat format_of(char format) {
  switch (format) {
    case 'F':
      return VK_FORMAT_R32G32B32A32_SFLOAT;
    case 'H':
      return VK_FORMAT_R16G16B16A16_SFLOAT;
    case 'h':
      return VK_FORMAT_R16_SFLOAT;
    case 'i':
      return VK_FORMAT_R32_SINT;
    case 'u':
      return VK_FORMAT_R32_UINT;
    case 'U':
      return VK_FORMAT_R32G32B32A32_UINT;
    default:
      return VK_FORMAT_R32_SFLOAT;
  }
}

size_t texel_size(char format) {
  switch (format) {
    case 'F':
    case 'U':
      return 16;
    case 'H':
      return 8;
    case 'h':
      return 2;
    default:
      return 4;
  }
}

VulkanBuffer::~VulkanBuffer() {
  for (const auto& [format, view] : views_) {
    vkDestroyBufferView(device_, view, nullptr);
  }
  vmaDestroyBuffer(allocator_, buffer_, allocation_);
}

Result<VkBufferView> VulkanBuffer::view(char format) {
  VkBufferView& view = views_[format];
  if (view == VK_NULL_HANDLE) {
    auto info = described<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
    info.buffer = buffer_;
    info.format = format_of(format);
    info.range = VK_WHOLE_SIZE;
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreateBufferView(device_, &info, nullptr, &view), "viewing a buffer"));
  }
  return view;
}

Error VulkanBuffer::flush() {
  return check(vmaFlushAllocation(allocator_, allocation_, 0, VK_WHOLE_SIZE), "writing a buffer");
}

Error VulkanBuffer::invalidate() {
  return check(vmaInvalidateAllocation(allocator_, allocation_, 0, VK_WHOLE_SIZE),
               "reading a buffer");
}

Result<std::unique_ptr<Buffer>> Context::make_buffer(size_t size, bool is_shared) {
  const size_t bytes = rounded(size);
  ET_CHECK_OR_RETURN_ERROR(bytes <= most_range_, NotSupported,
                           "Vulkan: a tensor has %zu bytes, a shader of this device (%s) sees no "
                           "more than %zu",
                           bytes, device_name().c_str(), most_range_);
  VmaAllocationCreateInfo how = {};
  how.usage = is_shared ? VMA_MEMORY_USAGE_AUTO : VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
  how.flags = is_shared
                  ? VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT
                  : 0u;
  const VkBufferCreateInfo info = describe(bytes);
  VkBuffer buffer = VK_NULL_HANDLE;
  VmaAllocation allocation = VK_NULL_HANDLE;
  VmaAllocationInfo made = {};
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vmaCreateBuffer(allocator(), &info, &how, &buffer, &allocation, &made),
            "allocating a tensor"));
  return std::unique_ptr<Buffer>(std::make_unique<VulkanBuffer>(
      device(), allocator(), buffer, allocation, bytes, is_shared ? made.pMappedData : nullptr));
}

Result<std::unique_ptr<Buffer>> Context::upload(const void* data, size_t size) {
  const size_t bytes = rounded(size);
  ET_CHECK_OR_RETURN_ERROR(bytes <= most_range_, NotSupported,
                           "Vulkan: a constant has %zu bytes, a shader of this device (%s) sees no "
                           "more than %zu",
                           bytes, device_name().c_str(), most_range_);
  VmaAllocationCreateInfo how = {};
  how.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
  how.flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT |
              VMA_ALLOCATION_CREATE_HOST_ACCESS_ALLOW_TRANSFER_INSTEAD_BIT |
              VMA_ALLOCATION_CREATE_MAPPED_BIT;
  const VkBufferCreateInfo info = describe(bytes);
  VkBuffer buffer = VK_NULL_HANDLE;
  VmaAllocation allocation = VK_NULL_HANDLE;
  VmaAllocationInfo made = {};
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vmaCreateBuffer(allocator(), &info, &how, &buffer, &allocation, &made),
            "allocating a constant"));
  auto result = std::make_unique<VulkanBuffer>(device(), allocator(), buffer, allocation, bytes,
                                               made.pMappedData);
  if (made.pMappedData == nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(fill_by_copy(*result, data, size));
  } else {
    if (size > 0) {
      std::memcpy(made.pMappedData, data, size);
    }
    ET_CHECK_OK_OR_RETURN_ERROR(result->flush());
  }
  return std::unique_ptr<Buffer>(std::move(result));
}

Error Context::fill_by_copy(Buffer& buffer, const void* data, size_t size) {
  Result<std::unique_ptr<Buffer>> staging = make_buffer(size, true);
  if (!staging.ok()) {
    return staging.error();
  }
  if (size > 0) {
    std::memcpy((*staging)->mapped(), data, size);
  }
  ET_CHECK_OK_OR_RETURN_ERROR((*staging)->flush());
  auto pool_info = described<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.queueFamilyIndex = queue_family();
  VkCommandPool pool = VK_NULL_HANDLE;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateCommandPool(device(), &pool_info, nullptr, &pool), "making commands"));
  auto commands_info =
      described<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  commands_info.commandPool = pool;
  commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands_info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  auto fence_info = described<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  Error error =
      check(vkAllocateCommandBuffers(device(), &commands_info, &commands), "making commands");
  if (error == Error::Ok) {
    error = check(vkCreateFence(device(), &fence_info, nullptr, &fence), "making a fence");
  }
  if (error == Error::Ok) {
    auto begin = described<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    VkBufferCopy region = {};
    region.size = rounded(size);
    error = check(vkBeginCommandBuffer(commands, &begin), "recording");
    if (error == Error::Ok) {
      vkCmdCopyBuffer(commands, static_cast<VulkanBuffer&>(**staging).get(),
                      static_cast<VulkanBuffer&>(buffer).get(), 1, &region);
      error = check(vkEndCommandBuffer(commands), "recording");
    }
    error = error == Error::Ok ? submit(commands, fence) : error;
  }
  if (fence != VK_NULL_HANDLE) {
    vkDestroyFence(device(), fence, nullptr);
  }
  vkDestroyCommandPool(device(), pool, nullptr);
  return error;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
