"""From which release of Apple's systems on a call can run: the numbers are those of ``coremltools.target``."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import ExportError
from executorch.ir.rewriter import arguments
from executorch.partitioner import CompileSpec

IOS15, IOS16, IOS17, IOS18 = 6, 7, 8, 9
#: What is asked for without a word on it, if nothing asks for more.
LEAST = IOS15
_KEY = "min_deployment_target"


def system_name(target: int) -> str:
    """As Apple's release of iOS is called."""
    return f"iOS{target + 15 - IOS15}"


def asked_for(specs: Sequence[CompileSpec]) -> int | None:
    """The target that compile specs name, None where they leave the choice.

    Raises:
        ExportError: it has no programs of this kind.
    """
    text = next((bytes(one.value).decode(errors="replace") for one in specs if one.key == _KEY), "")
    if text.isdigit() and int(text) < LEAST:
        raise ExportError(
            f"Core ML: the compile spec {_KEY!r} is {text!r}. Way out: {LEAST} (iOS 15) or later, as in coremltools.target"
        )
    return int(text) if text.isdigit() else None


def least_target(node: Node) -> int:
    """The oldest that has what a call needs."""
    name = str(aten_op(node.target)) if node.op == "call_function" else ""
    if name == "quant.dequantize_codebook.default":
        return IOS18
    if name == "torchao.dequantize_affine.default":
        return IOS16 if _is_by_channel(node) else IOS18
    if name.startswith("quantized_decomposed."):
        return IOS17
    values = [one.meta.get(meta_keys.VAL) for one in (node, *node.all_input_nodes)]
    has_half = any(isinstance(one, torch.Tensor) and one.dtype == torch.float16 for one in values)
    return IOS16 if has_half else LEAST


def _is_by_channel(node: Node) -> bool:
    """Whether a weight has one scale for each of its first dimension, in eight bits."""
    given = arguments(node)
    value = given["input"].meta[meta_keys.VAL]
    low = given.get("quant_min")
    return list(given["block_size"]) == [1, *value.shape[1:]] and (low is None or low < -8)
