#pragma once

#include <executorch/backends/vk/gpu.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace arm {

/// A device for graphs as Arm's extensions VK_ARM_tensors and VK_ARM_data_graph have them.
///
/// @param loader As for `vk::Gpu::open`.
/// @retval Error::NotFound There is none; the log says what to install.
runtime::Result<std::unique_ptr<vk::Gpu>> open_data_graph_device(
    PFN_vkGetInstanceProcAddr loader = nullptr);

/// The one that all programs of the process share.
runtime::Result<vk::Gpu*> data_graph_device();

}  // namespace arm
}  // namespace backends
}  // namespace executorch
