"""What the inputs of a program stand for: one answer each, for all libraries.

What a program writes or trains by itself is in :mod:`executorch.ir.mutations`.
"""

from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    CustomObjArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
)
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import variable_placeholders

#: Inputs with a tensor behind them, in the order in which their placeholders stand.
STATE_KINDS: Final = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def sync_signature(program: ExportedProgram) -> None:
    """Writes the current names of placeholders and outputs into the signature (in place).

    Raises:
        ValueError: the graph has another number of inputs or outputs than the signature.
    """
    signature = program.graph_signature
    placeholders = program.graph.find_nodes(op="placeholder")
    outputs = output_arguments(program.graph)
    if len(placeholders) != len(signature.input_specs) or len(outputs) != len(signature.output_specs):
        raise ValueError(
            f"the graph has {len(placeholders)} inputs and {len(outputs)} outputs, its signature "
            f"{len(signature.input_specs)} and {len(signature.output_specs)}"
        )
    for node, spec in zip(placeholders, signature.input_specs, strict=True):
        _name_argument(spec.arg, node)
    for value, spec in zip(outputs, signature.output_specs, strict=True):
        _name_argument(spec.arg, value)


def _name_argument(argument: Any, value: Any) -> None:
    if isinstance(value, Node) and not isinstance(argument, (ConstantArgument, CustomObjArgument)):
        argument.name = value.name


def input_specs(signature: ExportGraphSignature) -> dict[str, InputSpec]:
    """Placeholder name -> its entry in the signature."""
    return {spec.arg.name: spec for spec in signature.input_specs if hasattr(spec.arg, "name")}


def state_inputs(signature: ExportGraphSignature) -> dict[str, InputSpec]:
    """Placeholder name -> its entry, for parameters, buffers and lifted tensor constants."""
    return {name: spec for name, spec in input_specs(signature).items() if spec.kind in STATE_KINDS}


def state_value(program: ExportedProgram, spec: InputSpec) -> Any:
    """The tensor behind a parameter, buffer or constant entry of the signature; None for user inputs."""
    if spec.target is None or spec.kind in (InputKind.USER_INPUT, InputKind.TOKEN):
        return None
    if spec.target in program.state_dict:
        return program.state_dict[spec.target]
    return program.constants.get(spec.target)


def constant_values(program: ExportedProgram) -> dict[Node, torch.Tensor]:
    """Placeholders whose value is known ahead of time and belongs into the program, with that value.

    Parameters and buffers that nobody writes or trains, and lifted constants; not those marked for an external file,
    whose bytes may be exchanged later.
    """
    written = variable_placeholders(program)
    found: dict[Node, torch.Tensor] = {}
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs, strict=True):
        value = state_value(program, spec)
        if (
            isinstance(value, torch.Tensor)
            and node not in written
            and meta_keys.CONSTANT_TAG not in node.meta
        ):
            found[node] = value.detach()
    return found
