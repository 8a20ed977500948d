"""Options of the stages; see :mod:`executorch.exir.capture._config`."""

from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig

__all__ = ["CaptureConfig", "EdgeCompileConfig", "ExecutorchBackendConfig"]
