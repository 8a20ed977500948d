"""Options of the stages; see :mod:`executorch.exir.capture._config`."""

from typing import Any

from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig


def __getattr__(name: str) -> Any:
    # The older interface stands on every stage, and the stages read their options here.
    if name in ("CallSpec", "capture"):
        from executorch.exir.capture import _capture

        return getattr(_capture, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["CaptureConfig", "EdgeCompileConfig", "ExecutorchBackendConfig"]
