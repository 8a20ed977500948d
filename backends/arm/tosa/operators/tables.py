"""Functions of one element on quantized values, looked up in tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, DType, Tensor
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
#: Steps of the result that lines between entries of int16 may be away from the curve, and tables that are added to come so near.
_MOST_OFF, _MOST_TABLES = 2.0, 3


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


@dataclass(frozen=True)
class WideTable:
    """513 entries for int16, at which TOSA looks with what is left of ``centre``, ``2 ** zoom`` times."""

    entries: np.ndarray
    centre: int = 0
    zoom: int = 0

    def line(self, integers: torch.Tensor) -> torch.Tensor:
        """What TOSA makes of integers: lines between entries."""
        places = ((integers - self.centre) << self.zoom).clamp(-(2**15), 2**15 - 1)
        entries = torch.from_numpy(self.entries.astype(np.int64))
        at = (places >> 7) + 256
        return entries[at].double() + (entries[at + 1] - entries[at]).double() * (places & 127) / 128


def wide_tables_of(node: Node, have: Quant, out: Quant) -> tuple[list[WideTable], float]:
    """Tables whose sum is what an operator makes of int16, and by what it is divided.

    Results up to the largest stand in an interval that may end above it: that end has to fit, or all of the interval is wrong. Where
    lines are not the curve, the next table has the difference, of a part of the integers that has as many entries.
    """
    integers = torch.arange(-(2**15), 2**15 + 1)
    found = _function_of(node, have, integers, out)
    within = found.abs() <= out.high
    gain = _gain_of(found[::128], within[::128], out)
    # Where a step of the input makes many of the result, a quarter of them is as good as the two that are asked for elsewhere.
    weights = (4 * _MOST_OFF / found.diff().abs()).nan_to_num().clamp(max=1.0).where(within[:-1], 0.0)
    wanted = (found / gain).clamp(-out.high, out.high)
    tables = [_entries_at(wanted, out)]
    left = wanted[:-1] - tables[0].line(integers[:-1])
    while len(tables) < _MOST_TABLES:
        more = _next_table(left, weights, tables, out)
        if more is None:
            break
        tables.append(more)
        left = left - more.line(integers[:-1])
    return tables, gain


def _gain_of(found: torch.Tensor, within: torch.Tensor, out: Quant) -> float:
    beside = torch.zeros_like(within)
    beside[1:] |= within[:-1]
    beside[:-1] |= within[1:]
    farthest = float(found[beside].abs().max()) if bool(beside.any()) else 0.0
    return min(max(farthest / out.high, 1.0), _MOST_ABOVE)


def _entries_at(curve: torch.Tensor, out: Quant, centre: int = 0, zoom: int = 0) -> WideTable:
    """Of a curve over all int16; a part of it begins and ends with nothing, which stands for what is beyond."""
    half = 2**15 >> zoom
    places = torch.arange(centre - half, centre + half + 1, 128 >> zoom) + 2**15
    entries = torch.round(curve[places.clamp(max=len(curve) - 1)].clamp(-out.high, out.high))
    if zoom:
        entries[0] = entries[-1] = 0
    return WideTable(entries.to(out.dtype).numpy(), centre, zoom)


def _next_table(
    left: torch.Tensor, weights: torch.Tensor, tables: Sequence[WideTable], out: Quant
) -> WideTable | None:
    """The table after which the largest of what is left, weighted, is smallest; None if none is worth it."""
    errors = left.abs() * weights
    largest = float(errors.max())
    if largest <= _MOST_OFF:
        return None
    best, centre, zoom = min(
        _steepest(left.abs(), errors, one, tables[i + 1 :]) for i, one in enumerate(tables)
    )
    if best > largest / 2:
        return None
    made = _entries_at(left, out, centre, zoom)
    # Beyond its end 1/128 of the last entry stays.
    return made if abs(int(made.entries[-2])) <= 128 else None


def _steepest(
    left: torch.Tensor, errors: torch.Tensor, table: WideTable, finer: Sequence[WideTable]
) -> tuple[float, int, int]:
    """Which part of a table's integers gets entries of its own: the largest error then, the part's centre and zoom.

    A part begins and ends at entries where nothing is left, and has nothing of what ``finer`` tables have.
    """
    width = 128 >> table.zoom
    start = table.centre - 256 * width
    own = slice(start + 2**15, start + 2**15 + 512 * width)
    closed = torch.cat([left[own][::width], left[own][-1:]]) <= 1
    inside = errors[own].reshape(512, width).amax(1)
    before = torch.cat([errors[: own.start + 1].amax(0, True), inside]).cummax(0).values
    after = torch.cat([inside, errors[own.stop - 1 :].amax(0, True)]).flip(0).cummax(0).values.flip(0)
    for one in finer:
        half = 2**15 >> one.zoom
        ends = [max((one.centre + end - start) // width, 0) for end in (-half, half)]
        inside[slice(*ends)] = math.inf
    best = (math.inf, 0, table.zoom)
    for zoom in range(1, 8 - table.zoom):
        count = 512 >> zoom
        first = torch.arange(512 - count + 1)
        rest = torch.stack(
            [before[first], after[first + count], inside.unfold(0, count, 1).amax(1) / 4.0**zoom]
        )
        rest = rest.amax(0).where(closed[first] & closed[first + count], torch.inf)
        at = int(rest.argmin())
        best = min(best, (float(rest[at]), start + at * width + (count * width >> 1), table.zoom + zoom))
    return best


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
    "log_sigmoid",
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


@integer(*[f"aten.{name}.default" for name in TABLES], "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def table(low: Lowering, call: Call) -> None:
    """Any function of one element, looked up; squares of int16 are products, of which entries would take digits."""
    (given,) = call.node.all_input_nodes
    value, have = source(low, given)
    squares = name_of(call.node) == "aten.pow.Tensor_Scalar" and call.node.args[1] == 2
    if squares and have.dtype is torch.int16:
        product(low, call, [given, given])
        return
    order, x = low.native(Value(value.shape, value.forms))
    if have.dtype is not torch.int16:
        low.set(call.result, low.builder.table(x, table_of(call.node, have, call.output)), order)
        return
    tables, gain = wide_tables_of(call.node, have, call.output)
    b = low.builder
    made = rescale(b, _looked_up(b, x, tables), gain * 2.0**-7, DType.INT16)
    if gain * sum(int(one.entries.min()) for one in tables) < call.output.low:
        made = limited(low, call, made)
    low.set(call.result, made, order)


def _looked_up(b: Builder, x: Tensor, tables: Sequence[WideTable]) -> Tensor:
    """The sum of what tables have: an int32 with 7 bits of fraction."""
    made = None
    for one in tables:
        place = x
        if one.zoom:
            wide = rescale(b, x, 1.0, DType.INT32)
            place = rescale(b, b.sub(wide, b.scalar(one.centre, wide)), 2.0**one.zoom, DType.INT16)
        found = b.table(place, one.entries)
        made = found if made is None else b.add(made, found)
    assert made is not None
    return made
