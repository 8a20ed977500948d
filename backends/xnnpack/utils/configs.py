"""The documented settings of the front door for programs that XNNPACK runs."""

from __future__ import annotations

import importlib
from typing import Any

from executorch.backends.xnnpack.remove_noop_expand_copy_pass import RemoveNoopExpandCopyPass


def get_transform_passes(additional_passes: list[Any] | None = None) -> list[Any]:
    """Passes that leave more to the backend, for ``to_edge_transform_and_lower(transform_passes=...)``.

    Args:
        additional_passes: run after these.
    """
    return [RemoveNoopExpandCopyPass(), *(additional_passes or ())]


def get_xnnpack_edge_compile_config(skip_dim_order: bool = False) -> Any:
    """An ``EdgeCompileConfig`` that leaves quantized operators alone.

    A backend stands below the front door, so ``executorch.exir`` is looked up when its user calls this.
    """
    capture = importlib.import_module("executorch.exir")
    return capture.EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=skip_dim_order)


def get_xnnpack_executorch_backend_config(additional_passes: list[Any] | None = None) -> Any:
    """An ``ExecutorchBackendConfig`` with delegate blobs in segments of their own."""
    capture = importlib.import_module("executorch.exir")
    return capture.ExecutorchBackendConfig(
        passes=list(additional_passes or []), extract_delegate_segments=True
    )
