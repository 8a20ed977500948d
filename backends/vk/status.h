#pragma once

#include <volk.h>

#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace vk {

/// One of Vulkan's structures that say what they are, with nothing else in it.
template <typename Structure>
Structure described(VkStructureType type) {
  Structure made = {};
  made.sType = type;
  return made;
}

/// Logs what failed, and why; Ok where nothing did.
runtime::Error check(VkResult result, const char* what);

}  // namespace vk
}  // namespace backends
}  // namespace executorch
