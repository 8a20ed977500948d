"""Documented path of :mod:`executorch.passes.to_execution.propagate_device_pass`."""

from executorch.dialects.tensor_spec import TensorSpec
from executorch.exir.capture._config import PropagateDeviceConfig
from executorch.passes.to_execution.propagate_device_pass import (
    TARGET_DEVICE_COMPILE_SPEC_KEY,
    PropagateDevicePass,
)
from executorch.passes.to_execution.propagate_device_pass import (
    device_of as _get_target_device_from_compile_specs,
)
from executorch.passes.to_execution.propagate_device_pass import parse_device as _parse_device_spec_value


def _clone_spec_with_device(spec: TensorSpec, device_type: int, device_index: int = 0) -> TensorSpec:
    return spec.on_device(device_type, device_index)


def _set_device_on_spec(spec: TensorSpec, device_type: int, device_index: int = 0) -> None:
    spec.device, spec.device_index = device_type, device_index


__all__ = [
    "TARGET_DEVICE_COMPILE_SPEC_KEY",
    "PropagateDeviceConfig",
    "PropagateDevicePass",
    "_clone_spec_with_device",
    "_get_target_device_from_compile_specs",
    "_parse_device_spec_value",
    "_set_device_on_spec",
]
