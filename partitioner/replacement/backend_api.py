"""``to_backend``: hands a whole program, or the parts that partitioners choose, to backends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import torch
from torch.export import ExportedProgram

from executorch.dialects import meta_keys
from executorch.ir.clone import clone_program
from executorch.ir.graph import fingerprint
from executorch.partitioner.interface.backend_details import PreprocessResult
from executorch.partitioner.interface.backend_lookup import find_backend
from executorch.partitioner.interface.compile_spec import CompileSpec, PreprocessOnlySpec
from executorch.partitioner.interface.delegation import DelegationSpec, Partitioner, PartitionResult
from executorch.partitioner.interface.errors import PartitionerContractError, PreprocessError
from executorch.partitioner.interface.lowered_module import LoweredBackendModule
from executorch.partitioner.replacement.lowering import GraphPlan, plan_program, rebuild_program
from executorch.partitioner.selection.duplicates import copy_for_readers, give_arguments_inside
from executorch.partitioner.selection.reasons import note_unexplained

_validation_enabled = True


def disable_validation() -> None:
    """From now on ``to_backend`` does not check that partitioners change nothing but tags."""
    global _validation_enabled
    _validation_enabled = False


@contextlib.contextmanager
def validation_disabled() -> Iterator[None]:
    """Inside, ``to_backend`` does not check that partitioners change nothing but tags."""
    global _validation_enabled
    before = _validation_enabled
    _validation_enabled = False
    try:
        yield
    finally:
        _validation_enabled = before


@dataclass
class MethodProgramsPartitionerSpec:
    """Several methods to be lowered together, so that backends can share data between them.

    Attributes:
        method_to_edge_program: method name -> its edge program.
        method_to_partitioner: method name -> its partitioner; a method that is absent here stays as it is.
    """

    method_to_edge_program: Mapping[str, ExportedProgram]
    method_to_partitioner: Mapping[str, Partitioner]


@overload
def to_backend(
    backend_id: str, edge_program: ExportedProgram, compile_specs: list[CompileSpec]
) -> LoweredBackendModule: ...


@overload
def to_backend(
    edge_program: ExportedProgram, partitioner_instance: Partitioner | Sequence[Partitioner]
) -> ExportedProgram: ...


@overload
def to_backend(
    method_edge_program_partitioners: MethodProgramsPartitionerSpec,
) -> dict[str, ExportedProgram]: ...


def to_backend(*args: Any, **kwargs: Any) -> Any:
    """Hands (parts of) edge programs to backends. The program that is given never changes.

    Three flows:

    * ``to_backend(backend_id, edge_program, compile_specs)``: the whole program becomes one
      ``LoweredBackendModule``.
    * ``to_backend(edge_program, partitioner)``: the nodes that the partitioner tags become delegates; with a
      sequence of partitioners each sees what those before it have left. Gives a new ``ExportedProgram``.
    * ``to_backend(MethodProgramsPartitionerSpec(programs, partitioners))``: the same for several methods,
      with one ``preprocess_multimethod`` call per backend. Gives a program per method.

    Raises:
        BackendNotFoundError: no backend of the name (also a ``NotImplementedError``).
        PartitionerContractError: a partitioner changed the program or set tags that cannot be honoured.
        PartitionCycleError: partitions are not convex.
        PreprocessError: a backend did not return a ``PreprocessResult`` with bytes.
    """
    first = args[0] if args else None
    if isinstance(first, str) or "backend_id" in kwargs:
        return _lower_whole_program(*args, **kwargs)
    if isinstance(first, ExportedProgram) or "edge_program" in kwargs:
        return _lower_partitions(*args, **kwargs)
    if isinstance(first, MethodProgramsPartitionerSpec) or "method_edge_program_partitioners" in kwargs:
        return _lower_methods(*args, **kwargs)
    raise TypeError(
        "to_backend takes (backend_id, edge_program, compile_specs), (edge_program, partitioner) or one "
        f"MethodProgramsPartitionerSpec; its first argument was a {type(first).__name__}"
    )


def _lower_whole_program(
    backend_id: str,
    edge_program: ExportedProgram,
    compile_specs: list[CompileSpec] | None = None,
    compile_spec: list[CompileSpec] | None = None,
) -> LoweredBackendModule:
    specs = compile_specs if compile_specs is not None else (compile_spec or [])
    backend = find_backend(backend_id)
    program = backend.copy_exported_program_for_preprocess(edge_program, specs)
    result = backend.preprocess(program, specs)
    return _lowered(backend_id, edge_program, result, specs, backend.read_ahead)


def _lower_partitions(
    edge_program: ExportedProgram,
    partitioner_instance: Partitioner | Sequence[Partitioner] | None = None,
    partitioner: Partitioner | Sequence[Partitioner] | None = None,
) -> ExportedProgram:
    chosen = partitioner_instance if partitioner_instance is not None else partitioner
    program = edge_program
    for one in _as_sequence(chosen):
        tagged = _partition(program, one)
        plan = plan_program(tagged.tagged_exported_program, tagged.partition_tags)
        lowered = {}
        for subgraph in plan.all_subgraphs():
            spec = tagged.partition_tags[subgraph.tag]
            module = _lower_whole_program(spec.backend_id, subgraph.program, spec.compile_specs)
            lowered[id(subgraph)] = module
        program = rebuild_program(tagged.tagged_exported_program, plan, lowered)
    return program


def _lower_methods(
    method_edge_program_partitioners: MethodProgramsPartitionerSpec,
) -> dict[str, ExportedProgram]:
    programs = method_edge_program_partitioners.method_to_edge_program
    partitioners = method_edge_program_partitioners.method_to_partitioner
    unknown = sorted(partitioners.keys() - programs.keys())
    if unknown:
        raise PartitionerContractError(
            f"partitioners are given for methods {unknown}, but the program has {sorted(programs)}"
        )
    tagged = {method: _partition(programs[method], partitioners[method]) for method in partitioners}
    plans = {
        method: plan_program(result.tagged_exported_program, result.partition_tags)
        for method, result in tagged.items()
    }
    lowered = _preprocess_by_backend(tagged, plans)
    done = {
        method: rebuild_program(tagged[method].tagged_exported_program, plan, lowered)
        for method, plan in plans.items()
    }
    return {method: done.get(method, program) for method, program in programs.items()}


def _preprocess_by_backend(
    tagged: Mapping[str, PartitionResult], plans: Mapping[str, GraphPlan]
) -> dict[int, LoweredBackendModule]:
    """``id(subgraph)`` -> lowered module, with one ``preprocess_multimethod`` call for each backend."""
    work: dict[str, dict[str, list[tuple[Any, DelegationSpec]]]] = {}
    for method, plan in plans.items():
        for subgraph in plan.all_subgraphs():
            spec = tagged[method].partition_tags[subgraph.tag]
            work.setdefault(spec.backend_id, {}).setdefault(method, []).append((subgraph, spec))
    lowered = {}
    for backend_id, methods in work.items():
        backend = find_backend(backend_id)
        results = backend.preprocess_multimethod(
            {
                method: [
                    backend.copy_exported_program_for_preprocess(subgraph.program, spec.compile_specs)
                    for subgraph, spec in items
                ]
                for method, items in methods.items()
            },
            {method: [spec.compile_specs for _, spec in items] for method, items in methods.items()},
        )
        for method, items in methods.items():
            given = results.get(method, [])
            if len(given) != len(items):
                raise PreprocessError(
                    f"backend {backend_id} returned {len(given)} results for method {method!r}, which has "
                    f"{len(items)} subgraphs"
                )
            for (subgraph, spec), result in zip(items, given, strict=True):
                lowered[id(subgraph)] = _lowered(
                    backend_id, subgraph.program, result, spec.compile_specs, backend.read_ahead
                )
    return lowered


def _as_sequence(partitioner: Partitioner | Sequence[Partitioner] | None) -> Iterable[Partitioner]:
    chosen: list[Partitioner] = []
    for one in partitioner if isinstance(partitioner, (list, tuple)) else [partitioner]:
        if not isinstance(one, Partitioner):
            raise TypeError(
                "to_backend needs an instance of a Partitioner subclass for an exported program, but got "
                f"{one!r}. Way out: pass MyPartitioner(), not the class or a backend's name."
            )
        chosen.append(one)
    return chosen


def _partition(program: ExportedProgram, partitioner: Partitioner) -> PartitionResult:
    """Runs the partitioner on a copy of the graph, and checks that it has only tagged it."""
    copied = clone_program(program)
    for module in copied.graph_module.modules():  # Tags of an earlier partitioner mean nothing to this one.
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            node.meta.pop(meta_keys.DELEGATION_TAG, None)
    before = fingerprint(copied.graph_module) if _validation_enabled else b""
    result = partitioner(copied)
    who = type(partitioner).__name__
    if not isinstance(result, PartitionResult) or not isinstance(result.partition_tags, Mapping):
        raise PartitionerContractError(
            f"the result of {who}.partition (a {type(result).__name__}) needs a `partition_tags` field containing "
            "a mapping of tags to delegate spec. Way out: return PartitionResult(exported_program, tags)."
        )
    if _validation_enabled and fingerprint(result.tagged_exported_program.graph_module) != before:
        raise PartitionerContractError(
            f"{who}.partition changed the graph. A partitioner may set node.meta['delegation_tag'] and "
            "nothing else. Way out: rewrite the graph in a pass before, or in the backend's preprocess."
        )
    note_unexplained(result.tagged_exported_program.graph_module, who)
    give_arguments_inside(result.tagged_exported_program.graph_module)
    copy_for_readers(result.tagged_exported_program.graph_module)
    return result


def _lowered(
    backend_id: str,
    program: ExportedProgram,
    result: PreprocessResult,
    specs: list[CompileSpec],
    read_ahead: int | None,
) -> LoweredBackendModule:
    blob = getattr(result, "processed_bytes", None)
    if not isinstance(result, PreprocessResult) or not isinstance(blob, (bytes, bytearray, memoryview)):
        raise PreprocessError(
            f"{backend_id}.preprocess returned {type(result).__name__} with processed_bytes of type "
            f"{type(blob).__name__}; it must return PreprocessResult(processed_bytes=<bytes>)"
        )
    kept = [one for one in specs if not isinstance(one, PreprocessOnlySpec)]
    module = LoweredBackendModule(program, backend_id, bytes(blob), kept, result.data_store_output)
    if read_ahead is not None:
        module.meta[meta_keys.READ_AHEAD] = read_ahead
    module.meta["debug_handle_map"] = result.debug_handle_map
    if result._delegate_info_meta is not None:
        module.meta["_delegate_info_meta"] = result._delegate_info_meta
    return module
