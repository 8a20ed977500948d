"""From a subgraph to a VGF file."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.backends.arm.tosa.backend import lower_to_tosa
from executorch.backends.arm.vgf.compile_spec import VgfCompileSpec
from executorch.backends.arm.vgf.converter import vgf_compile
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult


class VgfBackend(BackendDetails):
    """TOSA, made VGF by the model converter. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        spec = VgfCompileSpec.from_list(compile_specs)
        tosa = lower_to_tosa(edge_program, spec)
        return PreprocessResult(
            processed_bytes=vgf_compile(tosa, spec.compiler_flags, spec.get_intermediate_path())
        )
