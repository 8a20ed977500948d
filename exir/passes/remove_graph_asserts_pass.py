"""Documented path of :mod:`executorch.passes.remove_graph_asserts_pass`."""

from executorch.passes.remove_graph_asserts_pass import (
    RemoveGraphAssertsPass,
    RemoveNonCoreAtenOpGraphAssertsPass,
)

__all__ = [
    "RemoveGraphAssertsPass",
    "RemoveNonCoreAtenOpGraphAssertsPass",
]
