"""The functions a user calls: ``to_edge`` and ``to_edge_transform_and_lower``."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from torch.export import ExportedProgram

from executorch.dialects.torch_types import OpOverload
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.delegation import DELEGATION, DelegationSettings, accepting_tables
from executorch.exir.edge_lowering import EDGE, EDGE_DIALECT, EdgeSettings, Preserved, to_edge_dialect
from executorch.exir.edge_manager import EdgeProgramManager, as_methods, extended, find_method
from executorch.exir.etrecord_hook import Record, new_record
from executorch.exir.progress import progress
from executorch.partitioner import Partitioner

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
    settings = {
        name: EdgeSettings(config, Preserved.conversions(program)) for name, program in methods.items()
    }
    with progress("to_edge", len(config.pipeline or EDGE)):
        edge = to_edge_dialect(methods, settings)
    accepted = extended(config, exceptions=_kept(settings))
    return _recorded(EdgeProgramManager._of_verified(edge, constant_methods, accepted), record, programs)


def to_edge_with_preserved_ops(
    programs: Programs,
    constant_methods: "Mapping[str, Any] | None" = None,
    compile_config: "EdgeCompileConfig | None" = None,
    preserve_ops: Sequence[OpOverload] = (),
) -> EdgeProgramManager:
    """:func:`to_edge` with the operators in ``preserve_ops`` kept whole; the same as naming them in the config."""
    return to_edge(programs, constant_methods, extended(compile_config, preserve=preserve_ops))


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
    for given in (transform_passes, partitioner):
        for name in given if isinstance(given, Mapping) else ():
            find_method(methods, name)
    partitioners = {name: _partitioners_of(partitioner, name) for name in methods}
    methods = {name: _prepared(program, partitioners[name]) for name, program in methods.items()}
    settings = {
        name: DelegationSettings(
            config,
            Preserved.asked_by(partitioners[name], program).with_tables(program),
            name,
            transform_passes,
            partitioners[name],
        )
        for name, program in methods.items()
    }
    stages = len(config.pipeline or EDGE) + len(DELEGATION)
    with progress("to_edge_transform_and_lower", stages + max(map(len, partitioners.values()), default=0)):
        edge = to_edge_dialect(methods, settings)
        edge = DELEGATION.until("transform").run(edge, settings, EDGE_DIALECT)
        if record is not None:
            whole = extended(config, preserve=_kept(settings))
            manager = EdgeProgramManager._of_verified(edge, constant_methods, whole)
            if transform_passes is not None:
                record.add_extra_export_modules({"edge_after_transform": manager})
            _recorded(manager, record, programs)
        lowered = DELEGATION.after("transform").run(edge, settings, EDGE_DIALECT)
    accepted = accepting_tables(config, lowered.values())
    result = EdgeProgramManager._of_verified(lowered, constant_methods, accepted)
    result._etrecord = record
    return result


def _kept(settings: Mapping[str, EdgeSettings]) -> list[OpOverload]:
    """The operators that were kept whole in any method."""
    return [op for one in settings.values() for op in one.preserved.filters]


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


def _partitioners_of(partitioner: "Partitioners | None", method: str) -> list[Partitioner]:
    if isinstance(partitioner, Mapping):
        partitioner = partitioner.get(method)
    if partitioner is None:
        return []
    return list(partitioner) if isinstance(partitioner, (list, tuple)) else [partitioner]  # type: ignore[list-item]
