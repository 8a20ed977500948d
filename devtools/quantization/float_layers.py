"""Layers that a quantizer left in floating point, with the reason: whatever quantizer it was.

What is counted are the operators that make up a model's arithmetic: convolutions, linear layers, products of matrices,
attention, recurrent layers. They are found in the graph that ``convert_pt2e`` gives (or ``prepare_pt2e``, with
observers), and in one that was exported after torchao's ``quantize_``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.devtools.quantization.graph import module_of, target_name
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload

#: Operator -> positions of what is multiplied; the numbers in it are quantized if the layer is.
_OPERANDS = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "convolution"), (0, 1)),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), (0, 1)),
    **dict.fromkeys(("linear", "matmul", "mm", "bmm", "mv", "dot"), (0, 1)),
    **dict.fromkeys(("addmm", "addbmm", "baddbmm", "addmv"), (1, 2)),
    "scaled_dot_product_attention": (0, 1, 2),
    **dict.fromkeys(("einsum", "lstm", "gru", "rnn_tanh", "rnn_relu"), (0,)),
}
_USUAL = (torch.float32, torch.float16, torch.bfloat16)
_OBSERVED = ("observer", "fake_quantize")


@dataclass(frozen=True)
class FloatLayer:
    """One layer.

    Attributes:
        name: of its node.
        operator: what it does, with its overload, as ``conv2d.padding``.
        module: the qualified name of the innermost module that it belongs to, empty if the trace does not say.
        reason: why it is in floating point, as far as quantizer and graph say.
        source: the line of the model that calls it, empty if the trace does not say.
    """

    name: str
    operator: str
    module: str
    reason: str
    source: str = ""

    def __str__(self) -> str:
        place = f" in {self.module}" if self.module else ""
        return f"{self.name} ({self.operator}){place}: {self.reason}"


def float_layers(quantized: GraphModule) -> list[FloatLayer]:
    """The layers whose arithmetic is in floating point, in the order of the graph.

    Args:
        quantized: what ``convert_pt2e`` or ``prepare_pt2e`` gave, or the module of a program that was exported after
            ``quantize_``. Bodies of control flow are looked at too.
    """
    found = []
    for path, module in quantized.named_modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            operands = _operands(node)
            reason = _reason(node, operands, module) if operands else None
            if reason is not None:
                name = f"{path}.{node.name}" if path else node.name
                found.append(FloatLayer(name, target_name(node), module_of(node), reason, _source(node)))
    return found


def _operands(node: Node) -> list[Node]:
    """What a layer multiplies; nothing for other nodes."""
    if node.op != "call_function" or not isinstance(node.target, OpOverload):
        return []
    positions = _OPERANDS.get(target_name(node).partition(".")[0], ())
    given: list[Any] = [node.args[position] for position in positions if position < len(node.args)]
    flat = [one for item in given for one in (item if isinstance(item, (list, tuple)) else [item])]
    return [one for one in flat if isinstance(one, Node)]


def _reason(node: Node, operands: list[Node], module: GraphModule) -> str | None:
    """Why a layer is in floating point, None for one that is not."""
    if meta_keys.FLOAT_REASON in node.meta:
        return str(node.meta[meta_keys.FLOAT_REASON])
    plain = [one for one in operands if not _is_quantized(one, module)]
    if not plain:
        return None
    if len(plain) < len(operands):
        names = ", ".join(one.name for one in plain)
        return f"a part of what it multiplies is quantized, but not {names}"
    dtypes = {value.dtype for one in plain if isinstance(value := one.meta.get(meta_keys.VAL), torch.Tensor)}
    unusual = sorted(str(dtype).removeprefix("torch.") for dtype in dtypes.difference(_USUAL))
    if unusual:
        return f"it calculates in {', '.join(unusual)}"
    return (
        f"the quantizer annotated none of its inputs, and left no reason: it may not know {target_name(node)}"
    )


def _is_quantized(node: Node, module: GraphModule) -> bool:
    """Whether a value is a real number only because integers were dequantized, or will be after calibration."""
    if node.op == "call_module":
        kinds = [kind.__name__.lower() for kind in type(module.get_submodule(str(node.target))).__mro__]
        return any(word.replace("_", "") in kind for kind in kinds for word in _OBSERVED)
    return node.op == "call_function" and target_name(node).startswith("dequantize")


def _source(node: Node) -> str:
    lines = [line.strip() for line in str(node.meta.get(meta_keys.STACK_TRACE) or "").splitlines()]
    places = [line for line in lines if line.startswith("File ")]
    return places[-1] if places else ""


def float_layers_table(layers: Iterable[FloatLayer]) -> str:
    """The layers as text, one line each."""
    rows = [("layer", "operator", "module", "reason")]
    rows += [(one.name, one.operator, one.module, one.reason) for one in layers]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows]
    return "\n".join(line.rstrip() for line in lines)
