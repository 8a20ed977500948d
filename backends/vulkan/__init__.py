"""The Vulkan backend, ahead of time: :class:`VulkanPartitioner` chooses, :class:`VulkanBackend` compiles."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.vulkan.vulkan_preprocess import VulkanBackend

__all__ = ["VulkanBackend", "VulkanPartitioner"]
