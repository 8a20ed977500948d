"""From a module to an edge program, an execution program, or a file."""

import logging
import os
from collections.abc import Mapping
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge,
)

_log = logging.getLogger(__name__)

_WITHOUT_DIM_ORDER = EdgeCompileConfig(_skip_dim_order=True)


def _to_core_aten(
    model: "torch.nn.Module | torch.fx.GraphModule",
    example_inputs: tuple[Any, ...],
    *,
    example_kwarg_inputs: "dict[str, Any] | None" = None,
    dynamic_shapes: Any = None,
    strict: bool = True,
    verbose: bool = True,
) -> ExportedProgram:
    """``torch.export.export`` with the module checked first."""
    if not isinstance(model, torch.nn.Module):
        raise ValueError(f"expected a torch.nn.Module to export, got {type(model).__name__}: {model!r}")
    program = torch.export.export(
        model, example_inputs, kwargs=example_kwarg_inputs, dynamic_shapes=dynamic_shapes, strict=strict
    )
    if verbose:
        _log.info("exported graph:\n%s", program.graph)
    return program


def _core_aten_to_edge(
    core_aten_exir_ep: ExportedProgram,
    edge_constant_methods: "Mapping[str, Any] | None" = None,
    edge_compile_config: "EdgeCompileConfig | None" = None,
    verbose: bool = True,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """:func:`executorch.exir.to_edge`; without a config the dialect is not verified, as documented here."""
    config = edge_compile_config or EdgeCompileConfig(_check_ir_validity=False)
    manager = to_edge(
        core_aten_exir_ep,
        constant_methods=edge_constant_methods,
        compile_config=config,
        generate_etrecord=generate_etrecord,
    )
    if verbose:
        _log.info("edge graph:\n%s", manager.exported_program().graph)
    return manager


def export_to_edge(
    model: "torch.nn.Module | torch.fx.GraphModule",
    example_inputs: tuple[Any, ...],
    *,
    example_kwarg_inputs: "dict[str, Any] | None" = None,
    dynamic_shapes: Any = None,
    edge_constant_methods: "Mapping[str, Any] | None" = None,
    edge_compile_config: "EdgeCompileConfig | None" = _WITHOUT_DIM_ORDER,
    strict: bool = True,
    verbose: bool = True,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """Exports a module and lowers it to the edge dialect.

    Args:
        model: the module.
        example_inputs: positional inputs as for ``torch.export.export``.
        example_kwarg_inputs: keyword inputs, likewise.
        dynamic_shapes: which dimensions are dynamic, likewise.
        edge_constant_methods: method name to a constant that the method of this name returns at run time.
        edge_compile_config: see :class:`~executorch.exir.EdgeCompileConfig`; by default without dim-order operators.
        strict: the mode of ``torch.export.export``.
        verbose: log both graphs at level INFO.
        generate_etrecord: keep what the inspector needs, as in :func:`executorch.exir.to_edge`.

    Raises:
        ValueError: ``model`` is no module.
        SpecViolationError: as :func:`executorch.exir.to_edge`.
    """
    program = _to_core_aten(
        model,
        example_inputs,
        example_kwarg_inputs=example_kwarg_inputs,
        dynamic_shapes=dynamic_shapes,
        strict=strict,
        verbose=verbose,
    )
    return _core_aten_to_edge(
        program,
        edge_constant_methods,
        edge_compile_config,
        verbose=verbose,
        generate_etrecord=generate_etrecord,
    )


def export_to_exec_prog(
    model: "torch.nn.Module | torch.fx.GraphModule",
    example_inputs: tuple[Any, ...],
    *,
    example_kwarg_inputs: "dict[str, Any] | None" = None,
    dynamic_shapes: Any = None,
    edge_constant_methods: "Mapping[str, Any] | None" = None,
    edge_compile_config: "EdgeCompileConfig | None" = _WITHOUT_DIM_ORDER,
    backend_config: "ExecutorchBackendConfig | None" = None,
    strict: bool = True,
) -> ExecutorchProgramManager:
    """:func:`export_to_edge`, then ``to_executorch``.

    Args:
        backend_config: see :class:`~executorch.exir.ExecutorchBackendConfig`; the others as in :func:`export_to_edge`.
    """
    edge = export_to_edge(
        model,
        example_inputs,
        example_kwarg_inputs=example_kwarg_inputs,
        dynamic_shapes=dynamic_shapes,
        edge_constant_methods=edge_constant_methods,
        edge_compile_config=edge_compile_config,
        strict=strict,
        verbose=False,
    )
    return edge.to_executorch(backend_config)


def save_pte_program(prog: ExecutorchProgramManager, model_name: str, output_dir: str = "") -> str:
    """Writes a program, and the ``.ptd`` files it has beside it.

    Args:
        prog: the program.
        model_name: the file to write if it ends in ``.pte``; otherwise its name without directory and ending.
        output_dir: directory for ``model_name`` without ending and for ``.ptd`` files; default the current one.

    Returns:
        the path of the ``.pte`` file.

    Raises:
        OSError: the directory does not exist or cannot be written.
    """
    path = model_name if model_name.endswith(".pte") else os.path.join(output_dir, f"{model_name}.pte")
    with open(path, "wb") as file:
        prog.write_to_file(file)
    prog.write_tensor_data_to_file(output_dir or ".")
    _log.info("saved program to %s", path)
    return path
