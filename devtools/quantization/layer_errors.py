"""The ratio of signal to quantization noise at each layer of a graph that was quantized with PT2E.

Both graphs are run on the same inputs, and what each layer gives in one is compared with what it gives in the other.
Layers are matched by the names of their nodes, which ``prepare_pt2e`` and ``convert_pt2e`` leave alone: the reference is
a copy of the prepared graph, whose observers change nothing and whose batch norms are folded as in the converted one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node

from executorch.devtools.quantization.graph import module_of, target_name
from executorch.dialects.torch_types import OpOverload

_QUANTIZE = "quantize_"
_DEQUANTIZE = "dequantize_"
_DECIBELS = 10.0


@dataclass(frozen=True)
class LayerError:
    """One layer.

    Attributes:
        name: of its node.
        operator: what it does, as ``conv2d``.
        module: the qualified name of the innermost module that it belongs to, empty if the trace does not say.
        sqnr_db: signal to noise in decibels over all inputs; infinite where nothing differs.
        is_quantized: whether its result is quantized.
    """

    name: str
    operator: str
    module: str
    sqnr_db: float
    is_quantized: bool


def signal_to_noise(reference: torch.Tensor, other: torch.Tensor) -> float:
    """``20 * log10(|reference| / |reference - other|)`` in decibels, infinite where they are equal."""
    signal = float(reference.double().square().sum())
    return _ratio(signal, float((reference.double() - other.double()).square().sum()))


def _ratio(signal: float, noise: float) -> float:
    if noise == 0:
        return math.inf
    return _DECIBELS * math.log10(signal / noise) if signal > 0 else -math.inf


def layer_errors(
    reference: GraphModule, quantized: GraphModule, inputs: Iterable[tuple[Any, ...]]
) -> list[LayerError]:
    """The error of each layer, in the order of the graph.

    Args:
        reference: a copy of the prepared graph (``copy.deepcopy`` before ``convert_pt2e``, which changes it).
        quantized: what ``convert_pt2e`` gave.
        inputs: what both are run on.

    Returns:
        Layers whose results are floating-point tensors of the same shape in both graphs. The result of a quantized
        layer is what its quantization leaves of it.
    """
    theirs = {node.name: node for node in quantized.graph.nodes if _is_layer(node)}
    layers = [node for node in reference.graph.nodes if _is_layer(node) and node.name in theirs]
    layers = [node for node in layers if node.target == theirs[node.name].target]
    results = {node.name: _after_quantization(theirs[node.name]) for node in layers}
    signal, noise = dict.fromkeys(results, 0.0), dict.fromkeys(results, 0.0)
    for values in inputs:
        wanted = _Recorder(reference, set(results)).record(values)
        got = _Recorder(quantized, {node.name for node in results.values()}).record(values)
        for name, node in results.items():
            first, second = wanted.get(name), got.get(node.name)
            if first is None or second is None or first.shape != second.shape:
                signal.pop(name, None)
                continue
            if name in signal:
                signal[name] += float(first.double().square().sum())
                noise[name] += float((first.double() - second.double()).square().sum())
    return [
        LayerError(
            name=node.name,
            operator=target_name(node).partition(".")[0],
            module=module_of(node),
            sqnr_db=_ratio(signal[node.name], noise[node.name]),
            is_quantized=results[node.name] is not theirs[node.name],
        )
        for node in layers
        if node.name in signal
    ]


def table(errors: Iterable[LayerError]) -> str:
    """The layers as text, one line each."""
    rows = [
        (error.name, error.module, f"{error.sqnr_db:.1f}", "" if error.is_quantized else "float")
        for error in errors
    ]
    head = ("layer", "module", "SQNR dB", "")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        f"{name.ljust(widths[0])}  {module.ljust(widths[1])}  {decibels.rjust(widths[2])}  {kind}".rstrip()
        for name, module, decibels, kind in (head, *rows)
    ]
    return "\n".join(lines)


class _Recorder(Interpreter):
    """Runs a graph and keeps some of its values."""

    def __init__(self, module: GraphModule, names: set[str]) -> None:
        super().__init__(module)
        self._names = names
        self._kept: dict[str, torch.Tensor] = {}

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        if n.name in self._names and isinstance(value, torch.Tensor) and value.is_floating_point():
            self._kept[n.name] = value.detach().clone()
        return value

    def record(self, inputs: tuple[Any, ...]) -> dict[str, torch.Tensor]:
        """Node name -> its value."""
        with torch.no_grad():
            self.run(*inputs)
        return self._kept


def _is_layer(node: Node) -> bool:
    """Whether a node computes something of the model."""
    if node.op != "call_function" or not isinstance(node.target, OpOverload):
        return False
    return not target_name(node).startswith((_QUANTIZE, _DEQUANTIZE))


def _after_quantization(node: Node) -> Node:
    """What is left of a node's result when it has been quantized, the node itself if it is not."""
    for user in node.users:
        readers = list(user.users) if target_name(user).startswith(_QUANTIZE) else []
        for reader in readers:
            if target_name(reader).startswith(_DEQUANTIZE):
                return reader
    return node
