"""The front door: from ``torch.export`` to a program, in two calls.

::

    edge = to_edge_transform_and_lower(torch.export.export(model, example_inputs), partitioner=[...])
    edge.to_executorch().save("model.pte")

See README.md for the public face and the stages behind it.
"""

from typing import TYPE_CHECKING, Any

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.emitter import EmitterOutput, emit_program
from executorch.exir._submodules import submodule_getter
from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.edge_manager import EdgeProgramManager
from executorch.exir.emission_hook import install_emission_hook
from executorch.exir.entry_points import to_edge, to_edge_transform_and_lower, to_edge_with_preserved_ops
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.exir.legacy_program import CallSpec, ExecutorchProgram, ExirExportedProgram, capture
from executorch.exir.program._program import edge_to_executorch_passes
from executorch.exir.tracer import ExirDynamoConfig, Value
from executorch.passes.infrastructure.export_pass import ExportPass

if TYPE_CHECKING:
    from executorch.exir.serde.serialize import load, save

install_emission_hook()


_submodule = submodule_getter(
    __name__,
    "_serialize _warnings backend banked_memory_planning common debug_handle_utils delegate dialects"
    " dim_order_utils dynamic_shape emit error graph_module lowered_backend_module memory memory_planning operator"
    " pass_base pass_manager passes print_program program scalar_type schema serde sym_util tensor tensor_layout tracer"
    " types verification version",
)


def __getattr__(name: str) -> Any:
    # Only those who store edge programs pay for importing torch's serializer.
    if name in ("load", "save"):
        from executorch.exir.serde import serialize

        return getattr(serialize, name)
    return _submodule(name)


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
