"""The ahead-of-time half: the subgraph is lowered and emitted like a model, and the ``.pte`` is the blob."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.partitioner import AllNodePartitioner, BackendDetails, CompileSpec, PreprocessResult
from executorch.partitioner.interface.lowered_module import emit_program


class ExecutorBackend(BackendDetails):
    """Blob: a program whose ``forward`` is the subgraph; what it holds may be delegated in turn."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        return PreprocessResult(processed_bytes=bytes(emit_program(edge_program).buffer))


class ExecutorPartitioner(AllNodePartitioner):
    """Takes the whole graph with all its constants."""

    def __init__(self, compile_specs: list[CompileSpec] | None = None) -> None:
        super().__init__(ExecutorBackend.__name__, compile_specs or [])
