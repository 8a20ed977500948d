"""Why the quantizer leaves a call in floating point, noted on its node for reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationConfig

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import (
    ADD_TARGETS,
    CAT_TARGETS,
    CONV_TARGETS,
    CONV_TRANSPOSE_TARGETS,
    LINEAR_TARGETS,
    MUL_TARGETS,
    SUB_TARGETS,
    _is_annotated,
    _is_dynamic,
    _is_real,
    _is_share_obs_or_fq_op,
    why_not_dynamic,
)
from executorch.dialects import meta_keys

_PRODUCTS = CONV_TARGETS | CONV_TRANSPOSE_TARGETS | LINEAR_TARGETS
_STATIC = _PRODUCTS | ADD_TARGETS | SUB_TARGETS | MUL_TARGETS | CAT_TARGETS

#: Node -> what gives it its config, empty if nothing does; and that config.
ConfigOf = Callable[[Node], tuple[str, QuantizationConfig | None]]


def note_reasons(model: GraphModule, config_of: ConfigOf, wanted: Callable[[Node], bool]) -> None:
    """Notes a reason on every call with a floating-point result that has no annotation.

    Args:
        model: the annotated graph.
        config_of: where the config of a node comes from, and what it is.
        wanted: what the filter function says of a node.
    """
    for node in model.graph.nodes:
        value = node.meta.get(meta_keys.VAL)
        if node.op != "call_function" or _is_annotated([node]) or _is_share_obs_or_fq_op(node.target):
            continue
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            node.meta[meta_keys.FLOAT_REASON] = _reason(node, config_of, wanted)


def _reason(node: Node, config_of: ConfigOf, wanted: Callable[[Node], bool]) -> str:
    if not wanted(node):
        return "the filter function leaves it out"
    origin, config = config_of(node)
    if not origin:
        return "no config is for it, and there is no global one"
    if config is None:
        return f"its config is None (by {origin})"
    operator = getattr(node.target, "__name__", str(node.target))
    if node.target not in _STATIC:
        return f"XNNPACKQuantizer does not know {operator}"
    if _is_dynamic(config):
        if node.target not in _PRODUCTS:
            return f"{operator} has no weight: only layers with weights take inputs that are quantized at run time"
        if reason := why_not_dynamic(node):
            return reason
    return _reason_in_inputs(node)


def _reason_in_inputs(node: Node) -> str:
    read: Any = (
        node.args[0] if node.target in CAT_TARGETS else node.args[: 1 if node.target in _PRODUCTS else 2]
    )
    for one in read:
        value = one.meta.get(meta_keys.VAL) if isinstance(one, Node) else None
        if isinstance(value, torch.Tensor) and not _is_real(one):
            return (
                f"its input {one.name} is {str(value.dtype).removeprefix('torch.')}, not float32 or float16"
            )
    if node.target in _PRODUCTS and not isinstance(node.args[1], Node):
        return "its weight is no value of the graph"
    return "one of its inputs is a number that leaves no resolution for anything else"
