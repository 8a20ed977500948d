/// @file
/// A VGF file's tensors and pipelines on a device.
#pragma once

#include <memory>
#include <vector>

#include <executorch/backends/arm/vgf/runtime/vgf_file.h>
#include <executorch/backends/arm/vgf/runtime/vk_arm.h>
#include <executorch/backends/vk/gpu.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace arm {

/// The extensions' functions, of one device.
struct DataGraphFunctions {
  PFN_vkCreateTensorARM create_tensor;
  PFN_vkDestroyTensorARM destroy_tensor;
  PFN_vkCreateTensorViewARM create_view;
  PFN_vkDestroyTensorViewARM destroy_view;
  PFN_vkGetTensorMemoryRequirementsARM tensor_memory;
  PFN_vkBindTensorMemoryARM bind_tensor;
  PFN_vkCreateDataGraphPipelinesARM create_pipelines;
  PFN_vkCreateDataGraphPipelineSessionARM create_session;
  PFN_vkDestroyDataGraphPipelineSessionARM destroy_session;
  PFN_vkGetDataGraphPipelineSessionBindPointRequirementsARM bind_points;
  PFN_vkGetDataGraphPipelineSessionMemoryRequirementsARM session_memory;
  PFN_vkBindDataGraphPipelineSessionMemoryARM bind_session;
  PFN_vkCmdDispatchDataGraphARM dispatch;
};

/// All that a file needs on the device, made once; then commands are recorded, and a run submits
/// them.
class DataGraph {
 public:
  /// @retval Error::Internal The driver refuses something; the log says what.
  static runtime::Result<std::unique_ptr<DataGraph>> make(vk::Gpu& gpu, VgfFile file);

  ~DataGraph();
  DataGraph(const DataGraph&) = delete;
  DataGraph& operator=(const DataGraph&) = delete;

  const VgfFile& file() const { return file_; }

  /// Fills a tensor of the file.
  runtime::Error write(uint32_t tensor, const void* data);

  /// Reads a tensor of the file.
  runtime::Error read(uint32_t tensor, void* data);

  /// Held by whoever writes, runs and reads.
  runtime::CallGuard& guard() { return guard_; }

  /// Runs all segments, and waits for them.
  runtime::Error run() { return gpu_.submit(commands_, fence_); }

 private:
  struct Tensor {
    VkTensorARM tensor = VK_NULL_HANDLE;
    VkTensorViewARM view = VK_NULL_HANDLE;
    VmaAllocation memory = VK_NULL_HANDLE;
    void* mapped = nullptr;
  };

  struct Segment {
    std::vector<VkDescriptorSetLayout> set_layouts;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
    std::vector<VmaAllocation> memory;
  };

  DataGraph(vk::Gpu& gpu, VgfFile file)
      : gpu_(gpu), device_(gpu.device()), file_(std::move(file)) {}

  runtime::Error find_functions();
  runtime::Error make_tensor(const VgfTensor& from, Tensor& made);
  runtime::Error make_sets(const VgfSegment& from, Segment& made);
  runtime::Error make_pipeline(const VgfSegment& from, Segment& made);
  runtime::Error make_session(Segment& made);
  runtime::Error record();
  void destroy(Segment& segment);

  runtime::CallGuard guard_;
  vk::Gpu& gpu_;
  VkDevice device_;
  VgfFile file_;
  DataGraphFunctions functions_ = {};
  std::vector<Tensor> tensors_;
  std::vector<Segment> segments_;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace arm
}  // namespace backends
}  // namespace executorch
