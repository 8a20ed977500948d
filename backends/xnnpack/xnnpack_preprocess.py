"""Compiles a subgraph into the blob that the run-time half of the backend reads."""

from __future__ import annotations

from torch.export import ExportedProgram

# Importing a module of operators registers their lowerings.
from executorch.backends.xnnpack.graph import elementwise, matrix, reduce, shape, spatial
from executorch.backends.xnnpack.graph.lowering import lower_graph
from executorch.backends.xnnpack.serialization.blob import pack
from executorch.dialects import meta_keys
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult

LOWERINGS = (elementwise, matrix, reduce, shape, spatial)


class XnnpackBackend(BackendDetails):
    """XNNPACK on the CPU. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """The subgraph as an XNNPACK graph; weights go to the program's named data, where equal ones are one."""
        builder = lower_graph(edge_program)
        handles = {
            node.meta[meta_keys.DEBUG_HANDLE]
            for node in edge_program.graph.nodes
            if meta_keys.DEBUG_HANDLE in node.meta
        }
        return PreprocessResult(
            processed_bytes=pack(builder.graph()),
            debug_handle_map={handle: (handle,) for handle in sorted(handles)},
            data_store_output=builder.named_data.get_named_data_store_output(),
        )
