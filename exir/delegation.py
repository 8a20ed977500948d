"""From edge programs to edge programs with delegates: the stages of :data:`DELEGATION`."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram

from executorch.dialects.edge_ops import aten_op
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.edge_lowering import (
    EDGE_DIALECT,
    EdgeSettings,
    as_edge_program,
    decompose_leftovers,
    dialect_rules,
)
from executorch.exir.execution_lowering import for_method, run_user_passes
from executorch.exir.progress import step
from executorch.exir.stages import Form, JointStage, Pipeline, ProgramStep, Stage
from executorch.partitioner import MethodProgramsPartitionerSpec, Partitioner, to_backend
from executorch.passes.quantized.quantized_embeddings import is_quantized_table


@dataclass(frozen=True)
class DelegationSettings(EdgeSettings):
    """What the stages of one method depend on, besides those to the edge dialect.

    Attributes:
        method: its name.
        transform_passes: the caller's, for all methods or by method name; None for none.
        partitioners: those of this method, in order of preference.
    """

    method: str = "forward"
    transform_passes: Any = None
    partitioners: Sequence[Partitioner] = ()


def _transforms(settings: DelegationSettings) -> Sequence[Any]:
    return [ProgramStep(run_user_passes, for_method(settings.transform_passes, settings.method, ()))]


def passes_for_it(settings: DelegationSettings) -> bool:
    """Whether the caller has passes for this method."""
    return bool(for_method(settings.transform_passes, settings.method, ()))


def _delegate(
    programs: Mapping[str, ExportedProgram], settings: Mapping[str, DelegationSettings]
) -> Mapping[str, ExportedProgram]:
    """One preference after the other, all methods together, so that backends can share data between them."""
    partitioners = {name: settings[name].partitioners for name in programs}
    for rank in range(max(map(len, partitioners.values()), default=0)):
        step(f"partitioner {rank + 1}")
        of_rank = {name: chosen[rank] for name, chosen in partitioners.items() if rank < len(chosen)}
        programs = to_backend(MethodProgramsPartitionerSpec(programs, of_rank))
    return programs


def _leftovers(settings: DelegationSettings) -> Sequence[Any]:
    def leftovers(program: ExportedProgram) -> ExportedProgram:
        return decompose_leftovers(program, settings.config, settings.preserved, tables=False)

    return [ProgramStep(leftovers)]


def accepting_tables(config: EdgeCompileConfig, programs: Iterable[ExportedProgram]) -> EdgeCompileConfig:
    """``config``, which accepts the conversions that are left in front of embeddings of quantized tables."""
    nodes = [node for program in programs for node in program.graph.nodes if is_quantized_table(node)]
    ops = {op for node in nodes if (op := aten_op(node.target)) is not None}
    if not ops:
        return config
    accepted = [*config._core_aten_ops_exception_list, *sorted(ops, key=str)]
    return dataclasses.replace(config, _core_aten_ops_exception_list=accepted)


def _verified(program: ExportedProgram, settings: DelegationSettings) -> ExportedProgram:
    config = accepting_tables(settings.config, [program])
    return as_edge_program(program, config, dialect_rules(config))


#: The edge dialect without operators that were kept whole for partitioners.
DELEGATED = Form("edge, nothing whole", _verified)

DELEGATION = Pipeline(
    "delegation",
    (
        Stage(
            "transform",
            _transforms,
            EDGE_DIALECT,
            EDGE_DIALECT,
            when=passes_for_it,
            leaves="what the caller's passes made",
        ),
        JointStage(
            "delegate", _delegate, EDGE_DIALECT, leaves="delegates in place of what partitioners took"
        ),
        Stage(
            "leftovers", _leftovers, None, DELEGATED, leaves="no operators that were kept whole for nobody"
        ),
    ),
)


__all__ = ["DELEGATED", "DELEGATION", "DelegationSettings", "accepting_tables", "passes_for_it"]
