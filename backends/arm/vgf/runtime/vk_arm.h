/// @file
/// What the delegate uses of Vulkan's extensions VK_ARM_tensors and VK_ARM_data_graph, as the
/// specification declares it: the pinned headers are older than both. Newer headers win.
#pragma once

#include <volk.h>

#ifndef VK_ARM_data_graph

#define VK_ARM_TENSORS_EXTENSION_NAME "VK_ARM_tensors"
#define VK_ARM_DATA_GRAPH_EXTENSION_NAME "VK_ARM_data_graph"

VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkTensorARM)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkTensorViewARM)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDataGraphPipelineSessionARM)

constexpr auto VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM = VkStructureType(1000460000);
constexpr auto VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM = VkStructureType(1000460001);
constexpr auto VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM = VkStructureType(1000460002);
constexpr auto VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM = VkStructureType(1000460003);
constexpr auto VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM = VkStructureType(1000460006);
constexpr auto VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM = VkStructureType(1000460007);
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM = VkStructureType(1000460009);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM = VkStructureType(1000507000);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM =
    VkStructureType(1000507001);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM =
    VkStructureType(1000507002);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM = VkStructureType(1000507003);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM =
    VkStructureType(1000507004);
constexpr auto VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM =
    VkStructureType(1000507005);
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM =
    VkStructureType(1000507006);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM =
    VkStructureType(1000507007);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM =
    VkStructureType(1000507011);
constexpr auto VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM =
    VkStructureType(1000507012);

constexpr auto VK_DESCRIPTOR_TYPE_TENSOR_ARM = VkDescriptorType(1000460000);
constexpr auto VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM = VkPipelineBindPoint(1000507000);
constexpr VkQueueFlags VK_QUEUE_DATA_GRAPH_BIT_ARM = 0x400;
constexpr VkFlags64 VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM = 0x20;

enum VkTensorTilingARM : int32_t {
  VK_TENSOR_TILING_OPTIMAL_ARM = 0,
  VK_TENSOR_TILING_LINEAR_ARM = 1
};
enum VkDataGraphPipelineSessionBindPointARM : int32_t {
  VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TRANSIENT_ARM = 0
};
enum VkDataGraphPipelineSessionBindPointTypeARM : int32_t {
  VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TYPE_MEMORY_ARM = 0
};

struct VkTensorDescriptionARM {
  VkStructureType sType;
  const void* pNext;
  VkTensorTilingARM tiling;
  VkFormat format;
  uint32_t dimensionCount;
  const int64_t* pDimensions;
  const int64_t* pStrides;
  VkFlags64 usage;
};

struct VkTensorCreateInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 flags;
  const VkTensorDescriptionARM* pDescription;
  VkSharingMode sharingMode;
  uint32_t queueFamilyIndexCount;
  const uint32_t* pQueueFamilyIndices;
};

struct VkTensorViewCreateInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 flags;
  VkTensorARM tensor;
  VkFormat format;
};

struct VkTensorMemoryRequirementsInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkTensorARM tensor;
};

struct VkBindTensorMemoryInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkTensorARM tensor;
  VkDeviceMemory memory;
  VkDeviceSize memoryOffset;
};

struct VkWriteDescriptorSetTensorARM {
  VkStructureType sType;
  const void* pNext;
  uint32_t tensorViewCount;
  const VkTensorViewARM* pTensorViews;
};

struct VkPhysicalDeviceTensorFeaturesARM {
  VkStructureType sType;
  void* pNext;
  VkBool32 tensorNonPacked;
  VkBool32 shaderTensorAccess;
  VkBool32 shaderStorageTensorArrayDynamicIndexing;
  VkBool32 shaderStorageTensorArrayNonUniformIndexing;
  VkBool32 descriptorBindingStorageTensorUpdateAfterBind;
  VkBool32 tensors;
};

struct VkPhysicalDeviceDataGraphFeaturesARM {
  VkStructureType sType;
  void* pNext;
  VkBool32 dataGraph;
  VkBool32 dataGraphUpdateAfterBind;
  VkBool32 dataGraphSpecializationConstants;
  VkBool32 dataGraphDescriptorBuffer;
  VkBool32 dataGraphShaderModule;
};

struct VkDataGraphPipelineConstantARM {
  VkStructureType sType;
  const void* pNext;
  uint32_t id;
  const void* pConstantData;
};

struct VkDataGraphPipelineResourceInfoARM {
  VkStructureType sType;
  const void* pNext;
  uint32_t descriptorSet;
  uint32_t binding;
  uint32_t arrayElement;
};

struct VkDataGraphPipelineCreateInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 flags;
  VkPipelineLayout layout;
  uint32_t resourceInfoCount;
  const VkDataGraphPipelineResourceInfoARM* pResourceInfos;
};

struct VkDataGraphPipelineShaderModuleCreateInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkShaderModule module;
  const char* pName;
  const VkSpecializationInfo* pSpecializationInfo;
  uint32_t constantCount;
  const VkDataGraphPipelineConstantARM* pConstants;
};

struct VkDataGraphPipelineSessionCreateInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 flags;
  VkPipeline dataGraphPipeline;
};

struct VkDataGraphPipelineSessionBindPointRequirementsInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkDataGraphPipelineSessionARM session;
};

struct VkDataGraphPipelineSessionBindPointRequirementARM {
  VkStructureType sType;
  void* pNext;
  VkDataGraphPipelineSessionBindPointARM bindPoint;
  VkDataGraphPipelineSessionBindPointTypeARM bindPointType;
  uint32_t numObjects;
};

struct VkDataGraphPipelineSessionMemoryRequirementsInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkDataGraphPipelineSessionARM session;
  VkDataGraphPipelineSessionBindPointARM bindPoint;
  uint32_t objectIndex;
};

struct VkBindDataGraphPipelineSessionMemoryInfoARM {
  VkStructureType sType;
  const void* pNext;
  VkDataGraphPipelineSessionARM session;
  VkDataGraphPipelineSessionBindPointARM bindPoint;
  uint32_t objectIndex;
  VkDeviceMemory memory;
  VkDeviceSize memoryOffset;
};

struct VkDataGraphPipelineDispatchInfoARM;

using PFN_vkCreateTensorARM = VkResult(VKAPI_PTR*)(VkDevice, const VkTensorCreateInfoARM*,
                                                   const VkAllocationCallbacks*, VkTensorARM*);
using PFN_vkDestroyTensorARM = void(VKAPI_PTR*)(VkDevice, VkTensorARM,
                                                const VkAllocationCallbacks*);
using PFN_vkCreateTensorViewARM = VkResult(VKAPI_PTR*)(VkDevice, const VkTensorViewCreateInfoARM*,
                                                       const VkAllocationCallbacks*,
                                                       VkTensorViewARM*);
using PFN_vkDestroyTensorViewARM = void(VKAPI_PTR*)(VkDevice, VkTensorViewARM,
                                                    const VkAllocationCallbacks*);
using PFN_vkGetTensorMemoryRequirementsARM =
    void(VKAPI_PTR*)(VkDevice, const VkTensorMemoryRequirementsInfoARM*, VkMemoryRequirements2*);
using PFN_vkBindTensorMemoryARM = VkResult(VKAPI_PTR*)(VkDevice, uint32_t,
                                                       const VkBindTensorMemoryInfoARM*);
using PFN_vkCreateDataGraphPipelinesARM = VkResult(VKAPI_PTR*)(
    VkDevice, VkDeferredOperationKHR, VkPipelineCache, uint32_t,
    const VkDataGraphPipelineCreateInfoARM*, const VkAllocationCallbacks*, VkPipeline*);
using PFN_vkCreateDataGraphPipelineSessionARM =
    VkResult(VKAPI_PTR*)(VkDevice, const VkDataGraphPipelineSessionCreateInfoARM*,
                         const VkAllocationCallbacks*, VkDataGraphPipelineSessionARM*);
using PFN_vkGetDataGraphPipelineSessionBindPointRequirementsARM =
    VkResult(VKAPI_PTR*)(VkDevice, const VkDataGraphPipelineSessionBindPointRequirementsInfoARM*,
                         uint32_t*, VkDataGraphPipelineSessionBindPointRequirementARM*);
using PFN_vkGetDataGraphPipelineSessionMemoryRequirementsARM = void(VKAPI_PTR*)(
    VkDevice, const VkDataGraphPipelineSessionMemoryRequirementsInfoARM*, VkMemoryRequirements2*);
using PFN_vkBindDataGraphPipelineSessionMemoryARM =
    VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkBindDataGraphPipelineSessionMemoryInfoARM*);
using PFN_vkDestroyDataGraphPipelineSessionARM = void(VKAPI_PTR*)(VkDevice,
                                                                  VkDataGraphPipelineSessionARM,
                                                                  const VkAllocationCallbacks*);
using PFN_vkCmdDispatchDataGraphARM = void(VKAPI_PTR*)(VkCommandBuffer,
                                                       VkDataGraphPipelineSessionARM,
                                                       const VkDataGraphPipelineDispatchInfoARM*);

#endif
