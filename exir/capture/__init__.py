"""Options of the stages; see :mod:`executorch.exir.capture._config`."""

import pkgutil
from typing import Any

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig


def __getattr__(name: str) -> Any:
    # The older interface stands on every stage, and the stages read their options here.
    if name in ("CallSpec", "capture"):
        from executorch.exir.published import legacy_program

        return getattr(legacy_program, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["CaptureConfig", "EdgeCompileConfig", "ExecutorchBackendConfig"]
