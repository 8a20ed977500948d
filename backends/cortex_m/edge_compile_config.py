"""The documented settings of the front door for programs that these kernels run."""

from __future__ import annotations

import importlib
from typing import Any

import torch

_aten = torch.ops.aten
#: What kernels have whole, and what is one table of a quantized value.
_WHOLE = (
    _aten.linear.default,
    _aten.hardsigmoid.default,
    _aten.hardsigmoid_.default,
    _aten.hardswish.default,
    _aten.hardswish_.default,
    _aten.silu.default,
)


def cortex_m_edge_compile_config() -> Any:
    """An ``EdgeCompileConfig`` for ``to_edge`` that leaves whole what ``CortexMPassManager`` folds whole.

    A backend stands below the front door, so ``executorch.exir`` is looked up when its user calls this.
    """
    capture = importlib.import_module("executorch.exir")
    return capture.EdgeCompileConfig(_check_ir_validity=False, preserve_ops=list(_WHOLE))
