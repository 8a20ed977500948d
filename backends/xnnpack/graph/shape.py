"""Operators that move elements."""

from __future__ import annotations

from typing import Any

from executorch.backends.xnnpack.graph.builder import shape_of
from executorch.backends.xnnpack.graph.elementwise import layout_of
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys

_CONCATENATIONS: dict[int, Any] = {
    2: schema.XNNConcatenate2,
    3: schema.XNNConcatenate3,
    4: schema.XNNConcatenate4,
    5: schema.XNNConcatenate5,
}
_MOST_INPUTS = max(_CONCATENATIONS)


@lowers("aten.cat.default")
def cat(operator: Operator) -> None:
    """Of any number of tensors: five at a time."""
    builder = operator.builder
    nodes = list(operator.node.args[0])
    if len(nodes) == 1:
        builder.same(operator.result, operator.source(nodes[0]))
        return
    rank = len(shape_of(operator.node))
    dim = operator.argument(1, "dim", 0) % rank
    layout = layout_of(operator, nodes)
    axis = layout.position(dim, rank)
    pending = [(operator.input(node, layout), shape_of(node)[dim]) for node in nodes]
    while len(pending) > 1:
        taken, pending = pending[:_MOST_INPUTS], pending[_MOST_INPUTS:]
        length = sum(size for _, size in taken)
        if pending:
            shape = shape_of(operator.node)
            shape[dim] = length
            target = builder.value(layout.arrange(shape), operator.output_type)
        else:
            target = operator.output(layout)
        inputs = {f"input{i + 1}_id": identifier for i, (identifier, _) in enumerate(taken)}
        operator.add(_CONCATENATIONS[len(taken)](axis=axis, output_id=target, **inputs))
        pending.insert(0, (target, length))
        if len(pending) == 1:
            return


@lowers("aten.softmax.int", "aten._softmax.default")
def softmax(operator: Operator) -> None:
    first = operator.input(operator.node.args[0])
    operator.add(schema.XNNSoftmax(input_id=first, output_id=operator.output()))


@lowers("aten.permute.default", "aten.permute_copy.default")
def permute(operator: Operator) -> None:
    rank = len(shape_of(operator.node))
    order = [dim % rank for dim in operator.node.args[1]]
    first = operator.input(operator.node.args[0])
    operator.add(
        schema.XNNStaticTranspose(
            num_dims=rank,
            perm=order,
            input_id=first,
            output_id=operator.output(),
        )
    )


@lowers(
    "aten.squeeze_copy.dims",
    "aten.unsqueeze_copy.default",
    "aten.view_copy.default",
)
def view(operator: Operator) -> None:
    first = operator.input(operator.node.args[0])
    sizes = operator.result.meta[meta_keys.VAL].shape
    # One symbolic size may be left to XNNPACK, which finds it from the number of elements.
    shape = [size if isinstance(size, int) else 0 for size in sizes]
    operator.add(
        schema.XNNStaticReshape(
            num_dims=len(shape),
            new_shape=shape,
            input_id=first,
            output_id=operator.output(),
        )
    )


@lowers("aten.slice_copy.Tensor")
def slice_copy(operator: Operator) -> None:
    source = operator.node.args[0]
    rank = len(shape_of(source))
    dim = operator.argument(1, "dim", 0) % rank
    layout = layout_of(operator, [source])
    total = shape_of(source)[dim]
    start = operator.argument(2, "start") or 0
    offsets, sizes = [0] * rank, [0] * rank
    offsets[dim] = min(start + total if start < 0 else start, total)
    # 0 stands for all of a dimension, which stays right when the runtime's sizes differ.
    length = shape_of(operator.result)[dim]
    sizes[dim] = 0 if length == total else length
    operator.add(
        schema.XNNStaticSlice(
            num_dims=rank,
            offsets=layout.arrange(offsets),
            sizes=layout.arrange(sizes),
            input_id=operator.input(source, layout),
            output_id=operator.output(layout),
        )
    )


@lowers("aten.constant_pad_nd.default")
def constant_pad_nd(operator: Operator) -> None:
    source, amounts = operator.node.args[:2]
    rank = len(shape_of(source))
    layout = layout_of(operator, [source])
    before, after = [0] * rank, [0] * rank
    for i in range(len(amounts) // 2):
        before[rank - 1 - i], after[rank - 1 - i] = amounts[2 * i], amounts[2 * i + 1]
    operator.add(
        schema.XNNStaticConstantPad(
            pre_paddings=layout.arrange(before),
            post_paddings=layout.arrange(after),
            padding_value=float(operator.argument(2, "value", 0)),
            input_id=operator.input(source, layout),
            output_id=operator.output(layout),
        )
    )
