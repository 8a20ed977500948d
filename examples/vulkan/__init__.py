"""Example models on Vulkan, by the documented command ``python -m examples.vulkan.export``."""
