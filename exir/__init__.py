"""The front door: from ``torch.export`` to a program, in two calls.

::

    edge = to_edge_transform_and_lower(torch.export.export(model, example_inputs), partitioner=[...])
    edge.to_executorch().save("model.pte")

See README.md for the public face and the stages behind it.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.emitter import EmitterOutput, emit_program
from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.edge_manager import EdgeProgramManager
from executorch.exir.emission_hook import install_emission_hook
from executorch.exir.entry_points import to_edge, to_edge_transform_and_lower, to_edge_with_preserved_ops
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.exir.published.legacy_program import CallSpec, ExecutorchProgram, ExirExportedProgram, capture
from executorch.exir.published.program._program import edge_to_executorch_passes
from executorch.exir.tracer import ExirDynamoConfig, Value
from executorch.passes.infrastructure.export_pass import ExportPass

if TYPE_CHECKING:
    from executorch.exir.serde.serialize import load, save

install_emission_hook()


def __getattr__(name: str) -> Any:
    # Only those who store edge programs pay for importing torch's serializer.
    if name in ("load", "save"):
        from executorch.exir.serde import serialize

        return getattr(serialize, name)
    # Published code takes modules as attributes (`exir.memory.alloc`). Importing the package imports none of its published
    # paths, so that it stays cheap.
    module = f"{__name__}.{name}"
    if not name.startswith("__"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CallSpec",
    "CaptureConfig",
    "EdgeCompileConfig",
    "EdgeProgramManager",
    "EmitterOutput",
    "ExecutorchBackendConfig",
    "ExecutorchProgram",
    "ExecutorchProgramManager",
    "ExirDynamoConfig",
    "ExirExportedProgram",
    "ExportError",
    "ExportErrorType",
    "ExportPass",
    "ExportedProgram",
    "Value",
    "capture",
    "edge_to_executorch_passes",
    "emit_program",
    "load",
    "save",
    "to_edge",
    "to_edge_transform_and_lower",
    "to_edge_with_preserved_ops",
]
