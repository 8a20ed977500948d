"""From a subgraph to a TOSA file."""

from __future__ import annotations

import json
from pathlib import Path

from torch.export import ExportedProgram

import executorch.backends.arm.tosa.operators  # noqa: F401 - fills the registry of lowerings.
from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.common.pipeline_config import SDPASafeSoftmaxGuardPolicy
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.graph.lowering import Lowering, where_from
from executorch.backends.transforms.safe_softmax import simplify_softmaxes
from executorch.dialects import meta_keys
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult


class TOSABackend(BackendDetails):
    """Its delegates hold TOSA files. No runtime has it: the reference model runs them (``test.runner``)."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        spec = TosaCompileSpec.from_list(compile_specs)
        return PreprocessResult(processed_bytes=lower_to_tosa(edge_program, spec))


def lower_to_tosa(program: ExportedProgram, spec: ArmCompileSpec) -> bytes:
    """The subgraph as a TOSA file; intermediates are written where the compile spec says."""
    if spec.get_pass_pipeline_config().sdpa_safe_softmax_guard is SDPASafeSoftmaxGuardPolicy.REMOVE:
        simplify_softmaxes(program.graph, None, lambda _: True)
    tells = spec.tosa_debug_mode
    lowering = Lowering(program, spec.tosa_spec, tells is ArmCompileSpec.DebugMode.TOSA)
    made = lowering.run()
    folder = spec.get_intermediate_path()
    if folder is not None:
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        stem = _free_name(place, "output_" + _tag_of(program))
        (place / f"{stem}.tosa").write_bytes(made)
        if tells is ArmCompileSpec.DebugMode.JSON:
            # As released, if it is the only one in the folder.
            named = place / "debug.json"
            (place / f"{stem}.json" if named.exists() else named).write_text(
                json.dumps(
                    [where_from(node) for node in program.graph.nodes if node.op == "call_function"], indent=1
                )
            )
    return made


def _tag_of(program: ExportedProgram) -> str:
    tags = (node.meta.get(meta_keys.DELEGATION_TAG) for node in program.graph.nodes)
    return next((str(tag) for tag in tags if tag), "tosa")


def _free_name(folder: Path, stem: str) -> str:
    number, found = 1, stem
    while (folder / f"{found}.tosa").exists():
        number += 1
        found = f"{stem}_{number}"
    return found
