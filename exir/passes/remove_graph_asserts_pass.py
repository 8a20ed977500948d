"""Documented path of :mod:`executorch.passes.to_edge.remove_graph_asserts_pass`."""

from executorch.passes.to_edge.remove_graph_asserts_pass import (
    RemoveGraphAssertsPass,
    RemoveNonCoreAtenOpGraphAssertsPass,
)

__all__ = [
    "RemoveGraphAssertsPass",
    "RemoveNonCoreAtenOpGraphAssertsPass",
]
