"""From an edge program to one that coremltools converts: the same graph, in operators that it knows.

Its reader of PyTorch graphs knows most operators of the edge dialect as they are. What it lacks or reads otherwise than PyTorch means it
(factors of sums, defaults that are left out, numbers that are written as integers) is said in others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.apple.coreml.compiler import own_operators, weights
from executorch.backends.apple.coreml.compiler.ranks import lower_ranks
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import dim_order_of, is_contiguous_dim_order
from executorch.dialects.edge_ops import aten_op
from executorch.ir.clone import clone_program
from executorch.ir.graph import output_arguments
from executorch.ir.rewriter import arguments, new_call
from executorch.ir.signature import state_inputs, sync_signature

aten = torch.ops.aten
#: From a call to the value that stands for it, made at the insertion point.
Restatement = Callable[[Node], Node]


def convertible(program: ExportedProgram) -> ExportedProgram:
    """A program of the same meaning for coremltools; ``program`` stays as it is."""
    made = clone_program(program)
    graph = made.graph
    lower_ranks(graph)
    for node in list(graph.nodes):
        if node.op == "placeholder":
            _settle_input(made, node)
        elif node.op == "call_function":
            op = aten_op(node.target)
            restate = RESTATED.get(str(op)) if op is not None else None
            if restate is not None:
                with graph.inserting_before(node):
                    new = restate(node)
                if new is not node:
                    node.replace_all_uses_with(new, propagate_meta=False)
                    graph.erase_node(node)
    weights.fold(made)
    _settle_outputs(made)
    graph.eliminate_dead_code()
    graph.lint()
    made.graph_module.recompile()
    sync_signature(made)
    return made


def _order(node: Node) -> tuple[int, ...]:
    value = node.meta[meta_keys.VAL]
    return dim_order_of(value.shape, value.stride())


def _settle_input(program: ExportedProgram, node: Node) -> None:
    """An input that lies in another order is what lies there, and is permuted inside; constants are made contiguous."""
    value = node.meta.get(meta_keys.VAL)
    if not isinstance(value, torch.Tensor):
        return
    order = _order(node)
    if is_contiguous_dim_order(order):
        return
    if node.name in state_inputs(program.graph_signature):
        return  # read by logical position
    back = [order.index(dim) for dim in range(len(order))]
    node.meta = dict(node.meta)
    node.meta[meta_keys.VAL] = value.permute(order)
    users = list(node.users)
    with program.graph.inserting_after(node):
        turned = new_call(node, aten.permute.default, (node, back))
    for user in users:
        user.replace_input_with(node, turned)


def _settle_outputs(program: ExportedProgram) -> None:
    """Outputs lie as the caller expects them; each is the value of an operator, and none is returned twice."""
    (output,) = (node for node in program.graph.nodes if node.op == "output")
    seen: set[Node] = set()
    results: list[Any] = []
    with program.graph.inserting_before(output):
        for one in output_arguments(program.graph):
            new = one
            if isinstance(one, Node) and isinstance(one.meta.get(meta_keys.VAL), torch.Tensor):
                order = _order(one)
                if not is_contiguous_dim_order(order):
                    new = new_call(one, aten.permute.default, (one, list(order)))
                elif one.op == "placeholder" or one in seen:
                    new = new_call(one, aten.clone.default, (one,))
                seen.add(one)
            results.append(new)
    output.args = (tuple(results),)


def _new(node: Node, op: Any, *args: Any, **kwargs: Any) -> Node:
    made = new_call(node, op, args, kwargs)
    if meta_keys.VAL not in made.meta:
        made.meta[meta_keys.VAL] = node.meta[meta_keys.VAL]
    return made


def _copy(node: Node) -> Node:
    return _new(node, aten.clone.default, node.args[0])


def _cast(node: Node) -> Node:
    value, source = node.meta[meta_keys.VAL], node.args[0]
    assert isinstance(source, Node)
    if source.meta[meta_keys.VAL].dtype == value.dtype:
        return _copy(node)
    return _new(node, aten._to_copy.default, source, dtype=value.dtype)


def _with_factor(op: Any) -> Restatement:
    def restate(node: Node) -> Node:
        alpha = node.kwargs.get("alpha", node.args[2] if len(node.args) > 2 else 1)
        if alpha == 1:
            return node
        scaled = _new(node, aten.mul.Tensor, node.args[1], alpha)
        return _new(node, op, node.args[0], scaled)

    return restate


def _addmm(node: Node) -> Node:
    given = arguments(node)
    product = _new(node, aten.mm.default, given["mat1"], given["mat2"])
    if given["alpha"] != 1:
        product = _new(node, aten.mul.Tensor, product, float(given["alpha"]))
    other = given["self"]
    if given["beta"] != 1:
        other = _new(node, aten.mul.Tensor, other, float(given["beta"]))
    return _new(node, aten.add.Tensor, product, other)


def _trunc(node: Node, source: Any = None) -> Node:
    source = node.args[0] if source is None else source
    floor = _new(node, aten.floor.default, _new(node, aten.abs.default, source))
    return _new(node, aten.mul.Tensor, _new(node, aten.sign.default, source), floor)


def _fmod(node: Node) -> Node:
    """As the remainder of the sizes, with the sign of the dividend."""
    x, y = node.args[0], node.args[1]
    size = _new(node, aten.abs.default, x)
    if isinstance(y, Node):
        rest = _new(node, aten.remainder.Tensor, size, _new(node, aten.abs.default, y))
    else:
        assert isinstance(y, int | float)
        rest = _new(node, aten.remainder.Scalar, size, abs(y))
    return _new(node, aten.mul.Tensor, _new(node, aten.sign.default, x), rest)


def _isinf(node: Node) -> Node:
    return _new(node, aten.eq.Scalar, _new(node, aten.abs.default, node.args[0]), math.inf)


def _selu(node: Node) -> Node:
    given = arguments(node)
    if given["scale"] == 1 and given["input_scale"] == 1:
        return node
    x = given["self"]
    if given["input_scale"] != 1:
        x = _new(node, aten.mul.Tensor, x, float(given["input_scale"]))
    made = _new(node, aten.elu.default, x, float(given["alpha"]))
    return _new(node, aten.mul.Tensor, made, float(given["scale"]))


def _hardtanh(node: Node) -> Node:
    given = arguments(node)
    return _new(node, aten.clamp.default, given["self"], float(given["min_val"]), float(given["max_val"]))


def _clamp(node: Node) -> Node:
    given = arguments(node)
    low, high = given["min"], given["max"]
    if node.meta[meta_keys.VAL].dtype.is_floating_point:
        low, high = (None if one is None else float(one) for one in (low, high))
        return _new(node, aten.clamp.default, given["self"], low, high)
    return _new(node, own_operators.coreml_clamp_integers, given["self"], low, high)


def _arg_of_all(op: Any) -> Restatement:
    def restate(node: Node) -> Node:
        given = arguments(node)
        if given["dim"] is not None:
            return node
        flat = _new(node, aten.view.default, given["self"], [-1])
        return _new(node, op, flat, 0)

    return restate


def _any_of(node: Node) -> Node:
    given = arguments(node)
    dims = given["dim"]
    source = given["self"]
    if not dims:
        return _new(node, aten.any.default, source)
    for dim in sorted((one % source.meta[meta_keys.VAL].dim() for one in dims), reverse=True):
        source = _new(node, aten.any.dim, source, dim, given["keepdim"])
    return source


def _replaced(node: Node) -> Node:
    """``copy``: the second of two, in the form and type of the first."""
    like, source = node.args[0], node.args[1]
    assert isinstance(like, Node) and isinstance(source, Node)
    value = node.meta[meta_keys.VAL]
    if source.meta[meta_keys.VAL].dtype != value.dtype:
        source = _as(node, source, value.dtype)
    if source.meta[meta_keys.VAL].shape != value.shape:
        return _new(node, aten.expand.default, source, list(value.shape))
    return _new(node, aten.clone.default, source)


def _product(node: Node) -> Node:
    given = arguments(node)
    source = given["self"]
    dims = [given["dim"]] if "dim" in given else list(range(source.meta[meta_keys.VAL].dim()))
    return _new(node, own_operators.coreml_product, source, dims, given.get("keepdim", False))


def _asinh(node: Node) -> Node:
    """Of the size, in a form that keeps small numbers: log1p(a + a² / (1 + sqrt(a² + 1)))."""
    x = node.args[0]
    size = _new(node, aten.abs.default, x)
    square = _new(node, aten.mul.Tensor, size, size)
    root = _new(node, aten.sqrt.default, _new(node, aten.add.Tensor, square, 1.0))
    part = _new(node, aten.div.Tensor, square, _new(node, aten.add.Tensor, root, 1.0))
    made = _new(node, aten.log1p.default, _new(node, aten.add.Tensor, size, part))
    return _new(node, aten.mul.Tensor, _new(node, aten.sign.default, x), made)


def _acosh(node: Node) -> Node:
    x = node.args[0]
    below = _new(node, aten.sub.Tensor, x, 1.0)
    root = _new(
        node,
        aten.sqrt.default,
        _new(node, aten.mul.Tensor, below, _new(node, aten.add.Tensor, x, 1.0)),
    )
    return _new(node, aten.log1p.default, _new(node, aten.add.Tensor, below, root))


def _logical(op: Any) -> Restatement:
    return lambda node: _new(node, op, *node.args)


def _gelu(node: Node) -> Node:
    given = arguments(node)
    if given["approximate"] == "tanh":
        return _new(node, own_operators.coreml_gelu_of_tanh, given["self"])
    return node


def _reciprocal(node: Node) -> Node:
    # Core ML's own adds 1e-4 to what it divides by.
    return _new(node, own_operators.coreml_reciprocal, node.args[0])


def _expand(node: Node) -> Node:
    """Of a tensor with a size that changes: by how often it is repeated. Of sizes that it reads, the converter does not know that they are the same."""
    given = arguments(node)
    has, wants = given["self"].meta[meta_keys.VAL].shape, node.meta[meta_keys.VAL].shape
    added = len(wants) - len(has)
    repeats = [
        *wants[:added],
        *(1 if str(one) == str(other) else other for one, other in zip(has, wants[added:], strict=True)),
    ]
    if not any(isinstance(one, torch.SymInt) for one in has) or any(
        isinstance(one, torch.SymInt) for one in repeats
    ):
        return node
    return _new(node, aten.repeat.default, given["self"], repeats)


def _full(node: Node) -> Node:
    given = arguments(node)
    if given["size"]:
        return node
    value = node.meta[meta_keys.VAL]
    made = _new(node, own_operators.coreml_scalar, given["fill_value"], not value.dtype.is_floating_point)
    return made if value.dtype in (torch.float32, torch.int32, torch.int64) else _as(node, made, value.dtype)


def _full_like(node: Node) -> Node:
    """The converter goes by the type of the number, not by the one that is asked for."""
    given, wanted = arguments(node), node.meta[meta_keys.VAL].dtype
    number = float(given["fill_value"]) if wanted.is_floating_point else int(given["fill_value"])
    made = _new(node, aten.full_like.default, given["self"], number)
    return made if wanted in (torch.float32, torch.int32, torch.int64) else _as(node, made, wanted)


def _as(node: Node, source: Node, dtype: torch.dtype) -> Node:
    return _new(node, aten._to_copy.default, source, dtype=dtype)


def _max_pool(node: Node) -> Node:
    given = arguments(node)
    node.args = (
        given["self"],
        given["kernel_size"],
        given["stride"] or given["kernel_size"],
        given["padding"],
        given["dilation"],
        given["ceil_mode"],
    )
    return node


def _index_put(node: Node) -> Node:
    """Values of the shape that the place has."""
    given = arguments(node)
    source, values = given["self"], given["values"]
    indexed = [None if one is None else one.meta[meta_keys.VAL] for one in given["indices"]]
    place = source.meta[meta_keys.VAL][tuple(slice(None) if one is None else one for one in indexed)].shape
    own = values.meta[meta_keys.VAL].shape
    added = len(place) - len(own)
    # What is not repeated stays as it is: a size that changes has no number.
    kept = [-1 if has != 1 or wants == 1 else wants for has, wants in zip(own, place[added:], strict=True)]
    if added or kept.count(-1) < len(kept):
        values = _new(node, aten.expand.default, values, [*place[:added], *kept])
    found = [(dim, one) for dim, one in enumerate(given["indices"]) if one is not None]
    if len(found) == 1 and found[0][1].meta[meta_keys.VAL].dim() == 1:
        dim, index = found[0]
        return _new(node, own_operators.coreml_scatter, source, index, values, dim, given["accumulate"])
    node.args = (source, given["indices"], values, given["accumulate"])
    return node


def _where(node: Node) -> Node:
    """Of scalars: through one dimension, since the converter cannot broadcast none."""
    if node.meta[meta_keys.VAL].dim():
        return node
    sources = [_new(node, aten.unsqueeze.default, one, 0) for one in node.args]
    return _new(node, aten.squeeze.dim, _new(node, aten.where.self, *sources), 0)


def _scatter(node: Node) -> Node:
    """What is read of the source, and no more."""
    given = arguments(node)
    source = given.get("src", given.get("value"))
    if not isinstance(source, Node):
        return node
    shape = given["index"].meta[meta_keys.VAL].shape
    for dim, size in enumerate(shape):
        if source.meta[meta_keys.VAL].shape[dim] != size:
            source = _new(node, aten.slice.Tensor, source, dim, 0, size, 1)
    node.args = (given["self"], given["dim"], given["index"], source)
    return node


RESTATED: dict[str, Restatement] = {
    "aten._to_copy.default": _cast,
    "aten.acosh.default": _acosh,
    "aten.add.Tensor": _with_factor(aten.add.Tensor),
    "aten.addmm.default": _addmm,
    "aten.any.dims": _any_of,
    "aten.argmax.default": _arg_of_all(aten.argmax.default),
    "aten.argmin.default": _arg_of_all(aten.argmin.default),
    "aten.asinh.default": _asinh,
    "aten.bitwise_and.Tensor": _logical(aten.logical_and.default),
    "aten.bitwise_not.default": _logical(aten.logical_not.default),
    "aten.bitwise_or.Tensor": _logical(aten.logical_or.default),
    "aten.bitwise_xor.Tensor": _logical(aten.logical_xor.default),
    "aten.clamp.default": _clamp,
    "aten.copy.default": _replaced,
    "aten.elu.default": _selu,
    "aten.expand_copy.default": _expand,
    "aten.fmod.Scalar": _fmod,
    "aten.fmod.Tensor": _fmod,
    "aten.full.default": _full,
    "aten.full_like.default": _full_like,
    "aten.gelu.default": _gelu,
    "aten.hardtanh.default": _hardtanh,
    "aten.index_put.default": _index_put,
    "aten.isinf.default": _isinf,
    "aten.max_pool2d_with_indices.default": _max_pool,
    "aten.max_pool3d_with_indices.default": _max_pool,
    "aten.prod.default": _product,
    "aten.prod.dim_int": _product,
    "aten.reciprocal.default": _reciprocal,
    "aten.scatter.src": _scatter,
    "aten.scatter_add.default": _scatter,
    "aten.sub.Tensor": _with_factor(aten.sub.Tensor),
    "aten.trunc.default": _trunc,
    "aten.where.self": _where,
    "dim_order_ops._clone_dim_order.default": _copy,
    "dim_order_ops._to_dim_order_copy.default": _cast,
}
