"""From a subgraph to the blob of the Ethos-U delegate."""

from __future__ import annotations

from torch.export import ExportedProgram

from executorch.backends.arm.ethosu.compile_spec import EthosUCompileSpec
from executorch.backends.arm.ethosu.vela import vela_compile
from executorch.backends.arm.tosa.backend import lower_to_tosa
from executorch.partitioner import BackendDetails, CompileSpec, NamedDataStore, PreprocessResult


class EthosUBackend(BackendDetails):
    """TOSA, compiled by Vela. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        spec = EthosUCompileSpec.from_list(compile_specs)
        tosa = lower_to_tosa(edge_program, spec)
        made = vela_compile(
            tosa,
            spec.compiler_flags,
            spec.get_intermediate_path(),
            spec.external_block_placements.to_block_placements(),
        )
        if not made.external_blocks:
            return PreprocessResult(processed_bytes=made.processed_bytes)
        store = NamedDataStore()
        for one in made.external_blocks:
            store.add_named_data(one.key, one.payload, one.alignment, one.placement)
        return PreprocessResult(
            processed_bytes=made.processed_bytes, data_store_output=store.get_named_data_store_output()
        )
