"""The example backend, ahead of time: its "compiled" form of a subgraph is the subgraph as text."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.backends.example.example_backend_delegate_passes.merge_to_dim_pass import MergeToDimPass
from executorch.backends.example.example_backend_delegate_passes.permute_memory_formats_pass import (
    PermuteMemoryFormatsPass,
)
from executorch.partitioner import BackendDetails, CompileSpec, DelegateMappingBuilder, PreprocessResult


class ExampleBackend(BackendDetails):
    """Puts convolutions on channels-last data, and writes down the graph that comes of it."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Returns the graph as text (UTF-8), and which nodes of the model each of its operators stands for."""
        graph_module = edge_program.graph_module
        for graph_pass in (PermuteMemoryFormatsPass(), MergeToDimPass()):
            graph_module = graph_pass(graph_module).graph_module
        mapping = DelegateMappingBuilder(generated_identifiers=True)
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and "debug_handle" in node.meta:
                mapping.insert_delegate_mapping_entry(node)
        return PreprocessResult(
            processed_bytes=str(graph_module.graph).encode(),
            debug_handle_map=mapping.get_delegate_mapping(),
        )


__all__ = ["ExampleBackend"]
