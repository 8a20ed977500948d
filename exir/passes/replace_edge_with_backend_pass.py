"""Documented path of :mod:`executorch.passes.to_execution.replace_edge_with_backend_pass`."""

from executorch.passes.to_execution.replace_edge_with_backend_pass import EdgeToBackendOpsPass

__all__ = [
    "EdgeToBackendOpsPass",
]
