"""Chooses what the Vulkan delegate runs."""
