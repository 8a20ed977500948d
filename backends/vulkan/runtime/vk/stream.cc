#include <set>

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

/// What was read and written since the last barrier.
class Hazards {
 public:
  /// Whether a dispatch must wait for what came before it.
  bool need_barrier(const Dispatch& dispatch) const {
    for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
      Buffer* const buffer = dispatch.buffers[i];
      if (written_.count(buffer) != 0 || (i < dispatch.num_written && read_.count(buffer) != 0)) {
        return true;
      }
    }
    return false;
  }

  void clear() {
    read_.clear();
    written_.clear();
  }

  void note(const Dispatch& dispatch) {
    for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
      (i < dispatch.num_written ? written_ : read_).insert(dispatch.buffers[i]);
    }
  }

 private:
  std::set<Buffer*> read_;
  std::set<Buffer*> written_;
};

void wait_for(VkCommandBuffer commands, VkPipelineStageFlags stage, VkAccessFlags access) {
  auto barrier = described<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stage, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
}

class VulkanStream final : public Stream {
 public:
  VulkanStream(Context& context, bool is_timed) : context_(context), is_timed_(is_timed) {}

  ~VulkanStream() override {
    vkDestroyQueryPool(context_.device(), queries_, nullptr);
    vkDestroyDescriptorPool(context_.device(), descriptors_, nullptr);
    vkDestroyFence(context_.device(), fence_, nullptr);
    vkDestroyCommandPool(context_.device(), pool_, nullptr);
  }

  Error make() {
    auto pool = described<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = context_.queue_family();
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreateCommandPool(context_.device(), &pool, nullptr, &pool_), "making commands"));
    auto info =
        described<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool_;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkAllocateCommandBuffers(context_.device(), &info, &commands_), "making commands"));
    auto fence = described<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    return check(vkCreateFence(context_.device(), &fence, nullptr, &fence_), "making a fence");
  }

  Error begin() override {
    dispatches_.clear();
    barriers_.clear();
    is_recorded_ = false;
    return check(vkResetCommandPool(context_.device(), pool_, 0), "recording");
  }

  Error dispatch(const Dispatch& dispatch) override {
    dispatches_.push_back(dispatch);
    return Error::Ok;
  }

  Error end() override {
    ET_CHECK_OK_OR_RETURN_ERROR(make_descriptors());
    ET_CHECK_OK_OR_RETURN_ERROR(make_queries());
    auto info = described<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    ET_CHECK_OK_OR_RETURN_ERROR(check(vkBeginCommandBuffer(commands_, &info), "recording"));
    const uint32_t num_queries = static_cast<uint32_t>(2 * dispatches_.size());
    if (queries_ != VK_NULL_HANDLE) {
      vkCmdResetQueryPool(commands_, queries_, 0, num_queries);
    }
    // What former runs wrote and this one reads: state.
    wait_for(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    Hazards hazards;
    for (size_t i = 0; i < dispatches_.size(); ++i) {
      if (hazards.need_barrier(dispatches_[i])) {
        wait_for(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        barriers_.insert(i);
        hazards.clear();
      }
      hazards.note(dispatches_[i]);
      ET_CHECK_OK_OR_RETURN_ERROR(record(i));
    }
    wait_for(commands_, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    ET_CHECK_OK_OR_RETURN_ERROR(check(vkEndCommandBuffer(commands_), "recording"));
    is_recorded_ = true;
    return Error::Ok;
  }

  Error run() override {
    ET_CHECK_OR_RETURN_ERROR(is_recorded_, InvalidState, "Vulkan: nothing is recorded");
    return context_.submit(commands_, fence_);
  }

  Result<std::vector<Timing>> timings() override {
    std::vector<Timing> timings;
    if (queries_ == VK_NULL_HANDLE) {
      return timings;
    }
    std::vector<uint64_t> ticks(2 * dispatches_.size());
    ET_CHECK_OK_OR_RETURN_ERROR(check(
        vkGetQueryPoolResults(context_.device(), queries_, 0, static_cast<uint32_t>(ticks.size()),
                              ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "reading times"));
    const auto nanoseconds = [&](uint64_t tick) {
      return static_cast<uint64_t>(static_cast<double>(tick - ticks[0]) *
                                   static_cast<double>(context_.nanoseconds_per_tick()));
    };
    for (size_t i = 0; i < dispatches_.size(); ++i) {
      timings.push_back({dispatches_[i].shader + "_" + std::to_string(i),
                         dispatches_[i].debug_handle, nanoseconds(ticks[2 * i]),
                         nanoseconds(ticks[2 * i + 1]), barriers_.count(i) != 0});
    }
    return timings;
  }

  size_t num_dispatches() const override { return dispatches_.size(); }
  size_t num_barriers() const override { return barriers_.size(); }

 private:
  Error make_descriptors() {
    vkDestroyDescriptorPool(context_.device(), descriptors_, nullptr);
    descriptors_ = VK_NULL_HANDLE;
    uint32_t num_buffers = 0;
    for (const Dispatch& dispatch : dispatches_) {
      num_buffers += static_cast<uint32_t>(dispatch.buffers.size());
    }
    if (dispatches_.empty()) {
      return Error::Ok;
    }
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, num_buffers},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, num_buffers}};
    auto info =
        described<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = static_cast<uint32_t>(dispatches_.size());
    info.poolSizeCount = 2;
    info.pPoolSizes = sizes;
    return check(vkCreateDescriptorPool(context_.device(), &info, nullptr, &descriptors_),
                 "making descriptors");
  }

  Error make_queries() {
    vkDestroyQueryPool(context_.device(), queries_, nullptr);
    queries_ = VK_NULL_HANDLE;
    if (!is_timed_ || dispatches_.empty() || context_.nanoseconds_per_tick() == 0) {
      return Error::Ok;
    }
    auto info = described<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = static_cast<uint32_t>(2 * dispatches_.size());
    return check(vkCreateQueryPool(context_.device(), &info, nullptr, &queries_),
                 "making timestamps");
  }

  Result<VkDescriptorSet> bind(const Dispatch& dispatch, const Pipeline& pipeline) {
    auto info =
        described<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    info.descriptorPool = descriptors_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &pipeline.buffers;
    VkDescriptorSet set = VK_NULL_HANDLE;
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkAllocateDescriptorSets(context_.device(), &info, &set), "binding"));
    for (uint32_t i = 0; i < dispatch.buffers.size(); ++i) {
      VulkanBuffer& buffer = static_cast<VulkanBuffer&>(*dispatch.buffers[i]);
      auto write = described<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
      write.dstSet = set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      const VkDescriptorBufferInfo stored = {buffer.get(), 0, VK_WHOLE_SIZE};
      VkBufferView view = VK_NULL_HANDLE;
      if (pipeline.formats[i] == '.') {
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &stored;
      } else {
        const Result<VkBufferView> texels = buffer.view(pipeline.formats[i]);
        if (!texels.ok()) {
          return texels.error();
        }
        view = *texels;
        write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        write.pTexelBufferView = &view;
      }
      vkUpdateDescriptorSets(context_.device(), 1, &write, 0, nullptr);
    }
    return set;
  }

  Error record(size_t i) {
    const Dispatch& dispatch = dispatches_[i];
    const Result<const Pipeline*> pipeline = context_.pipeline(dispatch);
    if (!pipeline.ok()) {
      return pipeline.error();
    }
    const Result<VkDescriptorSet> set = bind(dispatch, **pipeline);
    if (!set.ok()) {
      return set.error();
    }
    const VkDescriptorSet bound = *set;
    const auto& words = dispatch.parameters.words();
    const uint32_t query = static_cast<uint32_t>(2 * i);
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->pipeline);
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->layout, 0, 1,
                            &bound, 0, nullptr);
    vkCmdPushConstants(commands_, (*pipeline)->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(words.size() * sizeof(words[0])), words.data());
    if (queries_ != VK_NULL_HANDLE) {
      vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, query);
    }
    vkCmdDispatch(commands_, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
    if (queries_ != VK_NULL_HANDLE) {
      vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, query + 1);
    }
    return Error::Ok;
  }

  Context& context_;
  const bool is_timed_;
  bool is_recorded_ = false;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::vector<Dispatch> dispatches_;
  /// Numbers of the dispatches that stand behind one.
  std::set<size_t> barriers_;
};

}  // namespace

Result<std::unique_ptr<Stream>> Context::make_stream(bool is_timed) {
  auto made = std::make_unique<VulkanStream>(*this, is_timed);
  ET_CHECK_OK_OR_RETURN_ERROR(made->make());
  return std::unique_ptr<Stream>(std::move(made));
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
