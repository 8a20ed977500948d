"""The pass: gives every value of a method that lives in memory a place in one of a few arenas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch.export.graph_signature import ExportGraphSignature, InputKind
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from executorch.dialects import meta_keys
from executorch.dialects.execution import is_alloc, out_arguments
from executorch.dialects.tensor_spec import ALIGNMENT, calculate_aligned_num_bytes
from executorch.memory_planning.apply import (
    BUFFER_DEVICES,
    forget_places,
    largest_read_ahead,
    plan_devices,
    plan_storages,
    with_read_ahead,
)
from executorch.memory_planning.arena_functions import ARENA_FUNCTIONS, lay_out
from executorch.memory_planning.checker import check_plan
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.plan import DEFAULT_MEM_ID
from executorch.memory_planning.suite import MemoryPlanningAlgorithmSuite, algorithm_named
from executorch.memory_planning.timeline import Role, Storage, build_timeline

BUFFER_SIZES = "non_const_buffer_sizes"
"""Key of `GraphModule.meta`: bytes of each memory by id, entry 0 reserved; what the emitter writes."""

SHARED_BUFFER_MEM_ID = 2
"""Memory that holds the mutable buffers which methods share."""


@dataclass
class _SharedBuffers:
    """What `run_multimethod` needs to know about one method."""

    graph_module: GraphModule
    storages: dict[str, Storage] = field(default_factory=dict)


class MemoryPlanningPass(PassBase):
    """Writes `mem_id` and `mem_offset` into the specs and the sizes of the memories into the graph's `meta`.

    To place values by hand, derive a class, set `node.meta["spec"].mem_id` in `run` (1-based) and call
    `super().run(graph_module, graph_signature)`: the values stay in the memories that they were given to.

    Args:
        memory_planning_algo: one algorithm, the name of one (`"greedy"`, `"naive"`, `"best_of_packings"`, `"exact"`)
            or a `MemoryPlanningAlgorithmSuite`; the default suite otherwise.
        allow_lifetime_and_storage_overlap: accept plans in which live values overlap.
        alloc_graph_input: plan the inputs. If not, the caller supplies their memory before running.
        alloc_graph_output: plan the outputs. If not, the caller supplies their memory before running.
        alloc_mutable_buffers: plan the buffers that the method changes.
        share_mutable_buffers: put buffers of the same name in several methods into the same place, in memory 2;
            call `run_multimethod` after `run` has seen all methods.
        alignment: of every offset, in bytes; a power of two.
        arenas_by_size: also write where each value of memory 1 lies as a function of the inputs' sizes, so that a runtime
            which is given no memory for it takes what the actual sizes need, not what the largest ones would. Programs
            whose sizes never vary are the same with and without, and runtimes that do not know it skip it.

    Attributes:
        enable_non_cpu_memory_planning: give the values of devices memories of their own; `to_executorch` sets it as its
            configuration says.
    """

    enable_non_cpu_memory_planning: bool = True

    def __init__(
        self,
        memory_planning_algo: Callable[..., Any] | str | None = None,
        allow_lifetime_and_storage_overlap: bool = False,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
        alloc_mutable_buffers: bool = True,
        share_mutable_buffers: bool = False,
        alignment: int = ALIGNMENT,
        *,
        arenas_by_size: bool = False,
    ) -> None:
        if share_mutable_buffers and not alloc_mutable_buffers:
            raise ValueError(
                "share_mutable_buffers places mutable buffers, so it needs alloc_mutable_buffers=True"
            )
        calculate_aligned_num_bytes(0, alignment)
        if isinstance(memory_planning_algo, str):
            algorithm: Callable[..., Any] = algorithm_named(memory_planning_algo)
        else:
            algorithm = memory_planning_algo or MemoryPlanningAlgorithmSuite()
        self.memory_planning_algo = algorithm
        self.allow_lifetime_and_storage_overlap = allow_lifetime_and_storage_overlap
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self.alloc_mutable_buffers = alloc_mutable_buffers
        self.share_mutable_buffers = share_mutable_buffers
        self.alignment = alignment
        self.arenas_by_size = arenas_by_size
        self._methods: list[_SharedBuffers] = []

    def __call__(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
    ) -> PassResult:
        """As `run`."""
        return self.run(graph_module, graph_signature)

    def call(self, graph_module: GraphModule) -> PassResult:
        """As `run`, for a graph without mutable buffers."""
        return self.run(graph_module)

    def run(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
    ) -> PassResult:
        """Plans one method.

        Args:
            graph_module: in execution form, with a `TensorSpec` on every tensor value.
            graph_signature: names the mutable buffers among the inputs.

        Raises:
            MemoryPlanningError: the graph has no execution form, or the algorithm's plan is wrong.
        """
        self._set_alloc_node_spec(graph_module)
        timeline = build_timeline(graph_module, graph_signature)
        storages = list(
            timeline.planned(self.alloc_graph_input, self.alloc_graph_output, self.alloc_mutable_buffers)
        )
        forget_places(set(timeline.storages).difference(storages))
        shared = []
        if self.share_mutable_buffers:
            shared = [storage for storage in storages if storage.role is Role.MUTABLE_BUFFER]
            storages = [storage for storage in storages if storage.role is not Role.MUTABLE_BUFFER]
            self._methods.append(_SharedBuffers(graph_module, _by_name(shared, graph_signature)))
        problem = (self.memory_planning_algo, storages, self.alignment, graph_module, graph_signature)
        if self.enable_non_cpu_memory_planning:
            reserved = SHARED_BUFFER_MEM_ID if self.share_mutable_buffers else 0
            bufsizes, devices = plan_devices(*problem, reserved)
        else:
            bufsizes, devices = plan_storages(*problem), []
        graph_module.meta.pop(ARENA_FUNCTIONS, None)
        if self.arenas_by_size:
            self._lay_out_by_size(storages, bufsizes, graph_module, graph_signature)
        check_plan(storages, bufsizes, self.alignment, self.allow_lifetime_and_storage_overlap)
        graph_module.meta[BUFFER_SIZES] = bufsizes
        graph_module.meta.pop(BUFFER_DEVICES, None)
        if devices:
            graph_module.meta[BUFFER_DEVICES] = devices
        return PassResult(graph_module, True)

    def _lay_out_by_size(
        self,
        storages: list[Storage],
        bufsizes: list[int],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None,
    ) -> None:
        found = lay_out(storages, graph_module, graph_signature, self.alignment)
        if found is None:
            return
        functions, bufsizes[DEFAULT_MEM_ID] = found
        functions.slack = largest_read_ahead(graph_module)
        planned = {spec for storage in storages for spec in storage.specs}
        with_read_ahead(bufsizes, planned, graph_module, self.alignment)
        graph_module.meta[ARENA_FUNCTIONS] = functions

    def run_multimethod(self) -> None:
        """Places the mutable buffers that methods share; does nothing without `share_mutable_buffers`.

        Raises:
            MemoryPlanningError: two methods disagree about a buffer's size, or use memory 2 for other values.
        """
        methods = self._methods
        self.forget_methods()
        offsets: dict[str, int] = {}
        sizes: dict[str, int] = {}
        end = 0
        for method in methods:
            for name, storage in method.storages.items():
                size = storage.leader.nbytes()
                if sizes.setdefault(name, size) != size:
                    raise MemoryPlanningError(
                        f"mutable buffer {name!r} has {size} bytes in one method and {sizes[name]} in another"
                    )
                if name not in offsets:
                    offsets[name] = end
                    end += calculate_aligned_num_bytes(size, self.alignment)
        for method in methods:
            self._place_shared(method, offsets, end)

    def forget_methods(self) -> None:
        """Ends a lowering without `run_multimethod`, because it failed: what `run` has seen is not part of the next."""
        self._methods = []

    def _place_shared(self, method: _SharedBuffers, offsets: dict[str, int], end: int) -> None:
        bufsizes = list(method.graph_module.meta[BUFFER_SIZES])
        if not method.storages:
            return
        bufsizes += [0] * (SHARED_BUFFER_MEM_ID + 1 - len(bufsizes))
        if bufsizes[SHARED_BUFFER_MEM_ID]:
            raise MemoryPlanningError(
                f"memory {SHARED_BUFFER_MEM_ID} is reserved for shared mutable buffers, but the plan uses it. "
                "Way out: give the values another mem_id."
            )
        bufsizes[SHARED_BUFFER_MEM_ID] = end
        for name, storage in method.storages.items():
            for number, spec in enumerate(storage.specs):
                spec.mem_id, spec.mem_obj_id, spec.mem_offset = SHARED_BUFFER_MEM_ID, number, offsets[name]
        check_plan(method.storages.values(), bufsizes, self.alignment)
        method.graph_module.meta[BUFFER_SIZES] = bufsizes

    def _set_alloc_node_spec(self, graph_module: GraphModule) -> None:
        """Gives the allocation nodes the specs of the operators that write them, also where a user replaced one."""
        for module in graph_module.modules():
            if not isinstance(module, GraphModule):
                continue
            for node in module.graph.nodes:
                outs = out_arguments(node) if node.op == "call_function" else []
                spec = node.meta.get(meta_keys.SPEC)
                specs = spec if isinstance(spec, (tuple, list)) and len(outs) > 1 else [spec]
                for out, out_spec in zip(outs, specs, strict=False):
                    if is_alloc(out) and out_spec is not None:
                        out.meta[meta_keys.SPEC] = out_spec


def _by_name(storages: list[Storage], graph_signature: ExportGraphSignature | None) -> dict[str, Storage]:
    assert graph_signature is not None, "mutable buffers are only known through the signature"
    names = {
        spec.arg.name: str(spec.target)
        for spec in graph_signature.input_specs
        if spec.kind in (InputKind.BUFFER, InputKind.PARAMETER) and hasattr(spec.arg, "name")
    }
    return {names[storage.node.name]: storage for storage in storages if storage.node is not None}
