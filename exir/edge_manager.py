"""``EdgeProgramManager``: the methods of a model in the edge dialect."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.dialects.errors import ExportError, ExportErrorType, UnknownMethodError
from executorch.dialects.torch_types import OpOverload
from executorch.exir.capture._config import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.edge_lowering import as_edge_program
from executorch.exir.etrecord_hook import Record
from executorch.exir.execution_lowering import (
    EXECUTION,
    for_method,
    run_user_passes,
    to_planned_execution,
)
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.exir.missing_kernels import warn_missing_kernels
from executorch.exir.progress import progress, step
from executorch.exir.stages import timed
from executorch.partitioner import (
    MethodProgramsPartitionerSpec,
    NamedDataStore,
    Partitioner,
    get_lowered_backend_modules,
    to_backend,
)
from executorch.passes.infrastructure.pass_manager import PassManager

DEFAULT_METHOD = "forward"


class EdgeProgramManager:
    """One edge program per method, and the steps from there: transform, delegate, lower to an executable program.

    No step changes the manager it is called on; each returns a new one. Weights are shared between them.

    Args:
        edge_programs: a program (becomes ``forward``) or a mapping of method name to program.
        constant_methods: method name to the constant that the method returns at run time.
        compile_config: decides what verification accepts.
        core_aten_ops_exception_list: operators outside core ATen to accept, besides those of ``compile_config``.
        preserve_ops: operators that were kept whole, besides those of ``compile_config``.
    """

    def __init__(
        self,
        edge_programs: "ExportedProgram | Mapping[str, ExportedProgram]",
        constant_methods: "Mapping[str, Any] | None" = None,
        compile_config: "EdgeCompileConfig | None" = None,
        core_aten_ops_exception_list: "Sequence[OpOverload] | None" = None,
        preserve_ops: "Sequence[OpOverload] | None" = None,
    ) -> None:
        self.compile_config = extended(compile_config, core_aten_ops_exception_list, preserve_ops)
        programs = as_methods(edge_programs)
        self._edge_programs = {
            name: as_edge_program(program, self.compile_config) for name, program in programs.items()
        }
        self._config_methods = dict(constant_methods or {})
        self._etrecord: Record | None = None

    @classmethod
    def _of_verified(
        cls,
        edge_programs: Mapping[str, ExportedProgram],
        constant_methods: "Mapping[str, Any] | None",
        compile_config: EdgeCompileConfig,
    ) -> "EdgeProgramManager":
        """A manager of programs that a pipeline has verified, which it therefore does not do again."""
        manager = cls({}, constant_methods, compile_config)
        manager._edge_programs = dict(edge_programs)
        return manager

    @property
    def methods(self) -> set[str]:
        """Names of the methods that compute."""
        return set(self._edge_programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the methods that return a constant."""
        return set(self._config_methods)

    def exported_program(self, method_name: str = DEFAULT_METHOD) -> ExportedProgram:
        """The edge program of a method.

        Raises:
            UnknownMethodError: there is none of this name (also a ``KeyError``).
        """
        return find_method(self._edge_programs, method_name)

    @property
    def _named_data_store(self) -> NamedDataStore:
        """What the delegates of all methods, control flow included, keep beside their blobs under a key."""
        store = NamedDataStore()
        for program in self._edge_programs.values():
            for module in program.graph_module.modules():
                if not isinstance(module, GraphModule):
                    continue
                for lowered in get_lowered_backend_modules(module):
                    if lowered.named_data_store_output is not None:
                        store.merge_named_data_store(lowered.named_data_store_output)
        return store

    def transform(
        self,
        passes: "Sequence[Any] | Mapping[str, Sequence[Any]] | PassManager",
        compile_config: "EdgeCompileConfig | None" = None,
    ) -> "EdgeProgramManager":
        """A manager whose programs went through ``passes``, in order.

        Args:
            passes: callables from ``GraphModule`` to ``PassResult``; a list or a ``PassManager`` for all methods, or a
                mapping by method name (methods that are absent stay as they are).
            compile_config: for the verification afterwards; default the manager's own.

        Raises:
            SpecViolationError: a pass left the edge dialect.
            UnknownMethodError: the mapping names a method that does not exist.
        """
        config = compile_config or self.compile_config
        if isinstance(passes, Mapping):
            for name in passes:
                self.exported_program(name)
        programs = {}
        for name, program in self._edge_programs.items():
            chosen = for_method(passes, name, ())
            programs[name] = run_user_passes(program, chosen) if chosen else program
        return self._with_programs(programs, config)

    def to_backend(self, partitioner: "Partitioner | Mapping[str, Partitioner]") -> "EdgeProgramManager":
        """A manager in whose programs the nodes chosen by ``partitioner`` are delegate calls.

        Args:
            partitioner: for all methods, or a mapping by method name (methods that are absent stay as they are).

        Raises:
            ExportError: see :func:`executorch.partitioner.to_backend`.
        """
        if isinstance(partitioner, Mapping):
            chosen = dict(partitioner)
        else:
            chosen = {name: partitioner for name in self._edge_programs}
        for name in chosen:
            self.exported_program(name)
        lowered = to_backend(MethodProgramsPartitionerSpec(self._edge_programs, chosen))
        return self._with_programs(lowered, self.compile_config)

    def to_executorch(self, config: "ExecutorchBackendConfig | None" = None) -> ExecutorchProgramManager:
        """Lowers all methods to the execution form, plans their memory and emits the program.

        Raises:
            ExportError: an operator without out variant, a size without bound, a plan or value that cannot be
                written; the message lists all of a kind.
        """
        config = config or ExecutorchBackendConfig()
        config.check()
        with progress("to_executorch", len(config.pipeline or EXECUTION) + 1):
            programs = to_planned_execution(self._edge_programs, config, self.compile_config)
            step("emit")
            with timed("to_executorch", "emit"):
                manager = ExecutorchProgramManager(programs, self._config_methods, config)
        if config.warn_missing_kernels:
            warn_missing_kernels(programs)
        if self._etrecord is not None:
            manager._etrecord = self._etrecord.copy()
            manager._etrecord.add_executorch_program(manager)
        return manager

    def _with_programs(
        self, programs: Mapping[str, ExportedProgram], config: EdgeCompileConfig
    ) -> "EdgeProgramManager":
        made = EdgeProgramManager(programs, self._config_methods, config)
        made._etrecord = self._etrecord
        return made


def as_methods(programs: "ExportedProgram | Mapping[str, ExportedProgram]") -> dict[str, ExportedProgram]:
    """Method name to program; a single program is ``forward``.

    Raises:
        ExportError: something in it is not an ``ExportedProgram``.
    """
    methods = dict(programs) if isinstance(programs, Mapping) else {DEFAULT_METHOD: programs}
    for name, program in methods.items():
        if not isinstance(program, ExportedProgram):
            raise ExportError(
                ExportErrorType.INVALID_INPUT_TYPE,
                f"method {name!r} is a {type(program).__name__}, not an ExportedProgram\n"
                "Way out: call torch.export.export(module, example_inputs) first",
            )
    return methods


def find_method(programs: Mapping[str, ExportedProgram], name: str) -> ExportedProgram:
    """``programs[name]``, with an error that lists what there is."""
    if name not in programs:
        raise UnknownMethodError(f"no method {name!r}; this program has {sorted(programs)}")
    return programs[name]


def extended(
    config: "EdgeCompileConfig | None",
    exceptions: "Sequence[OpOverload] | None" = None,
    preserve: "Sequence[OpOverload] | None" = None,
) -> EdgeCompileConfig:
    """A copy of ``config`` that accepts, or keeps whole, further operators."""
    config = config or EdgeCompileConfig()
    return dataclasses.replace(
        config,
        _core_aten_ops_exception_list=[*config._core_aten_ops_exception_list, *(exceptions or ())],
        preserve_ops=[*config.preserve_ops, *(preserve or ())],
    )
