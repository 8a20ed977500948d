"""The interface before program managers: ``capture(...).to_edge().to_executorch()``.

Kept for code of older releases. A captured program is a ``torch.export`` program in a coat whose methods change
or replace what is inside; new code uses :func:`~executorch.exir.to_edge` and the managers.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.emitter import EmitterOutput
from executorch.exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.edge_manager import DEFAULT_METHOD, EdgeProgramManager
from executorch.exir.entry_points import to_edge
from executorch.exir.execution_lowering import run_user_passes
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.schema.program import Program


class CallSpec(NamedTuple):
    """How a captured function is called: pytree specs of its inputs and its outputs."""

    in_spec: Any
    out_spec: Any


class WrapperModule(torch.nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = f


@contextmanager
def patch_forward(obj: torch.nn.Module, new_method: Callable[..., Any]) -> Iterator[None]:
    """While it is open, ``obj.forward`` is ``new_method``, so that ``torch.export`` captures that one.

    Raises:
        ExportError: ``new_method`` belongs to another object than ``obj``.
    """
    if getattr(new_method, "__self__", obj) is not obj:
        raise ExportError(
            ExportErrorType.INVALID_INPUT_TYPE,
            f"{new_method!r} is not a method of the module\nWay out: pass one of its own methods",
        )
    missing = object()
    original = vars(obj).get("forward", missing)
    obj.forward = new_method  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        if original is missing:
            del obj.forward
        else:
            obj.forward = original


class ExecutorchProgram:
    """An executable program of one method; see :class:`~executorch.exir.ExecutorchProgramManager`."""

    def __init__(self, manager: ExecutorchProgramManager) -> None:
        self._manager = manager

    @property
    def buffer(self) -> bytes:
        """The ``.pte`` file."""
        return self._manager.buffer

    @property
    def data_files(self) -> dict[str, bytes]:
        """Name of each external data file to its content."""
        return self._manager.data_files

    @property
    def program(self) -> Program:
        """The program as the schema's objects."""
        return self._manager.executorch_program

    @property
    def debug_handle_map(self) -> dict[str, dict[int, Any]]:
        return self._manager.debug_handle_map

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        return self._manager.delegate_map

    @property
    def instruction_id_to_num_outs_map(self) -> dict[str, dict[int, int]]:
        return self._manager.instruction_id_to_num_outs_map

    @property
    def graph_module(self) -> GraphModule:
        """The graph in execution form."""
        return self.dump_exported_program().graph_module

    def dump_graph_module(self) -> GraphModule:
        """The same as :attr:`graph_module`."""
        return self.graph_module

    def dump_exported_program(self) -> ExportedProgram:
        """The program in execution form."""
        return self._manager.exported_program()

    def write_to_file(self, open_file: BinaryIO) -> None:
        """Writes the ``.pte`` file to a file opened for binary writing."""
        self._manager.write_to_file(open_file)

    def write_tensor_data_to_file(self, outdir: Any) -> None:
        """Writes the external data files to a directory."""
        self._manager.write_tensor_data_to_file(outdir)

    def _get_emitter_output(self) -> EmitterOutput:
        return self._manager._emitter_output


class ExirExportedProgram:
    """A captured program of one method on its way.

    Args:
        exported_program: what ``torch.export`` gave, or an edge program.
        after_to_edge_passes: True when it is an edge program.
        compile_config: how it was, or will be, lowered to the edge dialect.
    """

    def __init__(
        self,
        exported_program: ExportedProgram,
        after_to_edge_passes: bool = False,
        compile_config: "EdgeCompileConfig | None" = None,
    ) -> None:
        self.exported_program = exported_program
        self.after_to_edge_passes = after_to_edge_passes
        self.compile_config = compile_config

    def transform(self, *passes: Any) -> "ExirExportedProgram":
        """The program after graph passes, in order; this one stays as it is."""
        program = run_user_passes(self.exported_program, passes)
        return ExirExportedProgram(program, self.after_to_edge_passes, self.compile_config)

    def to_edge(self, config: "EdgeCompileConfig | None" = None) -> "ExirExportedProgram":
        """The program in the edge dialect."""
        config = config or self.compile_config or EdgeCompileConfig()
        edge = to_edge(self.exported_program, compile_config=config).exported_program()
        return ExirExportedProgram(edge, True, config)

    def to_executorch(self, config: "ExecutorchBackendConfig | None" = None) -> ExecutorchProgram:
        """The executable program.

        Raises:
            ExportError: the program is not in the edge dialect yet.
        """
        if not self.after_to_edge_passes:
            raise ExportError(
                ExportErrorType.UNINITIALIZED,
                "the program is not in the edge dialect\nWay out: call to_edge() first",
            )
        manager = EdgeProgramManager({DEFAULT_METHOD: self.exported_program}, None, self.compile_config)
        return ExecutorchProgram(manager.to_executorch(config))

    def __call__(self, *args: Any) -> Any:
        """Runs the program in Python."""
        return self.exported_program.module()(*args)

    def __deepcopy__(self, memo: Any = None) -> "ExirExportedProgram":
        program = copy.deepcopy(self.exported_program, memo)
        return ExirExportedProgram(program, self.after_to_edge_passes, self.compile_config)

    def dump(self) -> None:
        """Prints the graph."""
        print(self.exported_program.graph_module.graph)

    def __getattr__(self, name: str) -> Any:
        if name == "exported_program":
            raise AttributeError(name)
        return getattr(self.exported_program, name)


def capture(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    config: "CaptureConfig | None" = None,
    dynamic_shapes: "Sequence[Any] | Mapping[str, Any] | None" = None,
) -> ExirExportedProgram:
    """Captures a function or module with ``torch.export``.

    Args:
        f: to capture.
        args: example inputs.
        config: ``enable_dynamic_shape`` without ``dynamic_shapes`` lets export decide every size; the other options
            are torch.export's business now.
        dynamic_shapes: as ``torch.export.export`` takes them.
    """
    config = config or CaptureConfig()
    module = f if isinstance(f, torch.nn.Module) else WrapperModule(f)
    shapes: Any = dynamic_shapes
    if shapes is None and config.enable_dynamic_shape:
        shapes = tuple(_all_dynamic(arg) for arg in args)
    return ExirExportedProgram(torch.export.export(module, args, dynamic_shapes=shapes, strict=False))


def _all_dynamic(arg: Any) -> Any:
    if not isinstance(arg, torch.Tensor):
        return None
    return {position: torch.export.Dim.AUTO for position, size in enumerate(arg.shape) if size > 1}
