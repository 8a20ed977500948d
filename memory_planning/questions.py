"""Smaller questions about plans and their parts, for code that plans memory by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.execution import is_delegate_call, is_in_place, is_out_variant, tensor_specs
from executorch.dialects.tensor_spec import DeviceType, TensorSpec
from executorch.memory_planning.algorithms import SharedObject
from executorch.memory_planning.apply import MemoryDevice, declared_read_ahead
from executorch.memory_planning.collect import mutable_buffer_specs as mutable_buffer_specs
from executorch.memory_planning.plan import MemoryAlgoResult, SpecAllocResult
from executorch.memory_planning.storage_bases import owner_of


def callable_name(any_callable: Callable[..., Any]) -> str:
    """The name of a function, of the one behind a ``functools.partial``, or of an object's class."""
    name = getattr(any_callable, "__name__", None)
    if name is None and hasattr(any_callable, "func"):
        return callable_name(any_callable.func)
    return str(name or type(any_callable).__name__)


def does_not_overlap(sobj: SharedObject, spec: TensorSpec) -> bool:
    """True if no value of a location is live together with `spec`."""
    return sobj.is_free(spec)


def max_overlapping_offset(sobj: SharedObject, spec: TensorSpec) -> int:
    """Where the last value of a location ends that is live together with `spec`, in bytes; 0 if there is none."""
    return sobj.live_end(spec, spec.alignment)


def reads_behind_inputs(graph_module: GraphModule) -> bool:
    """True if a delegate of the graph is one whose backend declares that it reads behind its inputs."""
    return any(
        declared_read_ahead(graph_module, node) for node in graph_module.graph.nodes if is_delegate_call(node)
    )


def merged_sizes(bufsizes: Sequence[int], new_bufsizes: Sequence[int]) -> list[int]:
    """Bytes of each memory, by id, that are enough for two plans of which one is used at a time."""
    longer, shorter = sorted((list(bufsizes), list(new_bufsizes)), key=len, reverse=True)
    return [max(pair) for pair in zip(longer, shorter, strict=False)] + longer[len(shorter) :]


def partition_by_device(
    all_specs: Iterable[TensorSpec], enable_non_cpu_memory_planning: bool
) -> dict[tuple[DeviceType, int], list[TensorSpec]]:
    """The specs by kind and index of their device; all as the host's where devices have no memories of their own."""
    groups: dict[tuple[DeviceType, int], list[TensorSpec]] = {}
    for spec in all_specs:
        on_host = not enable_non_cpu_memory_planning
        key = (DeviceType.CPU, 0) if on_host else (DeviceType(spec.device), spec.device_index)
        groups.setdefault(key, []).append(spec)
    return groups


def memory_devices(buffer_devices: Sequence[tuple[Any, int]]) -> list[MemoryDevice] | None:
    """Which memories are not the host's; None if all are.

    Args:
        buffer_devices: kind and index of the device of each memory, by id; entry 0 is reserved.
    """
    found = [
        MemoryDevice(number, device, index)
        for number, (device, index) in enumerate(buffer_devices)
        if number and int(device) != DeviceType.CPU
    ]
    return found or None


def alias_in_place_result(node: Node) -> None:
    """Lets the result of an in-place operator lie in the bytes of the argument that the operator writes."""
    if node.op != "call_function" or not is_in_place(node) or is_out_variant(node.target):
        return  # an out variant that writes an argument besides returns its out argument
    schema = aten_op(node.target)._schema  # type: ignore[union-attr]
    written = next(
        (
            argument
            for argument, kind in zip(node.args, schema.arguments, strict=False)
            if kind.alias_info is not None and kind.alias_info.is_write
        ),
        None,
    )
    base = written.meta.get(meta_keys.SPEC) if isinstance(written, Node) else None
    for spec in tensor_specs(node)[:1]:
        if isinstance(base, TensorSpec) and spec.root is not base.root:
            spec.inplace_base = base


def place_in_bases(
    deferred_storage_base: Iterable[TensorSpec],
    spec2obj: dict[TensorSpec, SharedObject],
    greedy_result: MemoryAlgoResult,
) -> None:
    """Adds values that lie in the bytes of others to a plan that has those (in place).

    Args:
        deferred_storage_base: specs with a `storage_base`.
        spec2obj: the location of each spec of the plan; gets those of the new ones.
        greedy_result: the plan.
    """
    for spec in deferred_storage_base:
        owner, offset = owner_of(spec)
        place = greedy_result.spec_dict[owner]
        greedy_result.spec_dict[spec] = SpecAllocResult(
            place.mem_id, place.mem_obj_id, place.mem_offset + offset
        )
        if owner in spec2obj:
            spec2obj[spec] = spec2obj[owner]
