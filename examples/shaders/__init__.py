"""Models on Vulkan, and what each of their shaders takes."""
