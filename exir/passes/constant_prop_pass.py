"""Documented path of :mod:`executorch.passes.constant_prop_pass`, and what vendors' passes use of it."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.passes.constant_prop_pass import (
    ConstantPropPass,
    constant_prop_pass,
    erase_constant,
    propagated_constants,
)
from executorch.passes.program import constant_values, fake_mode_of

_PRIMITIVES = (float, int, bool, str, torch.Tensor, torch.device, torch.dtype, torch.layout)


def get_default_skip_targets_no_quant() -> set[EdgeOpOverload]:
    """What costs more as a constant than as an operator: tensors full of one number."""
    return {edge_op(torch.ops.aten.full.default)}


def get_constant_placeholder_dict(exported_program: ExportedProgram) -> "OrderedDict[Node, torch.Tensor]":
    """Placeholder to value of parameters, buffers that nobody writes, and lifted constants."""
    return OrderedDict(constant_values(exported_program))


def get_propagated_const_tensor_dict(
    exported_program: ExportedProgram, custom_skip_targets: "set[EdgeOpOverload] | None"
) -> "OrderedDict[Node, torch.Tensor]":
    """Node to value of everything that is known ahead of time, in the order of the graph.

    Args:
        exported_program: not changed.
        custom_skip_targets: operators that are not evaluated; None for those of quantization.
    """
    return OrderedDict(propagated_constants(exported_program, custom_skip_targets))


def is_const(
    arg: Any, exported_program: ExportedProgram, const_node_to_tensor: Mapping[Node, torch.Tensor]
) -> bool:
    """Whether an argument is known: a plain value, a node in ``const_node_to_tensor``, or a list of these."""
    del exported_program
    if isinstance(arg, (tuple, list)):
        return all(is_const(item, None, const_node_to_tensor) for item in arg)  # type: ignore[arg-type]
    if isinstance(arg, Node):
        return arg in const_node_to_tensor
    return arg is None or isinstance(arg, _PRIMITIVES)


def get_data(
    arg: Any, exported_program: ExportedProgram, const_node_to_tensor: Mapping[Node, torch.Tensor]
) -> Any:
    """The value of an argument for which :func:`is_const` holds."""
    if isinstance(arg, (tuple, list)):
        return type(arg)(get_data(item, exported_program, const_node_to_tensor) for item in arg)
    return const_node_to_tensor[arg] if isinstance(arg, Node) else arg


def is_constant_buffer(program: ExportedProgram, node: Node) -> bool:
    """Whether ``node`` is the placeholder of a buffer that the program does not write."""
    return node.name in program.graph_signature.inputs_to_buffers and node in constant_values(program)


def get_first_user_input(exported_program: ExportedProgram) -> Node:
    """The first placeholder that the caller gives a value for.

    Raises:
        ValueError: there is none.
    """
    names = set(exported_program.graph_signature.user_inputs)
    for node in exported_program.graph.find_nodes(op="placeholder"):
        if node.name in names:
            return node
    raise ValueError("the program has no inputs of the caller")


def get_fake_mode(exported_program: ExportedProgram) -> FakeTensorMode:
    """The mode of the program's example values.

    Raises:
        AssertionError: it has no tensors.
    """
    mode = fake_mode_of(exported_program.graph.nodes)
    assert mode is not None, "the program has no tensors"
    return mode


def erase_constant_node(exported_program: ExportedProgram, node: Node) -> None:
    """Removes the placeholder of a constant without users, its entry in the signature and its value (in place)."""
    erase_constant(exported_program, node)


__all__ = [
    "ConstantPropPass",
    "constant_prop_pass",
    "erase_constant_node",
    "get_constant_placeholder_dict",
    "get_data",
    "get_default_skip_targets_no_quant",
    "get_fake_mode",
    "get_first_user_input",
    "get_propagated_const_tensor_dict",
    "is_const",
    "is_constant_buffer",
]
