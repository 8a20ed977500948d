"""Matrix products."""

from __future__ import annotations

from torch.fx import Node

from executorch.backends.xnnpack.graph.dynamic import DynamicCall, weight_form
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.weights import bias_of, dynamic_filter, filter_of, weight_of
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID

_TRANSPOSE_WEIGHTS = 1


def _fully_connected(
    operator: Operator, source: Node, weight: Node, bias: Node | None, by_rows: bool
) -> None:
    """``by_rows``: the weight is (outputs, inputs); otherwise (inputs, outputs)."""
    builder = operator.builder
    if operator.dynamic is not None:
        _dynamic(operator, operator.dynamic, weight, bias, by_rows)
        return
    first = operator.input(source)
    flags = 0
    if builder.tensor_of(weight) is not None:
        known = weight_of(operator, weight)
        filters = filter_of(builder, known, known.tensor if by_rows else known.tensor.t(), 0)
        offset = bias_of(operator, known, source, None if bias is None else builder.tensor_of(bias))
    else:
        filters, flags = builder.input(weight), 0 if by_rows else _TRANSPOSE_WEIGHTS
        offset = INVALID_ID if bias is None else builder.input(bias)
    operator.add(
        schema.XNNFullyConnected(
            input1_id=first, filter_id=filters, bias_id=offset, output_id=operator.output(), flags=flags
        )
    )


def _dynamic(operator: Operator, call: DynamicCall, weight: Node, bias: Node | None, by_rows: bool) -> None:
    builder = operator.builder
    form = weight_form(weight, builder.tensor_of, last=not by_rows)
    assert form is not None
    operator.add(
        schema.XNNFullyConnected(
            input1_id=builder.dynamic(call.source, Layout.PLAIN, 1),
            filter_id=dynamic_filter(builder, form),
            bias_id=INVALID_ID if bias is None else builder.input(bias),
            output_id=operator.output(),
        )
    )


@lowers("aten.linear.default")
def linear(operator: Operator) -> None:
    source, weight = operator.node.args[:2]
    _fully_connected(operator, source, weight, operator.argument(2, "bias"), by_rows=True)


@lowers("aten.addmm.default")
def addmm(operator: Operator) -> None:
    bias, source, weight = operator.node.args[:3]
    _fully_connected(operator, source, weight, bias, by_rows=False)


@lowers("aten.mm.default")
def mm(operator: Operator) -> None:
    source, weight = operator.node.args[:2]
    _fully_connected(operator, source, weight, None, by_rows=False)


@lowers("aten.bmm.default")
def bmm(operator: Operator) -> None:
    first, second = (operator.input(node) for node in operator.node.args[:2])
    result = operator.output()
    operator.add(schema.XNNBatchMatrixMultiply(input1_id=first, input2_id=second, output_id=result))
