"""Documented path of :mod:`executorch.passes.to_device_pass`."""

from executorch.passes.to_device_pass import ToDevicePass

__all__ = ["ToDevicePass"]
