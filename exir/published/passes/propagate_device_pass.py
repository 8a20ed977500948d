"""Specs with a device; the pass is in :mod:`executorch.passes.to_execution.propagate_device_pass`."""

from executorch.dialects.tensor_spec import TensorSpec


def _clone_spec_with_device(spec: TensorSpec, device_type: int, device_index: int = 0) -> TensorSpec:
    return spec.on_device(device_type, device_index)


def _set_device_on_spec(spec: TensorSpec, device_type: int, device_index: int = 0) -> None:
    spec.device, spec.device_index = device_type, device_index
