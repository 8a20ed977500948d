"""Functions of one element on quantized values, looked up in tables."""

from __future__ import annotations

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DType
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.graph.lowering import Lowering, Value
from executorch.backends.arm.tosa.graph.quantized import Call, Quant
from executorch.backends.arm.tosa.graph.registry import integer
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.operators.integer import limited, product, source
from executorch.backends.transforms.tables import continued
from executorch.dialects.edge_ops import aten_op

#: How far above the largest result entries of a table are kept; more would take its digits.
_MOST_ABOVE = 2.0


def _function_of(node: Node, have: Quant, integers: torch.Tensor, out: Quant) -> torch.Tensor:
    """What an operator makes of integers, in steps of the result."""
    # As they are dequantized, so that 255 times 1/255 is one and not above it.
    reals = ((integers - have.zero_point).float() * have.scale).double()
    args = torch.fx.node.map_arg(node.args, lambda one: reals)
    made = aten_op(node.target)(*args, **node.kwargs)  # type: ignore[misc]
    return continued(made.double() / out.scale)


def table_of(node: Node, have: Quant, out: Quant) -> np.ndarray:
    """What an operator makes of each integer of int8."""
    found = _function_of(node, have, torch.arange(-128, 128), out)
    whole = torch.round(found.clamp(-(2.0**20), 2.0**20)) + out.zero_point
    return whole.clamp(out.low, out.high).to(out.dtype).numpy()


def wide_table_of(node: Node, have: Quant, out: Quant) -> tuple[np.ndarray, float]:
    """What an operator makes of each 128th int16, between which TOSA interpolates, and by what it is divided.

    Results up to the largest stand in an interval that may end above it: that end has to fit, or all of the interval is wrong.
    """
    found = _function_of(node, have, torch.arange(-256, 257) * 128, out)
    within = found.abs() <= out.high
    beside = torch.zeros_like(within)
    beside[1:] |= within[:-1]
    beside[:-1] |= within[1:]
    farthest = float(found[beside].abs().max()) if bool(beside.any()) else 0.0
    gain = min(max(farthest / out.high, 1.0), _MOST_ABOVE)
    whole = torch.round((found / gain).clamp(-out.high, out.high))
    return whole.to(out.dtype).numpy(), gain


#: Functions of one element.
TABLES = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "elu",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "gelu",
    "hardsigmoid",
    "hardswish",
    "leaky_relu",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "neg",
    "reciprocal",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]


@integer(*[f"aten.{name}.default" for name in TABLES], "aten.pow.Tensor_Scalar")
def table(low: Lowering, call: Call) -> None:
    """Any function of one element, looked up; squares of int16 are products, of which entries would take digits."""
    base, *numbers = call.node.args
    if (
        name_of(call.node) == "aten.pow.Tensor_Scalar"
        and numbers == [2]
        and source(low, base)[1].dtype is torch.int16
    ):
        product(low, call, [base, base])
        return
    value, have = source(low, base)
    order, x = low.native(Value(value.shape, value.forms))
    if have.dtype is not torch.int16:
        low.set(call.result, low.builder.table(x, table_of(call.node, have, call.output)), order)
        return
    entries, gain = wide_table_of(call.node, have, call.output)
    made = rescale(low.builder, low.builder.table(x, entries), gain * 2.0**-7, DType.INT16)
    if gain * int(entries.min()) < call.output.low:
        made = limited(low, call, made)
    low.set(call.result, made, order)
