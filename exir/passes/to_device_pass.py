"""Documented path of :mod:`executorch.passes.on_request.to_device_pass`."""

from executorch.passes.on_request.to_device_pass import ToDevicePass

__all__ = ["ToDevicePass"]
