"""What is done to a captured graph before it is annotated."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from executorch.backends.arm.quantizer.annotations import BINARY, is_real
from executorch.backends.transforms.decompose_sdpa import DecomposeScaledDotProductAttention
from executorch.dialects import meta_keys
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import new_call, replace


def transform_for_annotation(model: GraphModule) -> GraphModule:
    """A graph of operators that the quantizer knows. In place.

    Numbers in sums, products and operators on bits become tensors, a division by a number a product. Attention, ``addmm`` and
    limits that are tensors and gated units are taken apart, an extreme whose place nobody asks for is one without its place, and dropouts that
    drop nothing are gone.
    """
    _idle_dropouts_out(model)
    _attention_apart(model)
    _products_apart(model)
    _extremes_alone(model)
    _limits_apart(model)
    _gates_apart(model)
    for node in list(model.graph.nodes):
        if node.op == "call_function" and (is_real(node) or node.target in _BITS):
            _numbers_as_tensors(node)
    model.graph.eliminate_dead_code()
    model.recompile()
    return model


def _idle_dropouts_out(model: GraphModule) -> None:
    for target in (torch.ops.aten.dropout.default, torch.ops.aten.dropout_.default):
        for node in model.graph.find_nodes(op="call_function", target=target):
            if not node.args[2]:
                replace(node, node.args[0])  # type: ignore[arg-type]


def _attention_apart(model: GraphModule) -> None:
    attention = torch.ops.aten.scaled_dot_product_attention.default
    calls = model.graph.find_nodes(op="call_function", target=attention)
    masked = any(
        len(node.args) > 3 or node.kwargs.get("attn_mask") is not None or node.kwargs.get("is_causal")
        for node in calls
    )
    if not calls:
        return
    DecomposeScaledDotProductAttention()(model)
    if masked:
        return
    # Without a mask no row is empty.
    for node in model.graph.find_nodes(op="call_function", target=torch.ops.aten._safe_softmax.default):
        node.target = torch.ops.aten.softmax.int


def _products_apart(model: GraphModule) -> None:
    """``mm`` is a ``matmul``; ``addmm`` is one, and a sum."""
    aten = torch.ops.aten
    for node in model.graph.find_nodes(op="call_function", target=aten.mm.default):
        if is_real(node):
            node.target = aten.matmul.default
    for node in model.graph.find_nodes(op="call_function", target=aten.addmm.default):
        if not is_real(node):
            continue
        summand, left, right = node.args
        with node.graph.inserting_before(node):
            product = new_call(node, aten.matmul.default, (left, right))
            beta, alpha = (node.kwargs.get(key, 1) for key in ("beta", "alpha"))
            parts = [
                one if factor == 1 else new_call(node, aten.mul.Tensor, (one, factor))
                for one, factor in ((summand, beta), (product, alpha))
            ]
            replace(node, new_call(node, aten.add.Tensor, tuple(parts)))


def _extremes_alone(model: GraphModule) -> None:
    aten = torch.ops.aten
    for target, alone in ((aten.max.dim, aten.amax.default), (aten.min.dim, aten.amin.default)):
        for node in model.graph.find_nodes(op="call_function", target=target):
            if any(user.args[1:] != (0,) for user in node.users if user.users):
                continue
            for user in [one for one in node.users if one.users]:
                dim, keeps = [*node.args[1:], node.kwargs.get("keepdim", False)][:2]
                with user.graph.inserting_before(user):
                    replace(user, new_call(user, alone, (node.args[0], [dim], keeps)))


def _gates_apart(model: GraphModule) -> None:
    """A gated linear unit is one half times the sigmoid of the other."""
    aten = torch.ops.aten
    for node in model.graph.find_nodes(op="call_function", target=aten.glu.default):
        source = node.args[0]
        dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", -1)
        half = source.meta[meta_keys.VAL].shape[dim] // 2
        with node.graph.inserting_before(node):
            value, gate = (
                new_call(node, aten.slice.Tensor, (source, dim, at, at + half)) for at in (0, half)
            )
            opened = new_call(node, aten.sigmoid.default, (gate,))
            replace(node, new_call(node, aten.mul.Tensor, (value, opened)))


def _limits_apart(model: GraphModule) -> None:
    """Of floating-point numbers; integers are clamped as they are."""
    aten = torch.ops.aten
    for node in model.graph.find_nodes(op="call_function", target=aten.clamp.Tensor):
        if not all(is_real(one) for one in node.all_input_nodes):
            continue
        made, least, most = [*node.args, None, None][:3]
        least, most = node.kwargs.get("min", least), node.kwargs.get("max", most)
        with node.graph.inserting_before(node):
            for limit, target in ((least, aten.maximum.default), (most, aten.minimum.default)):
                made = made if limit is None else new_call(node, target, (made, limit))
            replace(node, made)


_DIVISIONS = {
    torch.ops.aten.div.Tensor: torch.ops.aten.mul.Tensor,
    torch.ops.aten.div_.Tensor: torch.ops.aten.mul.Tensor,
}
_BITS = {
    torch.ops.aten.bitwise_and.Scalar: torch.ops.aten.bitwise_and.Tensor,
    torch.ops.aten.bitwise_or.Scalar: torch.ops.aten.bitwise_or.Tensor,
    torch.ops.aten.bitwise_xor.Scalar: torch.ops.aten.bitwise_xor.Tensor,
}


def _numbers_as_tensors(node: Node) -> None:
    if str(node.target) == "aten.rsub.Scalar" and len(node.args) == 2 and not node.kwargs:
        node.target, node.args = torch.ops.aten.sub.Tensor, (node.args[1], node.args[0])
    divides = node.target in _DIVISIONS and isinstance(node.args[1], int | float)
    if not divides and node.target not in _BITS and str(node.target) not in BINARY:
        return
    args = list(node.args)
    for place in (0, 1):
        number = args[place]
        if isinstance(number, int | float):
            number = 1.0 / number if divides else number
            args[place] = _attribute(node, place, number)
    if divides:
        node.target = _DIVISIONS[node.target]  # type: ignore[index]
    node.target = _BITS.get(node.target, node.target)  # type: ignore[arg-type]
    node.args = tuple(args)


def _attribute(node: Node, place: int, number: float | int) -> Node:
    tensor = torch.tensor(number, dtype=node.meta[meta_keys.VAL].dtype)
    with node.graph.inserting_before(node):
        return add_attribute(node.graph, tensor, f"_constant_{node.name}_{place}")
