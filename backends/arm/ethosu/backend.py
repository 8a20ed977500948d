"""From a subgraph to the blob of the Ethos-U delegate."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.backends.arm.ethosu.compile_spec import EthosUCompileSpec
from executorch.backends.arm.ethosu.vela import vela_compile
from executorch.backends.arm.tosa.backend import lower_to_tosa
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult


class EthosUBackend(BackendDetails):
    """TOSA, compiled by Vela. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        spec = EthosUCompileSpec.from_list(compile_specs)
        tosa = lower_to_tosa(edge_program, spec)
        blob = vela_compile(tosa, spec.compiler_flags, spec.get_intermediate_path())
        return PreprocessResult(processed_bytes=blob)
