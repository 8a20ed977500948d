"""Fuses dequantize - operator - quantize into operators on the integers themselves.

====================================================  ==================================================
graph                                                 becomes
====================================================  ==================================================
``quantize(add(dequantize(a), dequantize(b)))``       ``quantized_decomposed.add(a, ..., b, ...)``
``quantize(relu(add(...)))``                          ``quantized_decomposed.add_relu(a, ..., b, ...)``
``quantize(move(dequantize(a)))``, equal parameters   ``move(a)`` (views, slices, transpositions, ``cat``)
``embedding(dequantize_per_channel(w), i)``           ``quantized_decomposed.embedding_byte(w, ...)``
``embedding(dequantize_affine(w), i)``                ``embedding_byte``, ``embedding_4bit``, ``embedding_2bit``
====================================================  ==================================================
"""

from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects import bound_ops, meta_keys
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.ir.constants import ConstantLifter, remove_constants
from executorch.ir.signature import constant_values, sync_signature
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.optimization.constant_prop_pass import constant_prop_pass
from executorch.passes.quantized.quantized_embeddings import TablePacker, is_quantized_table, part_read
from executorch.passes.to_edge.lift_constants_pass import lift_tensor_attributes

_aten = torch.ops.aten
_REGISTERED: Final = bound_ops.LIBRARIES
_QUANTIZE: Final = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE: Final = "quantized_decomposed::dequantize_per_tensor"
_PER_CHANNEL: Final = "quantized_decomposed::dequantize_per_channel"
_EMBEDDING: Final = _aten.embedding.default
_MOVES: Final = frozenset(
    {
        _aten.view_copy.default,
        _aten.slice_copy.Tensor,
        _aten.permute_copy.default,
        _aten.transpose_copy.int,
        _aten.squeeze_copy.dim,
        _aten.squeeze_copy.dims,
        _aten.unsqueeze_copy.default,
        _aten.select_copy.int,
        _aten.expand_copy.default,
        _aten.cat.default,
    }
)


class QuantFusionPass(GraphPass):
    """See the module's description. Works in place on edge graphs.

    Args:
        _fix_node_meta_val: for callers of other releases; example values are always right.
        node_value_dict: name of a placeholder to the constant behind it, torchao's tensors too. Without them torchao's
            embeddings stay as they are, since their tables have to be packed; see
            :func:`quant_fusion_and_const_prop_pass`.
    """

    describes_values = True

    def __init__(self, _fix_node_meta_val: bool = False, node_value_dict: Any = None) -> None:
        del _fix_node_meta_val
        self._values = node_value_dict
        self._outermost: GraphModule | None = None
        self._tables = TablePacker(None)

    def call(self, graph_module: GraphModule) -> PassResult:
        self._outermost = graph_module
        return super().call(graph_module)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        # The bodies of control flow have placeholders of their own, which may be named alike.
        self._tables = TablePacker(self._values if graph_module is self._outermost else None)
        return super().rewrite_graph(graph_module)

    def rewrite_node(self, node: Node) -> bool:
        if _is_call(node, _EMBEDDING):
            return _fuse_embedding(node) or self._fuse_table(node)
        if _name(node) != _QUANTIZE or len(node.args) < 6:
            return False
        source = node.args[0]
        if not isinstance(source, Node) or len(source.users) != 1:
            return False
        return _fuse_add(node, source) or _fuse_move(node, source)

    def _fuse_table(self, node: Node) -> bool:
        call = self._tables.fused_call(node)
        if call is None:
            return False
        _replace(node, *call)
        return True


def _fuse_add(quantize: Node, source: Node) -> bool:
    has_relu = _is_call(source, _aten.relu.default)
    add: Any = source.args[0] if has_relu else source
    if not _is_call(add, _aten.add.Tensor) or len(add.users) != 1 or add.kwargs.get("alpha", 1) != 1:
        return False
    operands = [item for item in add.args if isinstance(item, Node) and _name(item) == _DEQUANTIZE]
    if len(operands) != 2 or any(_params(item) is None for item in operands):
        return False
    dtype = quantize.args[5]
    if any(item.args[5] != dtype for item in operands):
        return False
    op = torch.ops.quantized_decomposed.add_relu if has_relu else torch.ops.quantized_decomposed.add
    args: list[Any] = []
    for item in operands:
        args += item.args[:5]
    _replace(quantize, op.default, (*args, *quantize.args[1:5]))
    return True


def _fuse_move(quantize: Node, source: Node) -> bool:
    op = aten_op(source.target) if source.op == "call_function" else None
    if op not in _MOVES:
        return False
    moved: Any = source.args[0] if op is _aten.cat.default else [source.args[0]]
    wanted = quantize.args[1:6]
    if not all(isinstance(item, Node) and _name(item) == _DEQUANTIZE for item in moved):
        return False
    if not all(tuple(item.args[1:6]) == tuple(wanted) for item in moved):
        return False
    integers = [item.args[0] for item in moved]
    first = integers if op is _aten.cat.default else integers[0]
    _replace(quantize, op, (first, *source.args[1:]), source.kwargs)
    return True


def _fuse_embedding(node: Node) -> bool:
    weight = node.args[0]
    if not isinstance(weight, Node) or _name(weight) != _PER_CHANNEL or len(node.args) != 2:
        return False
    integers, scales, zero_points, axis, quant_min, quant_max, *_ = weight.args
    if axis != 0 or any(not isinstance(item, (Node, type(None))) for item in (scales, zero_points)):
        return False
    op = torch.ops.quantized_decomposed.embedding_byte.default
    _replace(node, op, (integers, scales, zero_points, quant_min, quant_max, node.args[1]))
    return True


def _insert(node: Node, op: OpOverload, args: "tuple[Any, ...]", kwargs: Any = None) -> Node:
    """A call before ``node``, as a part of the same call of the model."""
    with node.graph.inserting_before(node):
        call = node.graph.call_function(edge_op(op), args, dict(kwargs or {}))
    call.meta = {key: item for key, item in node.meta.items() if key != meta_keys.SPEC}
    call.meta[meta_keys.VAL] = compute_value(op, args, dict(kwargs or {}), node.graph.nodes)
    return call


def _replace(node: Node, op: OpOverload, args: "tuple[Any, ...]", kwargs: Any = None) -> None:
    fused = _insert(node, op, args, kwargs)
    node.replace_all_uses_with(fused, propagate_meta=False)
    node.graph.erase_node(node)


def _name(node: Node) -> str:
    op = aten_op(node.target) if node.op == "call_function" else None
    return op._schema.name if op is not None else ""


def _params(node: Node) -> "tuple[Any, ...] | None":
    """Scale, zero point and range when they are numbers; None when they are tensors."""
    params = tuple(node.args[1:5])
    return None if any(isinstance(item, Node) for item in params) else params


def _is_call(node: Any, op: OpOverload) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and aten_op(node.target) is op


def fuse_quantized_embeddings(program: ExportedProgram) -> bool:
    """Fuses embeddings of tables that torchao quantized, with packed tables as constants of the program (in place).

    Returns:
        whether there were any.
    """
    if not any(is_quantized_table(node) for node in program.graph.nodes):
        return False
    return _fuse(program)


def look_up_integers(program: ExportedProgram) -> bool:
    """Has embeddings look up the integers of tables that torchao quantized (in place).

    So the rows are dequantized that are looked up, and not all of the table.

    Returns:
        whether there were any.
    """
    found = False
    for table in list(program.graph.nodes):
        if is_quantized_table(table) and _has_scales_by_row(table):
            found = True
            for embedding in list(table.users):
                _look_up_integers(embedding, table)
            program.graph.erase_node(table)
    return found


def _has_scales_by_row(table: Node) -> bool:
    """Whether each row of a table has scales of its own, one for each of its groups."""
    args: Any = table.args
    integers, block, *parts = args[:4]
    shape = value_of(integers).shape
    if len(shape) != 2 or len(block) != 2 or block[0] != 1 or shape[1] % block[1]:
        return False
    wanted = (shape[0], shape[1] // block[1])
    return all(part is None or tuple(value_of(part).shape) == wanted for part in parts)


def _look_up_integers(embedding: Node, table: Node) -> None:
    args: Any = table.args
    integers, block, scales, zero_points, *limits = args
    indices: Any = embedding.args[1]

    def rows_of(part: Any) -> Any:
        return None if part is None else _insert(embedding, _EMBEDDING, (part, indices))

    blocks = [*[1] * value_of(indices).dim(), block[1]]
    looked_up = (rows_of(integers), blocks, rows_of(scales), rows_of(zero_points), *limits)
    op: Any = aten_op(table.target)
    _replace(embedding, op, looked_up, table.kwargs)


def _fuse(program: ExportedProgram) -> bool:
    unused = {node for node in constant_values(program) if not node.users}
    lift_inner_tensors(program)
    constants = constant_values(program)
    values = {node.name: value for node, value in constants.items()}
    modified = QuantFusionPass(node_value_dict=values)(program.graph_module).modified
    lift_tensor_attributes(program)
    remove_constants(program, constants.keys() - unused)
    sync_signature(program)
    return modified


def lift_inner_tensors(program: ExportedProgram) -> None:
    """Makes constants of the parts of torchao's tensors, which programs read from the tensors (in place)."""
    constants = constant_values(program)
    taken_apart = set()
    lifter = ConstantLifter(program, "_inner_tensor")
    for node in list(program.graph.nodes):
        found = part_read(node)
        if found is None or found[0] not in constants:
            continue
        source, part = found
        value = getattr(constants[source], part)
        lifted = lifter.lift(value, key=(source, part))
        constants[lifted] = value
        node.replace_all_uses_with(lifted, propagate_meta=False)
        program.graph.erase_node(node)
        taken_apart.add(source)
    if taken_apart:
        remove_constants(program, taken_apart)
        program.graph_module.recompile()


def quant_fusion_and_const_prop_pass(program: ExportedProgram) -> ExportedProgram:
    """Fuses quantized graphs and folds what depends on constants only (weights' quantization); in place."""
    _fuse(program)
    return constant_prop_pass(program, custom_skip_targets=set())


__all__ = [
    "QuantFusionPass",
    "fuse_quantized_embeddings",
    "lift_inner_tensors",
    "look_up_integers",
    "quant_fusion_and_const_prop_pass",
]
