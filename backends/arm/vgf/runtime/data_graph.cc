#include <cstring>
#include <utility>

#include <executorch/backends/arm/vgf/runtime/data_graph.h>
#include <executorch/backends/vk/status.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::Result;
using vk::check;
using vk::described;
using vk::Gpu;

namespace {

template <typename Function>
bool find(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  if (function == nullptr) {
    ET_LOG(Error, "VGF: the driver lacks %s of the extensions that it offers; update it", name);
  }
  return function != nullptr;
}

VkTensorDescriptionARM describe(const VgfTensor& tensor) {
  auto made = described<VkTensorDescriptionARM>(VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM);
  made.tiling = VK_TENSOR_TILING_LINEAR_ARM;
  made.format = static_cast<VkFormat>(tensor.format);
  made.dimensionCount = static_cast<uint32_t>(tensor.shape.size());
  made.pDimensions = tensor.shape.data();
  made.usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM;
  return made;
}

/// Memory of its own for one object; the host sees it if `mapped` is given.
Error allocate(VmaAllocator allocator, const VkMemoryRequirements& needs, VmaAllocation& memory,
               VmaAllocationInfo& made, bool is_mapped) {
  VmaAllocationCreateInfo info = {};
  info.flags = VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
  if (is_mapped) {
    info.flags |= VMA_ALLOCATION_CREATE_MAPPED_BIT;
    info.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  }
  return check(vmaAllocateMemory(allocator, &needs, &info, &memory, &made), "memory for a graph");
}

}  // namespace

Result<std::unique_ptr<DataGraph>> DataGraph::make(Gpu& gpu, VgfFile file) {
  std::unique_ptr<DataGraph> made(new DataGraph(gpu, std::move(file)));
  ET_CHECK_OK_OR_RETURN_ERROR(made->find_functions());
  made->tensors_.resize(made->file_.tensors.size());
  for (size_t i = 0; i < made->tensors_.size(); ++i) {
    if (!made->file_.tensors[i].is_constant) {
      ET_CHECK_OK_OR_RETURN_ERROR(made->make_tensor(made->file_.tensors[i], made->tensors_[i]));
    }
  }
  made->segments_.resize(made->file_.segments.size());
  for (size_t i = 0; i < made->segments_.size(); ++i) {
    const VgfSegment& from = made->file_.segments[i];
    ET_CHECK_OK_OR_RETURN_ERROR(made->make_sets(from, made->segments_[i]));
    ET_CHECK_OK_OR_RETURN_ERROR(made->make_pipeline(from, made->segments_[i]));
    ET_CHECK_OK_OR_RETURN_ERROR(made->make_session(made->segments_[i]));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(made->record());
  // The driver has its own now; the program's bytes may go.
  made->file_.segments.clear();
  return made;
}

DataGraph::~DataGraph() {
  for (Segment& segment : segments_) {
    destroy(segment);
  }
  for (const Tensor& one : tensors_) {
    if (one.view != VK_NULL_HANDLE) {
      functions_.destroy_view(device_, one.view, nullptr);
    }
    if (one.tensor != VK_NULL_HANDLE) {
      functions_.destroy_tensor(device_, one.tensor, nullptr);
    }
    if (one.memory != VK_NULL_HANDLE) {
      vmaFreeMemory(gpu_.allocator(), one.memory);
    }
  }
  vkDestroyFence(device_, fence_, nullptr);
  vkDestroyCommandPool(device_, command_pool_, nullptr);
}

void DataGraph::destroy(Segment& segment) {
  if (segment.session != VK_NULL_HANDLE) {
    functions_.destroy_session(device_, segment.session, nullptr);
  }
  for (const VmaAllocation memory : segment.memory) {
    vmaFreeMemory(gpu_.allocator(), memory);
  }
  vkDestroyPipeline(device_, segment.pipeline, nullptr);
  vkDestroyShaderModule(device_, segment.module, nullptr);
  vkDestroyPipelineLayout(device_, segment.layout, nullptr);
  vkDestroyDescriptorPool(device_, segment.pool, nullptr);
  for (const VkDescriptorSetLayout layout : segment.set_layouts) {
    vkDestroyDescriptorSetLayout(device_, layout, nullptr);
  }
}

Error DataGraph::find_functions() {
  const bool found =
      find(device_, "vkCreateTensorARM", functions_.create_tensor) &&
      find(device_, "vkDestroyTensorARM", functions_.destroy_tensor) &&
      find(device_, "vkCreateTensorViewARM", functions_.create_view) &&
      find(device_, "vkDestroyTensorViewARM", functions_.destroy_view) &&
      find(device_, "vkGetTensorMemoryRequirementsARM", functions_.tensor_memory) &&
      find(device_, "vkBindTensorMemoryARM", functions_.bind_tensor) &&
      find(device_, "vkCreateDataGraphPipelinesARM", functions_.create_pipelines) &&
      find(device_, "vkCreateDataGraphPipelineSessionARM", functions_.create_session) &&
      find(device_, "vkDestroyDataGraphPipelineSessionARM", functions_.destroy_session) &&
      find(device_, "vkGetDataGraphPipelineSessionBindPointRequirementsARM",
           functions_.bind_points) &&
      find(device_, "vkGetDataGraphPipelineSessionMemoryRequirementsARM",
           functions_.session_memory) &&
      find(device_, "vkBindDataGraphPipelineSessionMemoryARM", functions_.bind_session) &&
      find(device_, "vkCmdDispatchDataGraphARM", functions_.dispatch);
  return found ? Error::Ok : Error::NotFound;
}

Error DataGraph::make_tensor(const VgfTensor& from, Tensor& made) {
  const VkTensorDescriptionARM description = describe(from);
  auto info = described<VkTensorCreateInfoARM>(VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM);
  info.pDescription = &description;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(functions_.create_tensor(device_, &info, nullptr, &made.tensor), "making a tensor"));
  auto asked = described<VkTensorMemoryRequirementsInfoARM>(
      VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM);
  asked.tensor = made.tensor;
  auto needs = described<VkMemoryRequirements2>(VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2);
  functions_.tensor_memory(device_, &asked, &needs);
  ET_CHECK_OR_RETURN_ERROR(needs.memoryRequirements.size >= from.bytes, Internal,
                           "VGF: the driver gives a tensor of %zu bytes less memory", from.bytes);
  VmaAllocationInfo memory = {};
  ET_CHECK_OK_OR_RETURN_ERROR(
      allocate(gpu_.allocator(), needs.memoryRequirements, made.memory, memory, true));
  made.mapped = memory.pMappedData;
  auto bound = described<VkBindTensorMemoryInfoARM>(VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM);
  bound.tensor = made.tensor;
  bound.memory = memory.deviceMemory;
  bound.memoryOffset = memory.offset;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(functions_.bind_tensor(device_, 1, &bound), "binding a tensor"));
  auto view = described<VkTensorViewCreateInfoARM>(VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM);
  view.tensor = made.tensor;
  view.format = description.format;
  return check(functions_.create_view(device_, &view, nullptr, &made.view), "viewing a tensor");
}

Error DataGraph::make_sets(const VgfSegment& from, Segment& made) {
  made.set_layouts.resize(from.num_sets, VK_NULL_HANDLE);
  for (uint32_t set = 0; set < from.num_sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const VgfBinding& one : from.bindings) {
      if (one.set == set) {
        bindings.push_back(
            {one.binding, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, nullptr});
      }
    }
    auto info = described<VkDescriptorSetLayoutCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreateDescriptorSetLayout(device_, &info, nullptr, &made.set_layouts[set]),
              "making a descriptor set layout"));
  }
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_TENSOR_ARM,
                                     static_cast<uint32_t>(from.bindings.size())};
  auto pool = described<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = from.num_sets;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  ET_CHECK_OK_OR_RETURN_ERROR(check(vkCreateDescriptorPool(device_, &pool, nullptr, &made.pool),
                                    "making a descriptor pool"));
  auto sets =
      described<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  sets.descriptorPool = made.pool;
  sets.descriptorSetCount = from.num_sets;
  sets.pSetLayouts = made.set_layouts.data();
  made.sets.resize(from.num_sets);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkAllocateDescriptorSets(device_, &sets, made.sets.data()), "making descriptor sets"));
  for (const VgfBinding& one : from.bindings) {
    auto tensor =
        described<VkWriteDescriptorSetTensorARM>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
    tensor.tensorViewCount = 1;
    tensor.pTensorViews = &tensors_[one.tensor].view;
    auto write = described<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.pNext = &tensor;
    write.dstSet = made.sets[one.set];
    write.dstBinding = one.binding;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM;
    vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }
  return Error::Ok;
}

Error DataGraph::make_pipeline(const VgfSegment& from, Segment& made) {
  auto layout =
      described<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = from.num_sets;
  layout.pSetLayouts = made.set_layouts.data();
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreatePipelineLayout(device_, &layout, nullptr, &made.layout), "making a layout"));
  auto code = described<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  code.codeSize = from.spirv.size() * sizeof(uint32_t);
  code.pCode = from.spirv.data();
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateShaderModule(device_, &code, nullptr, &made.module), "reading SPIR-V"));
  std::vector<VkTensorDescriptionARM> descriptions;
  descriptions.reserve(from.constants.size());
  std::vector<VkDataGraphPipelineConstantARM> constants;
  for (const VgfConstant& one : from.constants) {
    descriptions.push_back(describe(file_.tensors[one.tensor]));
    auto& constant = constants.emplace_back(described<VkDataGraphPipelineConstantARM>(
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM));
    constant.pNext = &descriptions.back();
    constant.id = one.id;
    constant.pConstantData = one.data;
  }
  std::vector<VkTensorDescriptionARM> tensors;
  tensors.reserve(from.bindings.size());
  std::vector<VkDataGraphPipelineResourceInfoARM> resources;
  for (const VgfBinding& one : from.bindings) {
    tensors.push_back(describe(file_.tensors[one.tensor]));
    auto& resource = resources.emplace_back(described<VkDataGraphPipelineResourceInfoARM>(
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM));
    resource.pNext = &tensors.back();
    resource.descriptorSet = one.set;
    resource.binding = one.binding;
  }
  auto module = described<VkDataGraphPipelineShaderModuleCreateInfoARM>(
      VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
  module.module = made.module;
  module.pName = from.entry_point.c_str();
  module.constantCount = static_cast<uint32_t>(constants.size());
  module.pConstants = constants.data();
  auto info = described<VkDataGraphPipelineCreateInfoARM>(
      VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM);
  info.pNext = &module;
  info.layout = made.layout;
  info.resourceInfoCount = static_cast<uint32_t>(resources.size());
  info.pResourceInfos = resources.data();
  return check(functions_.create_pipelines(device_, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                           nullptr, &made.pipeline),
               "compiling a data graph");
}

Error DataGraph::make_session(Segment& made) {
  auto info = described<VkDataGraphPipelineSessionCreateInfoARM>(
      VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM);
  info.dataGraphPipeline = made.pipeline;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(functions_.create_session(device_, &info, nullptr, &made.session), "making a session"));
  auto asked = described<VkDataGraphPipelineSessionBindPointRequirementsInfoARM>(
      VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM);
  asked.session = made.session;
  uint32_t count = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(check(functions_.bind_points(device_, &asked, &count, nullptr),
                                    "asking what memory a graph needs"));
  std::vector<VkDataGraphPipelineSessionBindPointRequirementARM> points(
      count, described<VkDataGraphPipelineSessionBindPointRequirementARM>(
                 VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM));
  ET_CHECK_OK_OR_RETURN_ERROR(check(functions_.bind_points(device_, &asked, &count, points.data()),
                                    "asking what memory a graph needs"));
  for (uint32_t i = 0; i < count; ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        points[i].bindPointType == VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TYPE_MEMORY_ARM,
        NotSupported, "VGF: a graph wants what is no memory (%d)", int(points[i].bindPointType));
    for (uint32_t object = 0; object < points[i].numObjects; ++object) {
      auto wanted = described<VkDataGraphPipelineSessionMemoryRequirementsInfoARM>(
          VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM);
      wanted.session = made.session;
      wanted.bindPoint = points[i].bindPoint;
      wanted.objectIndex = object;
      auto needs = described<VkMemoryRequirements2>(VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2);
      functions_.session_memory(device_, &wanted, &needs);
      if (needs.memoryRequirements.size == 0) {
        continue;
      }
      VmaAllocationInfo memory = {};
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(gpu_.allocator(), needs.memoryRequirements,
                                           made.memory.emplace_back(nullptr), memory, false));
      auto bound = described<VkBindDataGraphPipelineSessionMemoryInfoARM>(
          VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM);
      bound.session = made.session;
      bound.bindPoint = points[i].bindPoint;
      bound.objectIndex = object;
      bound.memory = memory.deviceMemory;
      bound.memoryOffset = memory.offset;
      ET_CHECK_OK_OR_RETURN_ERROR(
          check(functions_.bind_session(device_, 1, &bound), "binding a graph's memory"));
    }
  }
  return Error::Ok;
}

Error DataGraph::record() {
  auto pool = described<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = gpu_.queue_family();
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateCommandPool(device_, &pool, nullptr, &command_pool_), "making a command pool"));
  auto buffer =
      described<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  buffer.commandPool = command_pool_;
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkAllocateCommandBuffers(device_, &buffer, &commands_), "making a command buffer"));
  auto fence = described<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkCreateFence(device_, &fence, nullptr, &fence_), "making a fence"));
  auto begin = described<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  ET_CHECK_OK_OR_RETURN_ERROR(check(vkBeginCommandBuffer(commands_, &begin), "recording"));
  auto barrier = described<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  for (const Segment& segment : segments_) {
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, segment.pipeline);
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, segment.layout, 0,
                            static_cast<uint32_t>(segment.sets.size()), segment.sets.data(), 0,
                            nullptr);
    functions_.dispatch(commands_, segment.session, nullptr);
    // For the next segment, and for the host, to which a fence alone shows nothing.
    vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
  }
  return check(vkEndCommandBuffer(commands_), "recording");
}

Error DataGraph::write(uint32_t tensor, const void* data) {
  const Tensor& one = tensors_[tensor];
  std::memcpy(one.mapped, data, file_.tensors[tensor].bytes);
  return check(vmaFlushAllocation(gpu_.allocator(), one.memory, 0, VK_WHOLE_SIZE),
               "writing an input");
}

Error DataGraph::read(uint32_t tensor, void* data) {
  const Tensor& one = tensors_[tensor];
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vmaInvalidateAllocation(gpu_.allocator(), one.memory, 0, VK_WHOLE_SIZE),
            "reading an output"));
  std::memcpy(data, one.mapped, file_.tensors[tensor].bytes);
  return Error::Ok;
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch
