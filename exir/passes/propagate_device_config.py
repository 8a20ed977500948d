"""Documented path of :class:`executorch.exir.capture._config.PropagateDeviceConfig`."""

from executorch.exir.capture._config import PropagateDeviceConfig

__all__ = [
    "PropagateDeviceConfig",
]
