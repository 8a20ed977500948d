"""The ahead-of-time half of the backend."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.backends.bytecode.compiler import Compiler, debug_handles
from executorch.partitioner import BackendDetails, CompileSpec, DelegateMappingBuilder, PreprocessResult


class BytecodeBackend(BackendDetails):
    """Compiles element-wise float32 subgraphs; runtime/bytecode_backend.cc registers the same name."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        compiler = Compiler(edge_program)
        code = compiler.compile()
        mapping = DelegateMappingBuilder(generated_identifiers=True)
        operators = debug_handles(edge_program)
        if operators:  # The whole code runs block by block, so it is one event: identifier 0.
            mapping.insert_delegate_mapping_entry(nodes=operators)
        return PreprocessResult(
            processed_bytes=code.encode(),
            debug_handle_map=mapping.get_delegate_mapping(),
            data_store_output=compiler.data.get_named_data_store_output(),
        )
