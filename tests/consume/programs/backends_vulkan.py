"""Chooses what Vulkan runs."""

import torch

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

exported = torch.export.export(torch.nn.ReLU(), (torch.randn(2, 3),))
result = VulkanPartitioner({"force_fp16": True}).partition(exported)
assert list(result.partition_tags) == ["vulkan_0"]
