"""The functions a user calls: ``to_edge`` and ``to_edge_transform_and_lower``."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from torch._ops import OpOverload
from torch.export import ExportedProgram

from executorch.dialects.edge_ops import aten_op
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.edge_lowering import STEPS, Preserved, aten_to_edge, decompose_leftovers
from executorch.exir.edge_manager import EdgeProgramManager, as_methods
from executorch.exir.etrecord_hook import Record, new_record
from executorch.exir.progress import progress, step
from executorch.partitioner import Partitioner
from executorch.passes.quantized_embeddings import is_quantized_table

Programs: TypeAlias = ExportedProgram | Mapping[str, ExportedProgram]
Partitioners: TypeAlias = Sequence[Partitioner] | Mapping[str, Sequence[Partitioner]] | Partitioner


def to_edge(
    programs: Programs,
    constant_methods: "Mapping[str, Any] | None" = None,
    compile_config: "EdgeCompileConfig | None" = None,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """Lowers exported programs to the edge dialect.

    Args:
        programs: what ``torch.export.export`` returned, or a mapping of method name to that. Not changed.
        constant_methods: method name to a constant that the method of this name returns at run time.
        compile_config: see :class:`~executorch.exir.EdgeCompileConfig`.
        generate_etrecord: keep what the inspector needs to lead from a run back to the model; see
            :meth:`~executorch.exir.ExecutorchProgramManager.get_etrecord`.

    Raises:
        SpecViolationError: operators or element types that the dialect lacks; the message lists all.
    """
    record = new_record() if generate_etrecord else None
    config = compile_config or EdgeCompileConfig()
    methods = as_methods(programs)
    with progress("to_edge", STEPS * len(methods)):
        kept = {name: Preserved.conversions(program) for name, program in methods.items()}
        edge = {name: aten_to_edge(program, config, kept[name]) for name, program in methods.items()}
        kept_ops = [op for one in kept.values() for op in one.filters]
        manager = EdgeProgramManager(edge, constant_methods, config, core_aten_ops_exception_list=kept_ops)
    return _recorded(manager, record, programs)


def to_edge_with_preserved_ops(
    programs: Programs,
    constant_methods: "Mapping[str, Any] | None" = None,
    compile_config: "EdgeCompileConfig | None" = None,
    preserve_ops: Sequence[OpOverload] = (),
) -> EdgeProgramManager:
    """:func:`to_edge` with the operators in ``preserve_ops`` kept whole; the same as naming them in the config."""
    config = compile_config or EdgeCompileConfig()
    edge = {
        name: aten_to_edge(program, config, _always(preserve_ops))
        for name, program in as_methods(programs).items()
    }
    return EdgeProgramManager(edge, constant_methods, config, preserve_ops=preserve_ops)


def to_edge_transform_and_lower(
    programs: Programs,
    transform_passes: "Sequence[Any] | Mapping[str, Sequence[Any]] | None" = None,
    partitioner: "Partitioners | None" = None,
    constant_methods: "Mapping[str, Any] | None" = None,
    compile_config: "EdgeCompileConfig | None" = None,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """Lowers exported programs to the edge dialect, transforms them, and hands parts of them to backends.

    Compared with :func:`to_edge` and ``to_backend`` one after the other, partitioners see the operators they asked
    to keep whole (``ops_to_not_decompose``); what none of them takes is decomposed afterwards.

    Args:
        programs: what ``torch.export.export`` returned, or a mapping of method name to that. Not changed.
        transform_passes: passes over the edge graph before partitioning; for all methods or by method name.
        partitioner: partitioners in order of preference; for all methods or by method name.
        constant_methods: method name to a constant that the method of this name returns at run time.
        compile_config: see :class:`~executorch.exir.EdgeCompileConfig`.
        generate_etrecord: as in :func:`to_edge`.

    Raises:
        ExportError: from the lowering, a pass, a partitioner or a backend.
    """
    record = new_record() if generate_etrecord else None
    config = compile_config or EdgeCompileConfig()
    methods = as_methods(programs)
    partitioners = {name: _partitioners_of(partitioner, name) for name in methods}
    methods = {name: _prepared(program, partitioners[name]) for name, program in methods.items()}
    preserved = {
        name: Preserved.asked_by(partitioners[name], program).with_tables(program)
        for name, program in methods.items()
    }
    ranks = max((len(chosen) for chosen in partitioners.values()), default=0)
    with progress("to_edge_transform_and_lower", STEPS * len(methods) + ranks + 2):
        edge = {name: aten_to_edge(program, config, preserved[name]) for name, program in methods.items()}
        kept_ops = [op for asked in preserved.values() for op in asked.filters]
        manager = EdgeProgramManager(edge, constant_methods, config, preserve_ops=kept_ops)
        if transform_passes is not None:
            step("transform")
            manager = manager.transform(transform_passes)
            if record is not None:
                record.add_extra_export_modules({"edge_after_transform": manager})
        manager = _recorded(manager, record, programs)
        for rank in range(ranks):
            step(f"partitioner {rank + 1}")
            manager = manager.to_backend(
                {name: chosen[rank] for name, chosen in partitioners.items() if rank < len(chosen)}
            )
        step("leftovers")
        rest = _accepting_tables(config, manager)
        lowered = {
            name: decompose_leftovers(manager.exported_program(name), rest, asked, tables=False)
            for name, asked in preserved.items()
        }
        result = EdgeProgramManager(lowered, constant_methods, rest)
    result._etrecord = manager._etrecord
    return result


def _accepting_tables(config: EdgeCompileConfig, manager: EdgeProgramManager) -> EdgeCompileConfig:
    """``config``, which accepts the conversions that are left in front of embeddings of quantized tables."""
    programs = [manager.exported_program(name) for name in sorted(manager.methods)]
    nodes = [node for program in programs for node in program.graph.nodes if is_quantized_table(node)]
    ops = {op for node in nodes if (op := aten_op(node.target)) is not None}
    if not ops:
        return config
    accepted = [*config._core_aten_ops_exception_list, *sorted(ops, key=str)]
    return dataclasses.replace(config, _core_aten_ops_exception_list=accepted)


def _recorded(manager: EdgeProgramManager, record: "Record | None", programs: Programs) -> EdgeProgramManager:
    """``manager``, which keeps ``record`` of the programs it came from and of itself."""
    if record is not None:
        record.add_exported_program(programs if isinstance(programs, ExportedProgram) else dict(programs))
        record.add_edge_dialect_program(manager)
        manager._etrecord = record
    return manager


def _prepared(program: ExportedProgram, partitioners: Sequence[Partitioner]) -> ExportedProgram:
    """``program`` after what partitioners do to it before anything is decomposed."""
    for partitioner in partitioners:
        transform = getattr(partitioner, "transform_for_pre_decomposition", None)
        if transform is not None:
            program = transform(program)
    return program


def _always(ops: Sequence[OpOverload]) -> Preserved:
    return Preserved({op: [lambda node: True] for op in ops})


def _partitioners_of(partitioner: "Partitioners | None", method: str) -> list[Partitioner]:
    if isinstance(partitioner, Mapping):
        partitioner = partitioner.get(method)
    if partitioner is None:
        return []
    return list(partitioner) if isinstance(partitioner, (list, tuple)) else [partitioner]  # type: ignore[list-item]
