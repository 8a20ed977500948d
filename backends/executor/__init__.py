"""A demo backend that runs a whole program inside a delegate. See README.md."""

from executorch.backends.executor.executor_backend import ExecutorBackend, ExecutorPartitioner

__all__ = ["ExecutorBackend", "ExecutorPartitioner"]
