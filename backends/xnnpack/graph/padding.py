"""Zeros around an image, which the convolution behind them adds itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import name_of
from executorch.backends.xnnpack.graph.quantized import StaticCall, sole_user
from executorch.dialects import meta_keys

_CONVOLUTION = "aten.convolution.default"
_PAD = "aten.constant_pad_nd.default"


@dataclass(frozen=True)
class Margins:
    """Zeros that a convolution adds to its input.

    Attributes:
        source: what is padded: the value that the convolution reads instead.
        absorbed: the nodes that pad; they become nothing of their own.
        top, right, bottom, left: rows and columns.
    """

    source: Node
    absorbed: tuple[Node, ...]
    top: int
    right: int
    bottom: int
    left: int


def margins_of(node: Node, static: Mapping[Node, StaticCall]) -> Margins | None:
    """The padding that is all that is between a convolution and its image, None if there is none.

    Args:
        node: any node.
        static: how operators work on integers.
    """
    if name_of(node) != _CONVOLUTION or node.args[6]:
        return None
    source: Any = node.args[0]
    rank = source.meta[meta_keys.VAL].dim()
    call = static.get(node)
    between: tuple[Node, ...]
    if call is None:
        pad, between = source, ()
    else:
        integers = call.inputs.get(source)
        pad = next((one for one, made in static.items() if made.output is integers), None)
        if integers is None or pad is None or sole_user(integers) is not source:
            return None
        between = (integers,)
    amounts = _amounts(pad, rank - 2)
    if amounts is None or sole_user(source) is not node or (call is None) == (pad in static):
        return None
    if call is None:
        return Margins(pad.args[0], (pad,), *amounts)
    dequantized, before = next(iter(static[pad].inputs.items()))
    if sole_user(dequantized) is not pad:
        return None
    return Margins(before, (dequantized, pad, *between), *amounts)


def _amounts(pad: Any, spatial: int) -> tuple[int, int, int, int] | None:
    """Rows and columns of zeros: top, right, bottom, left; None for any other padding."""
    if name_of(pad) != _PAD or len(pad.users) != 1:
        return None
    value = pad.args[2] if len(pad.args) > 2 else pad.kwargs.get("value", 0)
    given = list(pad.args[1])
    known = all(isinstance(one, int) and one >= 0 for one in given)
    if value != 0 or not known or len(given) > 2 * spatial or spatial not in (1, 2):
        return None
    left, right, top, bottom = [*given, 0, 0, 0, 0][:4]
    return top, right, bottom, left
