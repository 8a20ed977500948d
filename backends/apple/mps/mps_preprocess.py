"""Compiles a subgraph into the blob that the run-time half of the backend reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from torch.export import ExportedProgram

from executorch.backends.apple.mps.graph.lowering import lower_graph
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult

#: Compile spec of one byte: whether float32 is calculated in half precision, which it is where there is none.
USE_FP16 = "use_fp16"


@final
class MPSBackend(BackendDetails):
    """Apple's graphics processors through MPSGraph. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """The subgraph as a blob.

        Args:
            edge_program: the subgraph.
            compile_specs: ``use_fp16``.

        Raises:
            ExportError: an operator that the delegate has not, or no such compile spec.
        """
        use_fp16 = calculates_in_half(compile_specs)
        handles = {
            node.meta[meta_keys.DEBUG_HANDLE]
            for node in edge_program.graph.nodes
            if meta_keys.DEBUG_HANDLE in node.meta
        }
        return PreprocessResult(
            processed_bytes=lower_graph(edge_program, use_fp16).blob(),
            debug_handle_map={handle: (handle,) for handle in sorted(handles)},
        )


def calculates_in_half(specs: Iterable[CompileSpec]) -> bool:
    """What the compile specs say of precision.

    Raises:
        ExportError: another compile spec, or a value that is neither true nor false.
    """
    use_fp16 = True
    for spec in specs:
        if spec.key != USE_FP16 or spec.value not in (b"\0", b"\1"):
            raise ExportError(
                f"MPS has no compile spec {spec.key!r} of {spec.value!r}. Way out: CompileSpec({USE_FP16!r}, bytes([True])), or False"
            )
        use_fp16 = spec.value == b"\1"
    return use_fp16
