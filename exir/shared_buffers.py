"""Buffers and parameters that one method changes and others only read, when methods share their mutable buffers.

For a method that only reads one it is a constant, which would be folded away or stored once more in the program.
The method is therefore told that it changes it too, namely into itself, which costs nothing at run time.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    OutputSpec,
    TensorArgument,
)

from executorch.exir.capture._config import ExecutorchBackendConfig
from executorch.ir.clone import clone_program, replace_parts
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import MUTATION_KINDS, mutated_state


def _changed_state(program: ExportedProgram) -> set[str]:
    return {one.target for one in mutated_state(program.graph_signature).values()}


def with_shared_buffers(
    programs: Mapping[str, ExportedProgram], config: ExecutorchBackendConfig
) -> dict[str, ExportedProgram]:
    """The programs, those that read a shared buffer replaced by ones that declare it as changed.

    Methods share buffers if their `memory_planning_pass` has `share_mutable_buffers` set.
    """
    setting = config.memory_planning_pass
    planners = {name: setting.get(name) if isinstance(setting, dict) else setting for name in programs}
    sharing = [name for name, planner in planners.items() if getattr(planner, "share_mutable_buffers", False)]
    changed = {target for name in sharing for target in _changed_state(programs[name])}
    result = dict(programs)
    for name in sharing:
        result[name] = _declare(programs[name], changed)
    return result


def _declare(program: ExportedProgram, changed: set[str]) -> ExportedProgram:
    own = _changed_state(program)
    read_only = {
        spec.arg.name: spec
        for spec in program.graph_signature.input_specs
        if spec.kind in MUTATION_KINDS and spec.target in changed - own
    }
    if not read_only:
        return program
    program = clone_program(program)
    read = [node for node in program.graph.find_nodes(op="placeholder") if node.name in read_only]
    program.graph.output_node().args = ((*read, *output_arguments(program.graph)),)
    program.graph_module.recompile()
    signature = program.graph_signature
    specs = [
        OutputSpec(MUTATION_KINDS[spec.kind], TensorArgument(node.name), spec.target)
        for node, spec in ((node, read_only[node.name]) for node in read)
    ]
    return replace_parts(
        program, signature=ExportGraphSignature(signature.input_specs, specs + signature.output_specs)
    )
