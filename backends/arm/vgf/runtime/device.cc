#include <executorch/backends/arm/vgf/runtime/device.h>
#include <executorch/backends/arm/vgf/runtime/vk_arm.h>
#include <executorch/backends/vk/status.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::Result;
using vk::described;
using vk::Gpu;

Result<std::unique_ptr<Gpu>> open_data_graph_device(PFN_vkGetInstanceProcAddr loader) {
  // What SPIR-V of graphs declares.
  auto memory = described<VkPhysicalDeviceVulkanMemoryModelFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  memory.vulkanMemoryModel = VK_TRUE;
  auto tensors = described<VkPhysicalDeviceTensorFeaturesARM>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM);
  tensors.tensors = VK_TRUE;
  tensors.shaderTensorAccess = VK_TRUE;
  tensors.pNext = &memory;
  auto graphs = described<VkPhysicalDeviceDataGraphFeaturesARM>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM);
  graphs.dataGraph = VK_TRUE;
  graphs.dataGraphShaderModule = VK_TRUE;
  graphs.pNext = &tensors;
  vk::Needs needs;
  needs.api_version = VK_API_VERSION_1_3;
  needs.queue = VK_QUEUE_DATA_GRAPH_BIT_ARM;
  needs.extensions = {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_DATA_GRAPH_EXTENSION_NAME};
  needs.features = &graphs;
  needs.may_be_validated = false;
  needs.words =
      "VK_ARM_tensors and VK_ARM_data_graph; install a driver that has them or Arm's emulation "
      "layers (pip install ai-ml-emulation-layer-for-vulkan; "
      "VK_INSTANCE_LAYERS=VK_LAYER_ML_Graph_Emulation:VK_LAYER_ML_Tensor_Emulation, VK_LAYER_PATH "
      "says where they are), or lower the model for another backend";
  auto gpu = std::make_unique<Gpu>();
  ET_CHECK_OK_OR_RETURN_ERROR(gpu->open(loader, needs));
  return gpu;
}

namespace {

Result<std::unique_ptr<Gpu>> open_one() { return open_data_graph_device(); }

}  // namespace

Result<Gpu*> data_graph_device() { return vk::shared<Gpu, open_one>(); }

}  // namespace arm
}  // namespace backends
}  // namespace executorch
