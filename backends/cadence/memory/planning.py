"""Plans of memory for processors with several memories, which save the copies that only join or take parts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.cadence.compile_mode import CompileMode
from executorch.backends.cadence.memory.algorithm import (
    GreedyWithHeuristic,
    MemoryPlanningAlgo,
    PositionBasedGreedyWithHierarchy,
)
from executorch.backends.cadence.memory.config import MemoryConfig
from executorch.backends.cadence.memory.constraints import ConstraintsGenPass, MemConstraints
from executorch.backends.cadence.memory.parts import GenerateMemConstraints
from executorch.dialects.tensor_spec import TensorSpec, calculate_aligned_num_bytes
from executorch.memory_planning.collect import collect_specs_from_nodes
from executorch.memory_planning.memory_planning_pass import MemoryPlanningPass
from executorch.memory_planning.timeline import build_timeline, update_all_tensors_lifetime

_LOG = logging.getLogger(__name__)
_ALGORITHMS: tuple[type[MemoryPlanningAlgo], ...] = (PositionBasedGreedyWithHierarchy, GreedyWithHeuristic)


class CadenceMemoryPlanning:
    """A memory planning pass for ``ExecutorchBackendConfig``.

    Slices, selections and concatenations along the first dimension become operators that copy nothing where the plan can lay
    the parts into the whole, at multiples of 8 bytes. The plan is proved as every other.

    Args:
        memory_config: the memories, fastest first; values go into the first that has room.
        mode: nothing becomes a part of anything in ``MINIMAL``.
        mem_algo: 0 places large values first, 1 those that live long.
        alloc_graph_input, alloc_graph_output: whether inputs and outputs are planned.
        additional_constraint_gen_passes: each is called with the constraints and gives a pass over the graph, in whose nodes'
            ``meta["spec"]`` values are named.
    """

    def __init__(
        self,
        memory_config: MemoryConfig,
        mode: CompileMode = CompileMode.DEFAULT,
        mem_algo: int = 0,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
        additional_constraint_gen_passes: Sequence[ConstraintsGenPass] | None = None,
    ) -> None:
        self.memory_config = memory_config
        self.mode = mode
        self.algorithm = _ALGORITHMS[mem_algo]
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self.additional_constraint_gen_passes = list(additional_constraint_gen_passes or ())

    def run(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
    ) -> PassResult:
        """Plans one method.

        Raises:
            MemoryPlanningError: a value fits into no memory that it may be in.
        """
        flags = self.alloc_graph_input, self.alloc_graph_output
        algorithm = self.algorithm(self.memory_config, self.mode, *flags)
        # The caller's constraints may ask when values live.
        build_timeline(graph_module, graph_signature)
        if self.mode is CompileMode.MINIMAL:
            for make in self.additional_constraint_gen_passes:
                make(algorithm.constraints)(graph_module)
        else:
            additional = self.additional_constraint_gen_passes
            GenerateMemConstraints(algorithm.constraints, additional, graph_signature)(graph_module)
        algorithm.constraints.bind()
        # The algorithm knows the alignments; they need not be powers of two.
        planning = MemoryPlanningPass(
            algorithm, alloc_graph_input=flags[0], alloc_graph_output=flags[1], alignment=1
        )
        return planning.run(graph_module, graph_signature)

    def __call__(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
    ) -> PassResult:
        """As ``run``."""
        return self.run(graph_module, graph_signature)


def _specs(
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None,
    alloc_graph_input: bool,
    alloc_graph_output: bool,
) -> list[TensorSpec]:
    update_all_tensors_lifetime(graph_module, graph_signature)
    return list(
        collect_specs_from_nodes(
            graph_module.graph.nodes,
            graph_signature,
            ignore_graph_input=not alloc_graph_input,
            ignore_graph_output=not alloc_graph_output,
            do_assertion=False,
            ignore_out_var_node=False,
        )
    )


def find_peak_memory_usages_per_memory(
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None,
    alloc_graph_input: bool,
    alloc_graph_output: bool,
    mem_constraints: MemConstraints | None = None,
) -> list[int]:
    """Bytes of each memory that a plan uses, by id; entry 0 is reserved. Values without a place do not count."""
    used = [0]
    for spec in _specs(graph_module, graph_signature, alloc_graph_input, alloc_graph_output):
        if spec.mem_id is None or spec.mem_offset is None:
            continue
        used += [0] * (spec.mem_id + 1 - len(used))
        used[spec.mem_id] = max(used[spec.mem_id], spec.mem_offset + spec.nbytes())
    return used


def find_peak_memory_usage(
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None,
    alloc_graph_input: bool,
    alloc_graph_output: bool,
    mem_constraints: MemConstraints | None = None,
) -> tuple[int, int]:
    """The most bytes that are live at once, each value rounded up to 16, and in which step.

    What lies within another value does not count.
    """
    specs = [
        spec
        for spec in _specs(graph_module, graph_signature, alloc_graph_input, alloc_graph_output)
        if spec.storage_base is None and not (mem_constraints and mem_constraints.skipped_spec(spec))
    ]
    changes: dict[int, int] = {}
    for spec in specs:
        first, last = spec.lifetime
        if first is None or last is None:
            continue
        size = calculate_aligned_num_bytes(spec.nbytes())
        changes[first] = changes.get(first, 0) + size
        changes[last + 1] = changes.get(last + 1, 0) - size
    live, peak, step = 0, 0, 0
    for place in sorted(changes):
        live += changes[place]
        if live > peak:
            peak, step = live, place
    return peak, step


def print_memory_planning_info(
    executorch_prog: Any,
    memory_config: MemoryConfig,
    mode: CompileMode,
    alloc_graph_input: bool,
    alloc_graph_output: bool,
    log_level: int = logging.INFO,
) -> None:
    """Logs what the plan of a lowered program uses of each memory, and how many bytes are live at once at most."""
    program = executorch_prog.exported_program()
    given = program.graph_module, program.graph_signature, alloc_graph_input, alloc_graph_output
    used = find_peak_memory_usages_per_memory(*given)
    for mem_id in range(1, memory_config.get_num_memories()):
        names = memory_config.memory_names
        name = names[mem_id - 1] if names else f"memory {mem_id}"
        size = used[mem_id] if mem_id < len(used) else 0
        _LOG.log(log_level, "%s: %d of %d bytes", name, size, memory_config.get_size(mem_id))
    peak, step = find_peak_memory_usage(*given)
    _LOG.log(log_level, "%d bytes are live in step %d, in mode %s", peak, step, mode.value)


__all__ = [
    "CadenceMemoryPlanning",
    "find_peak_memory_usage",
    "find_peak_memory_usages_per_memory",
    "print_memory_planning_info",
]
