"""From storages and an algorithm to places in the specs."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule, Node
from torch.nn import Module

from executorch.dialects import meta_keys
from executorch.dialects.execution import flatten_specs, is_delegate_call
from executorch.dialects.tensor_spec import DeviceType, TensorSpec, calculate_aligned_num_bytes
from executorch.memory_planning.lower_bound import lower_bound
from executorch.memory_planning.plan import MemoryAlgoResult
from executorch.memory_planning.storage_bases import owner_of
from executorch.memory_planning.suite import store
from executorch.memory_planning.timeline import Storage, build_timeline

_LOG = logging.getLogger(__name__)

BUFFER_DEVICES = "non_const_buffer_device"
"""Key of `GraphModule.meta`: a `MemoryDevice` for each memory that is not the host's; absent without any."""

UNDECLARED_READ_AHEAD = 64
"""Bytes behind its inputs that a delegate may read whose backend does not say: backends load whole vectors."""


@dataclass(frozen=True)
class MemoryDevice:
    """A memory that is not the host's.

    Attributes:
        mem_id: of the memory.
        device: kind of device, as in `TensorSpec`; `device_index` says which of them.
    """

    mem_id: int
    device: int
    device_index: int

    @property
    def buffer_idx(self) -> int:
        """`mem_id`, as the program's schema calls it."""
        return self.mem_id

    @property
    def device_type(self) -> int:
        """`device`, as the program's schema calls it."""
        return self.device


def plan_devices(
    algo: Callable[..., Any],
    storages: Sequence[Storage],
    alignment: int,
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None = None,
    reserved: int = 0,
) -> tuple[list[int], list[MemoryDevice]]:
    """As `plan_storages`, with memories of their own for the values of each device behind those of the host.

    Args:
        reserved: the highest id that the host's memories may use, even if they do not.

    Returns:
        Bytes of each memory, by id, and which of them are not the host's.
    """
    groups: dict[tuple[int, int], list[Storage]] = {}
    for storage in storages:
        groups.setdefault((storage.leader.device, storage.leader.device_index), []).append(storage)
    host = groups.pop((DeviceType.CPU, 0), [])
    if not groups:
        return plan_storages(algo, host, alignment, graph_module, graph_signature), []
    # A method whose values are all a device's has no memory of the host.
    bufsizes = plan_storages(algo, host, alignment, graph_module, graph_signature) if host else [0]
    bufsizes += [0] * (reserved + 1 - len(bufsizes))
    devices = []
    for (device, index), group in sorted(groups.items()):
        sizes = plan_storages(algo, group, alignment, graph_module, graph_signature)
        first = len(bufsizes)
        for spec in {spec for storage in group for spec in storage.specs}:
            if spec.mem_id is not None:
                spec.mem_id += first - 1
        devices += [MemoryDevice(number, device, index) for number in range(first, first + len(sizes) - 1)]
        bufsizes += sizes[1:]
    return bufsizes, devices


def plan_storages(
    algo: Callable[..., Any],
    storages: Sequence[Storage],
    alignment: int,
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None = None,
) -> list[int]:
    """Runs an algorithm and writes the places into the specs; returns the bytes of each memory, by id."""
    for storage in storages:
        for spec in storage.specs:
            spec.mem_obj_id = spec.mem_offset = None
            spec.realign(alignment)
        storage.leader.mem_id = next((spec.mem_id for spec in storage.specs if spec.mem_id is not None), None)
    # A dictionary's keys are a set that keeps the order of the graph, so that plans are reproducible.
    leaders: dict[TensorSpec, None] = {storage.leader: None for storage in storages}
    bounds = lower_bound(leaders, alignment)
    result = algo(alignment, leaders.keys(), graph_module, graph_signature, 0)
    if isinstance(result, MemoryAlgoResult):
        store(result)
        result = result.bufsizes
    for storage in storages:
        leader = storage.leader
        for spec in storage.specs[1:]:
            spec.mem_id, spec.mem_obj_id, spec.mem_offset = (
                leader.mem_id,
                leader.mem_obj_id,
                leader.mem_offset,
            )
            if spec.storage_base is not None and leader.mem_offset is not None:
                spec.mem_offset = leader.mem_offset + owner_of(spec)[1]
    _LOG.info(
        "planned %d values in %d bytes; lower bound %d bytes",
        len(storages),
        sum(result),
        sum(bounds.values()),
    )
    planned = {spec for storage in storages for spec in storage.specs}
    return with_read_ahead(list(result), planned, graph_module, alignment)


def declared_read_ahead(graph_module: Module, call: Node) -> int | None:
    """Bytes behind its inputs that the delegate of a call may read; None where its backend does not declare it."""
    lowered = operator.attrgetter(str(call.args[0].target))(graph_module)  # type: ignore[union-attr]
    return getattr(lowered, "meta", {}).get(meta_keys.READ_AHEAD)


def _read_behind(graph_module: GraphModule) -> Iterator[tuple[TensorSpec, int]]:
    """The inputs of delegates, and how many bytes behind each its delegate may read."""
    for module in graph_module.modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            if not is_delegate_call(node):
                continue
            declared = declared_read_ahead(module, node)
            behind = UNDECLARED_READ_AHEAD if declared is None else declared
            for argument in node.all_input_nodes:
                for spec in flatten_specs(argument.meta.get(meta_keys.SPEC)):
                    yield spec.root, behind


def with_read_ahead(
    bufsizes: list[int], planned: Set[TensorSpec], graph_module: GraphModule, alignment: int
) -> list[int]:
    """Lengthens the memories that end with an input of a delegate."""
    for spec, behind in _read_behind(graph_module):
        if spec not in planned or spec.mem_id is None or spec.mem_offset is None:
            continue
        if spec.nbytes():
            end = spec.mem_offset + spec.nbytes() + behind
            size = calculate_aligned_num_bytes(end, alignment)
            bufsizes[spec.mem_id] = max(bufsizes[spec.mem_id], size)
    return bufsizes


def largest_read_ahead(graph_module: GraphModule) -> int:
    """Bytes that some delegate may read behind one of its inputs; 0 without delegates."""
    return max((behind for _, behind in _read_behind(graph_module)), default=0)


def forget_places(storages: Iterable[Storage]) -> None:
    """Removes what an earlier plan with other flags, or a user, wrote into values that get no place."""
    for storage in storages:
        for spec in storage.specs:
            spec.mem_id = spec.mem_obj_id = spec.mem_offset = None


def apply_algo(
    algo: Callable[..., Any],
    graph_module: GraphModule,
    alignment: int,
    graph_signature: ExportGraphSignature | None = None,
    alloc_graph_input: bool = True,
    alloc_graph_output: bool = True,
    alloc_mutable_buffers: bool = True,
    enable_non_cpu_memory_planning: bool = False,
) -> list[int]:
    """Plans a method and the bodies of its control flow together, without proving the plan.

    Args:
        algo: as described in `algorithms.py`, or a `MemoryPlanningAlgorithmSuite`.
        alignment: of every offset, in bytes.
        alloc_graph_input, alloc_graph_output, alloc_mutable_buffers: what gets a place besides intermediate values.
        enable_non_cpu_memory_planning: values of devices get memories of their own, behind those of the host.

    Returns:
        Bytes of each memory, by id; entry 0 is reserved.
    """
    timeline = build_timeline(graph_module, graph_signature)
    storages = list(timeline.planned(alloc_graph_input, alloc_graph_output, alloc_mutable_buffers))
    forget_places(set(timeline.storages).difference(storages))
    graph_module.meta.pop(BUFFER_DEVICES, None)
    if enable_non_cpu_memory_planning:
        bufsizes, devices = plan_devices(algo, storages, alignment, graph_module, graph_signature)
        if devices:
            graph_module.meta[BUFFER_DEVICES] = devices
        return bufsizes
    return plan_storages(algo, storages, alignment, graph_module, graph_signature)
