#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <vk_mem_alloc.h>
#include <volk.h>

#include <executorch/backends/vk/gpu.h>
#include <executorch/backends/vulkan/runtime/graph/device.h>
#include <executorch/backends/vulkan/runtime/shaders/shaders.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// Set to anything, it makes shaders read storage buffers where they would read texel buffers.
constexpr char kStorageVariable[] = "EXECUTORCH_VULKAN_STORAGE";

/// A shader's pipeline and what its buffers are bound with.
struct Pipeline {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout buffers = VK_NULL_HANDLE;
  /// How each buffer is bound; see shaders/shaders.h.
  std::string formats;
};

/// The machine's Vulkan for shaders: a device, its memory and pipelines, which all programs of the
/// process share. It is made when it is first asked for, and stays.
class Context final : public Device {
 public:
  /// The one context. A failure is logged and not remembered; where the device was lost, another
  /// one is made.
  ///
  /// @retval Error::NotFound There is no Vulkan loader, or no device with Vulkan 1.1.
  static runtime::Result<Context*> get();

  /// A context of one's own.
  ///
  /// @param loader Vulkan's first function, from which all others come; null for that of
  ///     libvulkan.so.1, which is opened.
  static runtime::Result<std::unique_ptr<Context>> make(PFN_vkGetInstanceProcAddr loader = nullptr);

  runtime::Result<std::unique_ptr<Buffer>> make_buffer(size_t size, bool is_shared) override;
  runtime::Result<std::unique_ptr<Buffer>> upload(const void* data, size_t size) override;
  runtime::Result<std::unique_ptr<Stream>> make_stream(bool is_timed) override;
  std::array<uint32_t, 3> most_groups() const override { return most_groups_; }
  bool has_half() const override { return gpu_.has_half(); }
  bool has_dot() const override { return gpu_.has_dot(); }
  bool has_fast_dot() const override { return gpu_.has_fast_dot(); }

  /// A pipeline, compiled when it is first asked for.
  runtime::Result<const Pipeline*> pipeline(const Dispatch& dispatch);

  /// Runs commands that were recorded, as `vk::Gpu` does.
  runtime::Error submit(VkCommandBuffer commands, VkFence fence) {
    return gpu_.submit(commands, fence);
  }

  /// Whether the device is lost; nothing runs on it any more.
  bool is_lost() const { return gpu_.is_lost(); }

  /// Takes compiled pipelines out of a file, the first time that it is named.
  void load_pipelines(const std::string& path);

  /// Brings the file up to date if pipelines were compiled that are not in it.
  runtime::Error save_pipelines(const std::string& path);

  VkDevice device() const { return gpu_.device(); }
  uint32_t queue_family() const { return gpu_.queue_family(); }
  VmaAllocator allocator() const { return gpu_.allocator(); }
  /// Nanoseconds of a tick of timestamps; 0 where the queue has none.
  float nanoseconds_per_tick() const { return nanoseconds_per_tick_; }
  const std::string& device_name() const { return gpu_.device_name(); }

  /// What the validation layer had to say so far.
  size_t num_messages() const override { return gpu_.num_messages(); }

  ~Context() override;

 private:
  Context() = default;

  void read_limits();
  runtime::Error fill_by_copy(Buffer& buffer, const void* data, size_t size);
  bool fits_texels(const Shader& shader, const Dispatch& dispatch) const;
  runtime::Result<const Shader*> shader_for(const Dispatch& dispatch) const;
  runtime::Error layout_for(const std::string& formats, Pipeline& made);
  runtime::Result<VkShaderModule> module_for(const Shader& shader);
  runtime::Error compile(const Dispatch& dispatch, const Shader& shader, Pipeline& made);

  runtime::Error read_cache(VkPipelineCache cache, std::vector<uint8_t>& data) const;

  vk::Gpu gpu_;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  std::array<uint32_t, 3> most_groups_ = {};
  size_t most_range_ = 0;
  uint32_t most_buffers_ = 0;
  uint32_t most_texel_buffers_ = 0;
  size_t most_texels_ = 0;
  float nanoseconds_per_tick_ = 0;
  /// Says which driver and device compiled pipelines are for.
  uint64_t identity_ = 0;

  std::mutex pipelines_mutex_;
  std::map<std::pair<std::string, std::vector<uint32_t>>, Pipeline> pipelines_;
  /// How many pipelines were compiled when a file was read or written last.
  std::map<std::string, size_t> files_;
  std::map<std::string, VkShaderModule> modules_;
  std::map<std::string, std::pair<VkDescriptorSetLayout, VkPipelineLayout>> layouts_;
};

/// Memory of the device.
class VulkanBuffer final : public Buffer {
 public:
  VulkanBuffer(VkDevice device, VmaAllocator allocator, VkBuffer buffer, VmaAllocation allocation,
               size_t size, void* mapped)
      : Buffer(size),
        device_(device),
        allocator_(allocator),
        buffer_(buffer),
        allocation_(allocation),
        mapped_(mapped) {}
  ~VulkanBuffer() override;

  void* mapped() override { return mapped_; }
  runtime::Error flush() override;
  runtime::Error invalidate() override;
  VkBuffer get() const { return buffer_; }
  /// The buffer as texels; made when it is first asked for.
  runtime::Result<VkBufferView> view(char format);

 private:
  VkDevice device_;
  VmaAllocator allocator_;
  VkBuffer buffer_;
  VmaAllocation allocation_;
  void* mapped_;
  std::map<char, VkBufferView> views_;
};

/// Of a character of shaders/shaders.h, and the bytes of a texel of it.
VkFormat format_of(char format);
size_t texel_size(char format);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
