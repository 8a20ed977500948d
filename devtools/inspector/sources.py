"""From debug handles to the nodes of the edge program, and to the values that they compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils._pytree import tree_leaves

from executorch.devtools.inspector._events import Event
from executorch.devtools.inspector._intermediate_output_capturer import IntermediateOutputCapturer
from executorch.devtools.inspector.debug_handles import handles_of


def nodes_by_handle(program: ExportedProgram) -> dict[int, list[torch.fx.Node]]:
    """Debug handle to the operators that have it, submodules of control flow included."""
    found: dict[int, list[torch.fx.Node]] = {}
    for module in program.graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if node.op == "call_function":
                for handle in handles_of(node.meta.get("debug_handle")):
                    found.setdefault(handle, []).append(node)
    return found


def attach_sources(event: Event, nodes: dict[int, list[torch.fx.Node]]) -> None:
    """Fills what an event knows of the model's source."""
    for handle in handles_of(event.debug_handles):
        for node in nodes.get(handle, ()):
            name = str(node.target)
            event.op_types.append(name)
            if node.meta.get("stack_trace"):
                event.stack_traces[node.name] = node.meta["stack_trace"]
            if node.meta.get("nn_module_stack"):
                event.module_hierarchy[node.name] = dict(node.meta["nn_module_stack"])


def is_in_module(event: Event, module_name: str) -> bool:
    """Whether an event comes from a module: its path (``layers.0``), or torch's name (``L__self___layers_0``)."""
    for hierarchy in event.module_hierarchy.values():
        for key, entry in hierarchy.items():
            path = entry[0] if isinstance(entry, (list, tuple)) else ""
            if module_name in (key, path) or (path and module_name == _generated_name(path)):
                return True
    return False


def _generated_name(path: str) -> str:
    return "L__self___" + path.replace(".", "_")


def reference_values(program: ExportedProgram, inputs: Sequence[Any]) -> dict[tuple[int, ...], Any]:
    """Debug handles to what the operator gives for these inputs, in the order of execution.

    Args:
        program: An edge program.
        inputs: One input for each that the user gives, or a list of tuples of them, of which the first is taken.

    Raises:
        ValueError: The program takes another number of inputs.
    """
    capturer = IntermediateOutputCapturer(program.graph_module)
    return capturer.run_and_capture(*_all_inputs(program, iter(_flat_inputs(program, inputs))))


def _flat_inputs(program: ExportedProgram, inputs: Sequence[Any]) -> list[Any]:
    expected = sum(spec.target is None for spec in program.graph_signature.input_specs)
    flat = tree_leaves(list(inputs))
    if len(flat) != expected and isinstance(inputs[0] if inputs else None, (list, tuple)):
        flat = tree_leaves(inputs[0])
    if len(flat) != expected:
        raise ValueError(
            f"the model takes {expected} inputs, the ETRecord has {len(flat)}\nWay out: "
            "update_representative_inputs((x, y)) with a value for each input, before the record is saved"
        )
    return flat


def _all_inputs(program: ExportedProgram, users: Iterator[Any]) -> list[Any]:
    """Weights, buffers and constants where the graph expects them, and the user's inputs between."""
    signature = program.graph_signature
    values: list[Any] = []
    for spec in signature.input_specs:
        if spec.target is None:
            values.append(next(users))
        elif spec.target in program.state_dict:
            values.append(program.state_dict[spec.target])
        else:
            values.append(program.constants[spec.target])
    # A run may change buffers in place.
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in values]


__all__ = ["attach_sources", "is_in_module", "nodes_by_handle", "reference_values"]
