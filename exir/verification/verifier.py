"""Documented path of :mod:`executorch.dialects.verifiers`."""

from executorch.dialects.verifiers import (
    DialectRules,
    EdgeVerifier,
    edge_verifier,
    verify_aten_graph,
    verify_edge_graph,
    verify_execution_graph,
)

__all__ = [
    "DialectRules",
    "EdgeVerifier",
    "edge_verifier",
    "verify_aten_graph",
    "verify_edge_graph",
    "verify_execution_graph",
]
