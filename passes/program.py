"""Edits of an ``ExportedProgram`` that keep graph, signature, parameters and constants consistent.

``torch.export`` treats programs as values and pays for it: every constructor call generates Python code for the
graph, verifies it and deep-copies what hangs on it. Lowering edits one program through twenty stages, so these
helpers change a private copy in place and leave verification to the caller's stages.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._export.verifier import Verifier
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    CustomObjArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputSpec,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module

from executorch.dialects import meta_keys
from executorch.dialects.mutations import changing_state, mutations


def make_graph_module(root: Any, graph: Graph) -> GraphModule:
    """A ``GraphModule`` that generates its Python code when it is first called or printed, not on every edit."""
    with _use_lazy_graph_module(True):
        return _make_graph_module(root, graph)


def copy_graph_module(module: GraphModule) -> GraphModule:
    """A copy with its own nodes and own ``meta`` dictionaries; values inside ``meta`` are shared.

    Control-flow bodies are copied too, delegates and data are shared. Node names stay.
    """
    graph = Graph()
    values: dict[Node, Node] = {}
    result = graph.graph_copy(module.graph, values)
    for old in module.graph.nodes:
        if old.op == "output":
            new = graph.output(result)
            new.meta = copy.copy(old.meta)
        else:
            # A copied graph may hand out other numbers when names were freed in between.
            if values[old].name != old.name:
                values[old]._rename(old.name)
                # No graph gives out the name of a Python built-in, but torch.export does (an argument `input`),
                # and signatures refer to inputs by name.
                values[old].name = old.name
    copied = make_graph_module(module, graph)
    copied.meta.update(module.meta)
    for name, child in list(copied.named_children()):
        if isinstance(child, GraphModule):
            setattr(copied, name, copy_graph_module(child))
    return copied


def replace_parts(
    program: ExportedProgram,
    *,
    graph_module: "GraphModule | None" = None,
    signature: "ExportGraphSignature | None" = None,
    state_dict: "dict[str, Any] | None" = None,
    constants: "dict[str, Any] | None" = None,
    verifiers: "list[type[Verifier]] | None" = None,
) -> ExportedProgram:
    """A program with some parts exchanged and the others shared; nothing is verified or copied."""
    new = copy.copy(program)
    parts = {
        "_graph_module": graph_module,
        "_graph_signature": signature,
        "_state_dict": state_dict,
        "_constants": constants,
        "_verifiers": verifiers,
    }
    for name, value in parts.items():
        if value is not None:
            setattr(new, name, value)
    return new


def clone_program(program: ExportedProgram) -> ExportedProgram:
    """A program whose graph, signature and tables may be edited without touching ``program``; tensors are shared."""
    return replace_parts(
        program,
        graph_module=copy_graph_module(program.graph_module),
        signature=copy_signature(program.graph_signature),
        state_dict=dict(program.state_dict),
        constants=dict(program.constants),
    )


def copy_signature(signature: ExportGraphSignature) -> ExportGraphSignature:
    """A signature with its own entries."""
    inputs = [InputSpec(s.kind, copy.copy(s.arg), s.target, s.persistent) for s in signature.input_specs]
    outputs = [OutputSpec(s.kind, copy.copy(s.arg), s.target) for s in signature.output_specs]
    return ExportGraphSignature(inputs, outputs)


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


def output_node(graph: Graph) -> Node:
    """The graph's output node, which is its last."""
    return next(iter(reversed(graph.nodes)))


def output_arguments(graph: Graph) -> tuple[Any, ...]:
    """What the graph returns, as a flat tuple of nodes and constants."""
    (result,) = output_node(graph).args
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def fake_mode_of(values: Any) -> "FakeTensorMode | None":
    """The fake mode of the first fake tensor among the graph's values; None for a graph without tensors."""
    nodes = values.graph.nodes if isinstance(values, GraphModule) else values
    for node in nodes:
        value = node.meta.get(meta_keys.VAL)
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, FakeTensor):
                return item.fake_mode
    return None


def input_spec_of(program: ExportedProgram) -> dict[str, InputSpec]:
    """Placeholder name to its entry in the signature."""
    return {spec.arg.name: spec for spec in program.graph_signature.input_specs if hasattr(spec.arg, "name")}


def state_value(program: ExportedProgram, spec: InputSpec) -> Any:
    """The tensor behind a parameter, buffer or constant entry of the signature; None for user inputs."""
    if spec.target is None or spec.kind in (InputKind.USER_INPUT, InputKind.TOKEN):
        return None
    if spec.target in program.state_dict:
        return program.state_dict[spec.target]
    return program.constants.get(spec.target)


def mutated_placeholders(program: ExportedProgram) -> set[Node]:
    """Placeholders of the values that the program writes back."""
    names = {one.placeholder for one in mutations(program.graph_signature)}
    return {node for node in program.graph.find_nodes(op="placeholder") if node.name in names}


def variable_placeholders(program: ExportedProgram) -> set[Node]:
    """Placeholders of state whose value may be another one at the next run.

    That is what the program writes back, and the parameters that an optimizer changes between its runs.
    """
    names = changing_state(program.graph_signature)
    state = {node for node in program.graph.find_nodes(op="placeholder") if node.name in names}
    return state | mutated_placeholders(program)


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


class ConstantLifter:
    """Adds tensor constants to a program as lifted placeholders, one per distinct value.

    Args:
        program: to add to (in place).
        prefix: of the names; a number follows.
        persistent: what the signature says of them.
    """

    def __init__(
        self,
        program: ExportedProgram,
        prefix: str = "_lifted_tensor_constant",
        persistent: "bool | None" = None,
    ) -> None:
        self._program = program
        self._prefix = prefix
        self._persistent = persistent
        self._known: dict[tuple[Any, ...], Node] = {}

    def lift(self, value: torch.Tensor, key: "tuple[Any, ...] | None" = None) -> Node:
        """The placeholder of ``value``. Equal ``key`` means equal value, so the placeholder is used again."""
        if key is not None and key in self._known:
            return self._known[key]
        name = self._free_name()
        self._program.constants[name] = value
        node = self._insert_placeholder(name, value)
        if key is not None:
            self._known[key] = node
        return node

    def _free_name(self) -> str:
        taken: Mapping[str, Any] = self._program.constants
        number = len(taken)
        while f"{self._prefix}{number}" in taken:
            number += 1
        return f"{self._prefix}{number}"

    def _insert_placeholder(self, name: str, value: torch.Tensor) -> Node:
        graph = self._program.graph
        specs = self._program.graph_signature.input_specs
        placeholders = graph.find_nodes(op="placeholder")
        position = _first_user_input(specs)
        anchor = placeholders[position] if position < len(placeholders) else _after(placeholders, graph)
        with graph.inserting_before(anchor):
            node = graph.placeholder(name)
        mode = fake_mode_of(graph.nodes) or FakeTensorMode()
        node.meta[meta_keys.VAL] = mode.from_tensor(value, static_shapes=True)
        argument = TensorArgument(node.name)
        spec = InputSpec(InputKind.CONSTANT_TENSOR, argument, name, self._persistent)
        specs.insert(position, spec)
        return node


def _first_user_input(specs: Sequence[InputSpec]) -> int:
    for index, spec in enumerate(specs):
        if spec.kind in (InputKind.USER_INPUT, InputKind.CUSTOM_OBJ):
            return index
    return len(specs)


def _after(placeholders: Sequence[Node], graph: Graph) -> Node:
    return placeholders[-1].next if placeholders else next(iter(graph.nodes))
