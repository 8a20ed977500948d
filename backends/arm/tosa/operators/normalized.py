"""Softmax, its logarithm, layer and group norms on int8 and int16 values.

Both divide by what the row makes: a number is shifted to the left until its first bit leads, what follows is looked up in a table of its reciprocal, or of
that of its root, and the shift is taken back at the end. Sums have 30 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from executorch.backends.arm.tosa.graph.builder import DTYPES, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering, Order, Value, plain_order
from executorch.backends.arm.tosa.graph.quantized import Call, Quant
from executorch.backends.arm.tosa.graph.registry import integer
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.operators.integer import finish, source
from executorch.dialects import meta_keys

#: Tables hold 15 bits, the largest number of which stands for 1.
_ONE = 32767
_TABLE_GAIN = 32768 / _ONE


def _shift_left(b: Builder, x: Tensor, by: Tensor) -> Tensor:
    return b.binary("LOGICAL_LEFT_SHIFT", x, by)


def _looked_up(b: Builder, x: Tensor, entries: Any) -> Tensor:
    """Of a number of 16 bits without sign; the result has 7 bits more than the entries."""
    low = b.sub(x, b.scalar(32768, x))
    return b.table(rescale(b, low, 1.0, DType.INT16), np.clip(np.round(entries), 0, _ONE).astype(np.int16))


def _falling(b: Builder, x: Tensor, scale: float) -> Tensor:
    """``2**30 * e ** (-scale * x)`` of an int32 from 0 to 255: an entry of two tables of 15 bits."""
    index = rescale(b, x, 128.0, DType.INT16)
    whole = np.floor(np.exp(-scale * np.maximum(np.arange(-256, 257), 0)) * (2.0**30 - 1)).astype(np.int64)
    high, rest = (b.table(index, one.astype(np.int16)) for one in (whole >> 15, whole & 32767))
    return b.add(_shift_left(b, high, b.scalar(8, high)), rescale(b, rest, 2.0**-7, DType.INT32))


def _powers(b: Builder, x: Tensor, have: Quant) -> Tensor:
    """The same of what an int8 or an int16 is below another; of 16 bits, one power for each half."""
    if have.dtype is not torch.int16:
        return _falling(b, x, have.scale)
    high = b.shift_right(x, b.scalar(8, x))
    rest = b.sub(x, _shift_left(b, high, b.scalar(8, high)))
    return b.mul(_falling(b, high, 256 * have.scale), _falling(b, rest, have.scale), 30)


def _total(b: Builder, x: Tensor, axis: int, have: Quant) -> tuple[Tensor, Tensor, Tensor, int]:
    """How far each number is below the largest, the powers of e of that, their sum, and by how many bits the sum is shifted."""
    count = math.ceil(math.log2(max(x.shape[axis], 2)))
    largest = b.reduce("REDUCE_MAX", x, axis)
    below = b.sub(rescale(b, largest, 1.0, DType.INT32), rescale(b, x, 1.0, DType.INT32))
    powers = _powers(b, below, have)
    total = b.reduce("REDUCE_SUM", rescale(b, powers, 2.0**-count, DType.INT32), axis)
    return below, powers, total, count


def _leading(b: Builder, x: Tensor) -> tuple[Tensor, Tensor]:
    """Shifted to the left until it is ``2**30 * (1 + f)``: by how many bits, and 16 bits of ``f``."""
    zeros = b.unary("CLZ", x)
    by = b.sub(zeros, b.scalar(1, zeros))
    leading = _shift_left(b, x, by)
    return by, b.shift_right(b.sub(leading, b.scalar(2**30, leading)), b.scalar(14, leading))


def _lines(low: Lowering, call: Call) -> tuple[Tensor, Order, int, Quant]:
    """The argument in its own order, that order, the axis in it that is normalized, and the argument's scale."""
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    return x, order, order.index(int(call.node.args[1]) % len(order)), have  # type: ignore[arg-type, call-overload]


@integer(
    "aten._safe_softmax.default", keeps_whole=True
)  # No quantized score is -inf, so no row is masked as a whole.
@integer("aten._softmax.default")
def softmax(low: Lowering, call: Call) -> None:
    """Powers of e in tables, their sum, its reciprocal."""
    b, out = low.builder, call.output
    x, order, axis, have = _lines(low, call)
    _, powers, total, count = _total(b, x, axis, have)
    by, fraction = _leading(b, total)
    reciprocal = _looked_up(b, fraction, _ONE / (1 + np.arange(513) / 512))
    made = b.mul(powers, reciprocal, 22)
    made = b.shift_right(made, b.sub(b.scalar(count, by), by), True)
    scale = 2.0**-30 * _TABLE_GAIN / out.scale
    finish(low, call, rescale(b, made, scale, DTYPES[out.dtype], 0, out.zero_point), order)


#: Bits below one of a logarithm's sum.
_LOG_BITS = 20


@integer("aten._log_softmax.default")
def log_softmax(low: Lowering, call: Call) -> None:
    """How far below the largest, less the logarithm of the sum: a table for what follows its first bit, and a multiple of log 2."""
    b, out = low.builder, call.output
    x, order, axis, have = _lines(low, call)
    below, _, total, count = _total(b, x, axis, have)
    by, fraction = _leading(b, total)
    # The table has 15 bits, and 7 more between its entries: 22 bits below one.
    logarithm = _looked_up(b, fraction, np.log1p(np.arange(513) / 512) * 32768)
    logarithm = rescale(b, logarithm, 2.0 ** (_LOG_BITS - 22), DType.INT32)
    doublings = b.sub(b.scalar(count, by), by)
    logarithm = b.add(logarithm, b.mul(doublings, b.scalar(round(math.log(2) * 2**_LOG_BITS), by)))
    # A step of int8 may be large: what is out of the result's range saturates before it is added.
    farthest = out.scale * 2 * (out.high - out.low) + math.log(2) * count
    limit = min(int(farthest / have.scale) + 1, 2**16)
    bits = min(_LOG_BITS, 29 - math.ceil(math.log2(max(limit * have.scale, 1.0))))
    near = b.minimum(below, b.scalar(limit, below))
    distance = rescale(b, near, have.scale * 2.0**bits, DType.INT32)
    made = b.add(distance, rescale(b, logarithm, 2.0 ** (bits - _LOG_BITS), DType.INT32))
    small = rescale(b, b.negate(made), 2.0**-bits / out.scale, DTYPES[out.dtype], 0, out.zero_point)
    finish(low, call, small, order)


@integer("aten.native_layer_norm.default")
def layer_norm(low: Lowering, call: Call) -> None:
    """The last dimensions have one mean."""
    size = math.prod(call.node.args[1])  # type: ignore[arg-type]
    weight, bias = (None if one is None else low.constants(one).reshape(1, -1) for one in call.node.args[2:4])  # type: ignore[arg-type, union-attr]
    _normalized(low, call, size, float(call.node.args[4]), weight, bias)  # type: ignore[arg-type]


@integer("aten.native_group_norm.default")
def group_norm(low: Lowering, call: Call) -> None:
    """The channels of a group have one; weight and bias are by channel."""
    shape = call.node.args[0].meta[meta_keys.VAL].shape  # type: ignore[union-attr]
    groups, epsilon = int(call.node.args[6]), float(call.node.args[7])  # type: ignore[call-overload, arg-type]
    size = math.prod(shape[1:]) // groups
    each = math.prod(shape[2:])

    def by_element(given: Any) -> torch.Tensor | None:
        if given is None:
            return None
        found = low.constants(given)
        assert found is not None
        return found.reshape(-1, 1).expand(-1, each).reshape(groups, size).repeat(shape[0], 1)

    _normalized(low, call, size, epsilon, by_element(call.node.args[1]), by_element(call.node.args[2]))


def _normalized(
    low: Lowering,
    call: Call,
    size: int,
    epsilon: float,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
) -> None:
    """Differences from the mean with 20 bits (of int16 as well), the sum of their squares, the reciprocal of its root, factors of 16 bits.

    ``size`` elements one after the other have one mean; ``weight`` and ``bias`` fit the rows of that length.
    """
    b, out = low.builder, call.output
    value, have = source(low, call.node.args[0])
    x = low.form(Value(value.shape, value.forms), plain_order(len(value.shape)))
    flat = b.reshape(x, [math.prod(x.shape) // size, size])
    centred, spread = _spread(b, flat, size, have, epsilon)
    # An even shift, of which the root has half.
    zeros = b.unary("CLZ", spread)
    half = b.shift_right(b.sub(zeros, b.scalar(1, zeros)), b.scalar(1, zeros))
    by = b.add(half, half)
    share = b.shift_right(_shift_left(b, spread, by), b.scalar(15, spread))
    roots = _ONE * 0.5 / np.sqrt(np.maximum(np.arange(513), 128) / 512)
    made = b.mul(centred, _looked_up(b, share, roots), 12)
    made = b.shift_right(made, b.sub(b.scalar(15, half), half), True)
    bits = _bits(size)
    unit = math.sqrt(size) * 2.0 ** (-14.5 - bits / 2) * _TABLE_GAIN
    made, unit = _affine(b, made, unit, 2 + math.ceil(bits / 2), weight, bias)
    small = rescale(b, made, unit / out.scale, DTYPES[out.dtype], 0, out.zero_point)
    finish(low, call, b.reshape(small, x.shape))


def _bits(size: int) -> int:
    return math.ceil(math.log2(max(size, 2)))


def _spread(b: Builder, x: Tensor, size: int, have: Quant, epsilon: float) -> tuple[Tensor, Tensor]:
    """Differences from the mean in 4096ths of a step, 16ths of int16, and the sum of their squares over ``2 ** (10 + bits)``, epsilon included."""
    gain = 16.0 if have.dtype is torch.int16 else 4096.0
    whole = rescale(b, x, 1.0, DType.INT32)
    total = b.reduce("REDUCE_SUM", whole, 1)
    times = b.mul(whole, b.scalar(size, whole))
    centred = rescale(b, b.sub(times, total), gain / size, DType.INT32)
    bits = _bits(size)
    squares = b.reduce("REDUCE_SUM", b.mul(centred, centred, 10 + bits), 1)
    more = epsilon * (gain / have.scale) ** 2 * size / 2.0 ** (10 + bits)
    return centred, b.add(squares, b.scalar(int(min(max(round(more), 1), 2**30 - 1)), squares))


def _affine(
    b: Builder, x: Tensor, unit: float, shift: int, weight: torch.Tensor | None, bias: torch.Tensor | None
) -> tuple[Tensor, float]:
    """Weight and bias; ``unit`` is what a 1 of the integers stands for."""
    if weight is not None:
        step = float(weight.abs().max()) / _ONE or 1.0
        x = b.mul(x, b.constant(np.round(weight.double().numpy() / step), DType.INT32), shift)
        unit *= step * 2.0**shift
    if bias is not None:
        summands = np.round(bias.double().numpy() / unit)
        x = b.add(x, b.constant(np.clip(summands, -(2**29), 2**29), DType.INT32))
    return x, unit
