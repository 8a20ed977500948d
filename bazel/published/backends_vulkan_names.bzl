"""The published names of backends/vulkan; README.md says how to read and change this."""

BACKENDS_VULKAN = {
    "backends/vulkan/_passes/__init__": {},
    "backends/vulkan/_passes/fuse_patterns": {"published": "FusePatternsPass"},
    "backends/vulkan/op_registry": {"here": "vulkan_supported_ops"},
    "backends/vulkan/partitioner/vulkan_partitioner": {"here": "VulkanPartitioner parse_compile_options"},
    "backends/vulkan/serialization/vulkan_graph_schema": {
        "executorch.backends.vulkan.serialization.schema": """Bool BoolList Double DoubleList GraphTypes Int IntList Null OperatorCall String SymInt
            ValueList VkBytes VkDataType VkGraph VkMemoryLayout VkStorageType VkTensor VkValue""",
    },
    "backends/vulkan/serialization/vulkan_graph_serialize": {
        "published": "VulkanDelegateHeader convert_to_flatbuffer flatbuffer_to_vk_graph serialize_vulkan_graph",
    },
    "backends/vulkan/utils": {"here": "is_torch_op_node node_io_str"},
    "backends/vulkan/vulkan_preprocess": {"here": "VulkanBackend parse_compile_spec"},
}
