"""Documented path of :mod:`executorch.dialects.device_copy_ops`: importing it registers the operators."""

from executorch.dialects.device_copy_ops import DEVICE_TO_HOST, HOST_TO_DEVICE, LIBRARY

__all__ = [
    "DEVICE_TO_HOST",
    "HOST_TO_DEVICE",
    "LIBRARY",
]
