"""What vendors' passes use of it."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.ir.constants import numbered, remove_constants
from executorch.ir.graph import fake_mode_of
from executorch.ir.signature import constant_values
from executorch.passes.optimization.constant_prop_pass import (
    propagated_constants,
)

#: Of the names of constants; a number follows, from 0 on as in released versions.
_PREFIX = "_prop_tensor_constant"
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


def replace_with_constant_node(
    node: Node,
    prop_constant_tensor: torch.Tensor,
    first_user_input: Node,
    fake_mode: FakeTensorMode,
    exported_program: ExportedProgram,
) -> tuple[Node, str]:
    """Puts the placeholder of a new constant in the place of ``node``, which is erased; in place.

    The signature is left alone: see :func:`create_constant_nodes_and_return_specs`.

    Args:
        node: whose value is known.
        prop_constant_tensor: the value; it becomes an entry of the program's constants.
        first_user_input: the placeholder goes before it.
        fake_mode: of the program's example values.
        exported_program: is changed.

    Returns:
        The placeholder, and the name of the constant.
    """
    made = _number_made(exported_program)
    return _put_constant(node, prop_constant_tensor, first_user_input, fake_mode, exported_program, made)


def _number_made(program: ExportedProgram) -> int:
    """How many constants these functions have put into the program."""
    return sum(name.startswith(_PREFIX) for name in program.constants)


def _put_constant(
    node: Node, value: torch.Tensor, anchor: Node, mode: FakeTensorMode, program: ExportedProgram, made: int
) -> tuple[Node, str]:
    """:func:`replace_with_constant_node` for the constant that comes after ``made`` others."""
    constants, graph, state = program.constants, program.graph, program.state_dict
    wanted = numbered(f"{_PREFIX}{made}")
    name = next(one for one in wanted if one not in constants and one not in state)
    with graph.inserting_before(anchor):
        placeholder = graph.placeholder(name)
    placeholder.meta = dict(node.meta)
    placeholder.meta[meta_keys.VAL] = mode.from_tensor(value, static_shapes=True)
    constants[name] = value
    node.replace_all_uses_with(placeholder, propagate_meta=False)
    graph.erase_node(node)
    return placeholder, name


def create_constant_nodes_and_return_specs(
    const_node_to_tensor: Mapping[Node, torch.Tensor], exported_program: ExportedProgram
) -> dict[str, InputSpec]:
    """Replaces operators with known values by constants, and removes constants that nobody needs then (in place).

    Args:
        const_node_to_tensor: of :func:`get_propagated_const_tensor_dict`, in the order of the graph.
        exported_program: its graph, state and constants are changed.

    Returns:
        Name of each new placeholder to the entry that the caller puts into the signature, where the placeholder is.
    """
    anchor, mode = get_first_user_input(exported_program), get_fake_mode(exported_program)
    # Counted once: counting for each constant would be quadratic.
    made = _number_made(exported_program)
    specs: dict[str, InputSpec] = {}
    for node, value in reversed(list(const_node_to_tensor.items())):
        if node.op == "placeholder":
            continue
        if not node.users:
            exported_program.graph.erase_node(node)
        else:
            placeholder, name = _put_constant(node, value, anchor, mode, exported_program, made + len(specs))
            argument = TensorArgument(placeholder.name)
            specs[placeholder.name] = InputSpec(InputKind.CONSTANT_TENSOR, argument, name, True)
    remove_constants(exported_program, const_node_to_tensor)
    exported_program.graph_module.recompile()
    return specs


def erase_constant_node(exported_program: ExportedProgram, node: Node) -> None:
    """Removes the placeholder of a constant without users, its entry in the signature and its value (in place)."""
    remove_constants(exported_program, [node])
