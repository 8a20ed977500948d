"""Matrix products."""

from __future__ import annotations

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of
from executorch.backends.xnnpack.graph.dynamic import DynamicCall, DynamicWeight, weight_form
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.weights import bias_of, dynamic_filter, filter_of, weight_of
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID
from executorch.dialects import meta_keys

_TRANSPOSE_WEIGHTS = 1
_TRANSPOSE_SECOND = 1


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
    form = weight_only(operator, weight, by_rows)
    if form is not None and bias is None:
        filters, offset = dynamic_filter(builder, form), INVALID_ID
    elif builder.tensor_of(weight) is not None:
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


def weight_only(operator: Operator, weight: Node, by_rows: bool) -> DynamicWeight | None:
    """The integers of a constant weight that a product of single-precision numbers reads, None if it has none.

    XNNPACK has such products for weights with a scale for each output.
    """
    if operator.quantized is not None or weight.op != "call_function":
        return None
    if operator.result.meta[meta_keys.VAL].dtype is not torch.float32:
        return None
    form = weight_form(weight, operator.builder.constants, last=not by_rows)
    return form if form is not None and form.scales.shape[1] == 1 else None


def _dynamic(operator: Operator, call: DynamicCall, weight: Node, bias: Node | None, by_rows: bool) -> None:
    builder = operator.builder
    form = weight_form(weight, builder.constants, last=not by_rows)
    assert form is not None
    # XNNPACK takes biases of such layers in single precision, whatever their results are in.
    offset = None if bias is None else builder.tensor_of(bias)
    operator.add(
        schema.XNNFullyConnected(
            input1_id=builder.dynamic(call.source, Layout.PLAIN, 1),
            filter_id=dynamic_filter(builder, form),
            bias_id=INVALID_ID if offset is None else builder.constant(offset.float()),
            output_id=operator.output(),
        )
    )


@lowers("aten.linear.default", "aten.addmm.default", "aten.mm.default")
def linear(operator: Operator) -> None:
    product = operator.product
    assert product is not None
    bias = product.bias
    form = None if operator.dynamic else weight_only(operator, product.weight, by_rows=not product.last)
    if _is_half(operator) and operator.builder.tensor_of(product.weight) is None:
        _product_of_halves(operator, product.source, product.weight, bias, by_rows=not product.last)
        return
    # XNNPACK (the pinned release) loses the bias of a layer whose weights alone are quantized.
    packs_bias = form is None and (bias is None or _is_bias(operator, bias, product.weight))
    if bias is None or operator.quantized or operator.dynamic or packs_bias:
        _fully_connected(operator, product.source, product.weight, bias, by_rows=not product.last)
        return
    # The summand is calculated, or a matrix: added to the product.
    builder = operator.builder
    target = builder.value(shape_of(operator.result), operator.output_type)
    first = builder.input(product.source)
    known = builder.tensor_of(product.weight)
    if form is not None:
        filters, flags = dynamic_filter(builder, form), 0
    elif known is None:
        filters, flags = builder.input(product.weight), _TRANSPOSE_WEIGHTS if product.last else 0
    else:
        filters, flags = builder.constant(known.t() if product.last else known), 0
    made = schema.XNNFullyConnected(
        input1_id=first, filter_id=filters, bias_id=INVALID_ID, output_id=target, flags=flags
    )
    builder.add(made, operator.node)
    operator.add(schema.XNNAdd(input1_id=target, input2_id=builder.input(bias), output_id=operator.output()))


def _is_half(operator: Operator) -> bool:
    return operator.result.meta[meta_keys.VAL].dtype is torch.float16


def _product_of_halves(
    operator: Operator, source: Node, weight: Node, bias: Node | None, by_rows: bool
) -> None:
    """With a weight that is calculated, which XNNPACK's linear nodes take in single precision only."""
    builder = operator.builder
    first, second = builder.input(source), builder.input(weight)
    target = (
        operator.output() if bias is None else builder.value(shape_of(operator.result), operator.output_type)
    )
    product = schema.XNNBatchMatrixMultiply(
        input1_id=first, input2_id=second, output_id=target, flags=_TRANSPOSE_SECOND if by_rows else 0
    )
    if bias is None:
        operator.add(product)
        return
    builder.add(product, operator.node)
    operator.add(schema.XNNAdd(input1_id=target, input2_id=builder.input(bias), output_id=operator.output()))


def _is_bias(operator: Operator, node: Node, weight: Node) -> bool:
    """Whether this is a constant with an element for each output, as the weight is: XNNPACK packs both together."""
    builder = operator.builder
    constant = builder.is_constant(node) and builder.is_constant(weight)
    return constant and shape_of(node) == shape_of(operator.node)[-1:]


@lowers("aten.bmm.default")
def bmm(operator: Operator) -> None:
    first, second = (operator.input(node) for node in operator.node.args[:2])
    result = operator.output()
    operator.add(schema.XNNBatchMatrixMultiply(input1_id=first, input2_id=second, output_id=result))
