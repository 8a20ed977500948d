"""Convolutions whose padding is a word (``same``, ``valid``), with numbers instead, before they are annotated.

For training: torchao finds the batch norm behind a convolution, to fold it, only where the padding is in numbers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

_aten = torch.ops.aten
_BY_NUMBERS = {
    _aten.conv1d.padding: _aten.conv1d.default,
    _aten.conv2d.padding: _aten.conv2d.default,
}
_VAL = "val"
#: (position, name, default) of what follows input, weight and bias.
_STRIDE, _PADDING, _DILATION, _GROUPS = (
    (3, "stride", 1),
    (4, "padding", "valid"),
    (5, "dilation", 1),
    (6, "groups", 1),
)


def with_numbers(model: GraphModule) -> GraphModule:
    """The graph with ``conv2d.default`` in place of ``conv2d.padding``, and so on (in place).

    Where ``same`` asks for one more zero behind the image than before it, a pad in front of the convolution adds that.
    """
    changed = False
    for node in list(model.graph.nodes):
        if node.op == "call_function" and node.target in _BY_NUMBERS:
            _restate(node)
            changed = True
    if changed:
        model.recompile()
    return model


def _restate(node: Node) -> None:
    source: Any = node.args[0]
    sizes = node.args[1].meta[_VAL].shape[2:]  # type: ignore[union-attr]
    dilation = _each(_argument(node, _DILATION), len(sizes))
    before, more = [0] * len(sizes), [0] * len(sizes)
    if _argument(node, _PADDING) == "same":
        totals = [reach * (size - 1) for reach, size in zip(dilation, sizes, strict=True)]
        before, more = [total // 2 for total in totals], [total % 2 for total in totals]
    if any(more):
        source = _pad(node, source, more)
    bias = node.args[2] if len(node.args) > 2 else node.kwargs.get("bias")
    stride = _each(_argument(node, _STRIDE), len(sizes))
    node.target = _BY_NUMBERS[node.target]  # type: ignore[index]
    node.args = (source, node.args[1], bias, stride, before, dilation, _argument(node, _GROUPS))
    node.kwargs = {}


def _pad(node: Node, source: Node, more: list[int]) -> Node:
    """``source`` with so many zeros behind each dimension of the image."""
    amounts = [one for extra in reversed(more) for one in (0, extra)]
    with node.graph.inserting_before(node):
        pad = node.graph.call_function(_aten.pad.default, (source, amounts))
    pad.meta = {key: value for key, value in node.meta.items() if key != _VAL}
    value = source.meta[_VAL]
    with value.fake_mode:
        pad.meta[_VAL] = _aten.pad.default(value, amounts)
    return pad


def _argument(node: Node, argument: tuple[int, str, Any]) -> Any:
    position, name, default = argument
    return node.args[position] if len(node.args) > position else node.kwargs.get(name, default)


def _each(value: Any, dimensions: int) -> list[Any]:
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    return given * dimensions if len(given) == 1 else given
