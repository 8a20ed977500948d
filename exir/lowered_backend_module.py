"""Documented path of :mod:`executorch.partitioner.interface.lowered_module` and of `submodule_from_nodes`."""

from executorch.partitioner import LoweredBackendModule, get_lowered_backend_modules, get_lowered_submodules
from executorch.partitioner.extraction.arrange_graph import arrange_graph_outputs, arrange_graph_placeholders
from executorch.partitioner.extraction.submodule_from_nodes import create_submodule_from_nodes

__all__ = [
    "LoweredBackendModule",
    "arrange_graph_outputs",
    "arrange_graph_placeholders",
    "create_submodule_from_nodes",
    "get_lowered_backend_modules",
    "get_lowered_submodules",
]
