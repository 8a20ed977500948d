"""Keeps the tensors of delegates that run on a device in its memory, and copies where they enter or leave it.

A delegate says where it runs with the compile spec ``target_device``: ``b"cuda"``, or ``b"cuda:1"`` for the second of
several. Everything that no such delegate takes or gives stays in the memory of the host.
"""

import operator
from collections.abc import Callable
from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects import device_copy_ops, meta_keys
from executorch.dialects.errors import ExportErrorType, PassError
from executorch.dialects.execution import flatten_specs, is_delegate_call
from executorch.dialects.tensor_spec import DeviceType, TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassBase, PassResult
from executorch.passes.to_execution.spec_prop_pass import describe_output

TARGET_DEVICE_COMPILE_SPEC_KEY = "target_device"
"""Key of the compile spec with which a delegate says where it runs."""

#: Kind of device, and which of them.
Device = tuple[DeviceType, int]


class DevicePlacementError(PassError, RuntimeError):
    """A value cannot be where a delegate or an option wants it; also a ``RuntimeError``."""


class PropagateDevicePass(PassBase):
    """See the module's description. Works in place on graphs with specs, before out variants.

    Args:
        skip_h2d_for_method_inputs: inputs of the method that a delegate takes are in its device's memory already.
        skip_d2h_for_method_outputs: results of a delegate that the method returns stay in its device's memory.
        enable_non_cpu_memory_planning: plan the devices' memory; otherwise there are no copies, specs only say where
            a delegate expects its values, and whoever runs the program arranges for that.
    """

    def __init__(
        self,
        skip_h2d_for_method_inputs: bool = False,
        skip_d2h_for_method_outputs: bool = False,
        enable_non_cpu_memory_planning: bool = False,
    ) -> None:
        super().__init__()
        self.skip_h2d_for_method_inputs = skip_h2d_for_method_inputs
        self.skip_d2h_for_method_outputs = skip_d2h_for_method_outputs
        self.enable_non_cpu_memory_planning = enable_non_cpu_memory_planning

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_modules(graph_module):
            for node in list(module.graph.nodes):
                device = target_device(module, node) if is_delegate_call(node) else None
                # What runs on the host takes and gives the host's memory: nothing to copy.
                if device is None or device[0] == DeviceType.CPU:
                    continue
                modified = True
                self._place(node, device)
            if modified:
                _drop_round_trips(module)
                describe_output(module)
                module.recompile()
        return PassResult(graph_module, modified)

    def _place(self, call: Node, device: Device) -> None:
        sources = [
            source for source in call.all_input_nodes if flatten_specs(source.meta.get(meta_keys.SPEC))
        ]
        results = flatten_specs(call.meta.get(meta_keys.SPEC))
        if not self.enable_non_cpu_memory_planning:
            for source in sources:
                _set_device(flatten_specs(source.meta[meta_keys.SPEC]), device)
            _set_device(results, device)
            return
        for source in sources:
            self._enter(call, source, device)
        _set_device(results, device)
        for item in [user for user in call.users if user.target is operator.getitem]:
            self._leave(item)

    def _enter(self, call: Node, source: Node, device: Device) -> None:
        if source.op == "placeholder" and self.skip_h2d_for_method_inputs:
            if len(source.users) > 1:
                raise DevicePlacementError(
                    ExportErrorType.NOT_SUPPORTED,
                    f"skip_h2d_for_method_inputs: input {source.name!r} would be in the memory of a device, but has "
                    f"{len(source.users)} users, and not all of them run there: {sorted(map(str, source.users))}\n"
                    "Way out: leave the option off, or pass the delegate an input of its own",
                )
            _set_device(flatten_specs(source.meta[meta_keys.SPEC]), device)
            return
        with call.graph.inserting_before(call):
            copy = _insert_copy(call.graph.call_function, device_copy_ops.HOST_TO_DEVICE, source, device)
        call.replace_input_with(source, copy)

    def _leave(self, item: Node) -> None:
        stays = (
            [user for user in item.users if user.op == "output"] if self.skip_d2h_for_method_outputs else []
        )
        readers = [user for user in item.users if user not in stays]
        if not readers:
            return
        with item.graph.inserting_after(item):
            copy = _insert_copy(
                item.graph.call_function, device_copy_ops.DEVICE_TO_HOST, item, (DeviceType.CPU, 0)
            )
        for user in readers:
            user.replace_input_with(item, copy)


def target_device(graph_module: GraphModule, call: Node) -> "Device | None":
    """Where the delegate of a call runs; None if it does not say.

    Raises:
        ValueError: it names no device that programs know.
    """
    where = call.args[0]
    return device_of(getattr(graph_module, str(where.target), None) if isinstance(where, Node) else None)


def device_of(lowered: Any) -> "Device | None":
    """Where a ``LoweredBackendModule`` runs; None if its compile specs do not say, or there is none.

    Raises:
        ValueError: they name no device that programs know.
    """
    for spec in getattr(lowered, "compile_specs", None) or ():
        if spec.key == TARGET_DEVICE_COMPILE_SPEC_KEY:
            return parse_device(spec.value)
    return None


def parse_device(value: bytes) -> Device:
    """Reads ``b"cuda"`` or ``b"cuda:1"``.

    Raises:
        ValueError: it is neither.
    """
    text = bytes(value).decode("utf-8", "replace").strip().strip("\0")
    kind, _, index = text.partition(":")
    known = {device.name: device for device in DeviceType}
    if kind.upper() not in known:
        raise ValueError(f"Unknown device type {kind!r} in target_device. Valid types: {', '.join(known)}")
    if index and not index.isdecimal():
        raise ValueError(f"target_device {text!r}: the part after the colon must be a number")
    return known[kind.upper()], int(index or 0)


def _set_device(specs: list[TensorSpec], device: Device) -> None:
    for spec in specs:
        spec.device, spec.device_index = device


def _insert_copy(create: "Callable[..., Node]", op: Any, source: Node, device: Device) -> Node:
    copy = create(op, (source,))
    copy.meta = dict(source.meta)
    copy.meta[meta_keys.SPEC] = source.meta[meta_keys.SPEC].on_device(*device)
    return copy


def _drop_round_trips(graph_module: GraphModule) -> None:
    """Lets a delegate read what another one of its device left there."""
    for node in list(graph_module.graph.nodes):
        if node.target is not device_copy_ops.HOST_TO_DEVICE:
            continue
        back = node.args[0]
        if back.target is not device_copy_ops.DEVICE_TO_HOST:
            continue
        there, here = back.args[0].meta[meta_keys.SPEC], node.meta[meta_keys.SPEC]
        if (there.device, there.device_index) == (here.device, here.device_index):
            node.replace_all_uses_with(back.args[0], propagate_meta=False)
            graph_module.graph.erase_node(node)
            if not back.users:
                graph_module.graph.erase_node(back)


__all__ = [
    "TARGET_DEVICE_COMPILE_SPEC_KEY",
    "DevicePlacementError",
    "PropagateDevicePass",
    "device_of",
    "parse_device",
    "target_device",
]
