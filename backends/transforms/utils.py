"""Constants and state of a program under transformation: find, add, replace and remove them."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind, OutputSpec, TensorArgument
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.ir.constants import add_constant, fake_value, like_parameter, remove_constants, set_constant
from executorch.ir.mutations import mutated_state
from executorch.ir.signature import STATE_KINDS, state_inputs, state_value

#: On placeholders that are made here: the name that was asked for, where the graph had to change it.
_REQUESTED_NAME = "requested_name"


def _input_spec(program: ExportedProgram, node: Node) -> InputSpec | None:
    return state_inputs(program.graph_signature).get(node.name) if node.op == "placeholder" else None


def is_param_node(exp_prog: ExportedProgram, node: Node) -> bool:
    """Whether the node is the placeholder of a parameter, a buffer or a lifted tensor constant."""
    return _input_spec(exp_prog, node) is not None


def is_get_attr_node(node: Any) -> bool:
    """Whether the node reads an attribute of the module."""
    return isinstance(node, Node) and node.op == "get_attr"


def get_param_tensor(exp_prog: ExportedProgram, node: Node | None) -> torch.Tensor | None:
    """The tensor of a parameter, buffer or constant; None for ``None``.

    Raises:
        RuntimeError: the node stands for no constant of the program.
    """
    if node is None:
        return None
    if is_get_attr_node(node):
        return getattr(_owner(exp_prog, node), str(node.target))  # type: ignore[no-any-return]
    spec = _input_spec(exp_prog, node)
    if spec is None or spec.target is None:
        raise RuntimeError(f"unsupported param type for node {node}: it is no parameter, buffer or constant")
    return state_value(exp_prog, spec)  # type: ignore[no-any-return]


def set_param_tensor(exp_prog: ExportedProgram, node: Node, data: torch.Tensor) -> None:
    """Gives a parameter, buffer, constant or attribute another value, of any shape; ``meta["val"]`` follows.

    Raises:
        RuntimeError: the node stands for no constant of the program.
    """
    if is_get_attr_node(node):
        owner = _owner(exp_prog, node)
        old = getattr(owner, str(node.target))
        setattr(owner, str(node.target), like_parameter(old, data))
        node.meta[meta_keys.VAL] = fake_value(node.graph, data)
        return
    _check_is_constant(exp_prog, node)
    set_constant(exp_prog, node, data)


def create_constant_placeholder(
    exp_program: ExportedProgram,
    graph: Graph,
    name: str,
    kind: InputKind,
    data: torch.Tensor,
    persistent_buffer: bool | None = None,
) -> Node:
    """A new placeholder with a constant behind it, before the user inputs and after the state of its kind.

    Args:
        exp_program: gets the constant and the input spec; changed in place.
        graph: its graph; insertion points of the caller are left alone.
        name: of the placeholder and of the constant; if there is one of this name and kind, it is returned as it is.
            The graph changes a name that is no identifier, or that another node has; the constant is then called as
            the placeholder is.
        kind: ``PARAMETER``, ``BUFFER`` or ``CONSTANT_TENSOR``.
        data: the value.
        persistent_buffer: for buffers, whether it belongs to the state dict; must be given for them.

    Raises:
        RuntimeError: another input has the name, the kind is none of these, or ``persistent_buffer`` is missing.
    """
    existing = _find_placeholder(graph, name)
    if existing is not None:
        spec = _input_spec(exp_program, existing)
        if existing.name in mutated_state(exp_program.graph_signature):
            raise RuntimeError(f"{name} already exists as a mutable buffer: choose another name")
        if spec is not None and spec.kind is kind:
            return existing
        raise RuntimeError(f"{name} is already the name of an input of the program that is no {kind.name}")
    if kind not in STATE_KINDS:
        raise RuntimeError(f"a constant is no {kind}: choose PARAMETER, BUFFER or CONSTANT_TENSOR")
    if kind is InputKind.BUFFER and persistent_buffer is None:
        raise RuntimeError("must specify persistent_buffer for a new buffer: True or False")
    return _new_placeholder(exp_program, name, kind, data, persistent_buffer)


def _new_placeholder(
    program: ExportedProgram, name: str, kind: InputKind, data: torch.Tensor, persistent: bool | None
) -> Node:
    node = add_constant(program, data, name, kind, persistent)
    node.meta[_REQUESTED_NAME] = name
    return node


def create_mutable_buffer(exp_program: ExportedProgram, name: str, data: torch.Tensor) -> Node:
    """A new buffer that the program writes: its placeholder, which as it stands is also its value after the run.

    Args:
        exp_program: changed in place: buffer, input spec and output spec.
        name: of the placeholder, ``b_...`` by custom; the buffer's name is the placeholder's without this prefix. The
            graph changes a name that is no identifier, or that a user's input or an operator has.
        data: the first value.

    Raises:
        RuntimeError: the program has a parameter, buffer or constant of this name.
    """
    graph = exp_program.graph_module.graph
    wanted = name.removeprefix("b_")
    if wanted in exp_program.state_dict:
        raise RuntimeError(f"a buffer called {wanted} already exists in state_dict: choose another name")
    existing = _find_placeholder(graph, name)
    if existing is not None and is_param_node(exp_program, existing):
        raise RuntimeError(f"a constant called {name} already exists in the graph: choose another name")
    node = _new_placeholder(exp_program, name, InputKind.BUFFER, data, True)
    spec = _input_spec(exp_program, node)
    assert spec is not None
    target = node.name.removeprefix("b_")
    exp_program.state_dict[target] = exp_program.state_dict.pop(node.name)
    spec.target = target
    outputs = exp_program.graph_signature.output_specs
    # Behind the other written buffers: what the user gets comes last.
    position = sum(one.kind is OutputKind.BUFFER_MUTATION for one in outputs)
    output = graph.output_node()
    results: list[Any] = list(output.args[0])  # type: ignore[arg-type]
    output.args = ((*results[:position], node, *results[position:]),)
    outputs.insert(position, OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument(node.name), target))
    return node


def delete_constant_placeholder(exp_program: ExportedProgram, node: Node) -> None:
    """Removes the placeholder of a constant that nothing uses, with its spec and its value.

    Raises:
        RuntimeError: it has users, or is no constant of the program.
    """
    if node.users:
        raise RuntimeError(f"cannot delete {node}: it still has users {', '.join(map(str, node.users))}")
    _check_is_constant(exp_program, node)
    remove_constants(exp_program, [node])


def _check_is_constant(program: ExportedProgram, node: Node) -> None:
    if _input_spec(program, node) is None:
        raise RuntimeError(f"{node} is no parameter, buffer or constant of the program")


def _find_placeholder(graph: Graph, name: str) -> Node | None:
    """The placeholder that has this name, or that was made when it was asked for."""
    return next(
        (
            node
            for node in graph.find_nodes(op="placeholder")
            if name in (node.name, node.target, node.meta.get(_REQUESTED_NAME))
        ),
        None,
    )


def _owner(program: ExportedProgram, node: Node) -> torch.fx.GraphModule:
    """The module whose attribute a ``get_attr`` node reads."""
    return node.graph.owning_module or program.graph_module
