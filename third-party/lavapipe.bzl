"""Mesa's driver that runs Vulkan on the processor, with the loader and Khronos' validation layer: what tests of Vulkan need.

A test has `data = [LAVAPIPE]` and `env = LAVAPIPE_ENV`. Paths are relative to where tests start.
"""

#: One tree of everything.
LAVAPIPE = "//third-party:lavapipe"

_TREE = "$(rootpath {})/usr/".format(LAVAPIPE)

#: A process with these variables finds that driver and no other. backends/vk/gpu.h and backends/vulkan/runtime/vk/context.h have the first and the last one.
LAVAPIPE_ENV = {
    "EXECUTORCH_VULKAN_VALIDATION": "1",
    "LD_LIBRARY_PATH": _TREE + "lib/x86_64-linux-gnu",
    "VK_ICD_FILENAMES": _TREE + "share/vulkan/icd.d/lavapipe.json",
    "VK_LAYER_PATH": _TREE + "share/vulkan/explicit_layer.d",
}
