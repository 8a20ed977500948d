"""From a model to a program for Xtensa: the documented entry points.

::

    edge = quantize_and_export_to_cadence(model, inputs)
    program = edge.to_executorch()

Step by step: ``trace``, ``prepare_pt2``, calibration, ``convert_pt2``, ``apply_pre_edge_transform_passes``; ``quantize_pt2``
does these in one. ``export_to_edge`` and ``export_to_cadence`` lower a model, quantized or not; ``_lower_ep_to_edge`` and
``_lower_ep_to_cadence``, whose names are published, a program that is captured, as ``quantize_pt2`` gives it.
"""

from __future__ import annotations

import logging
import pathlib
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e

from executorch.backends.cadence.compile_mode import CompileMode, EdgePassesConfig
from executorch.backends.cadence.memory.config import MemoryConfig
from executorch.backends.cadence.memory.planning import CadenceMemoryPlanning
from executorch.backends.cadence.passes.pipeline import apply_exir_ops_passes, apply_torch_ops_passes
from executorch.backends.cadence.quantizer.fusion_pass import QuantFusionPass
from executorch.backends.cadence.quantizer.quantizer import (
    CadenceDefaultQuantizer,
    CadenceQuantizer,
    patterns_of,
)
from executorch.dialects.torch_types import OpOverload
from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge,
)
from executorch.memory_planning import MemoryPlanningPass

_LOG: Final = logging.getLogger(__name__)
_aten = torch.ops.aten

Inputs = tuple[object, ...]

#: Operators that core ATen takes apart and that are passed on in one piece.
_WHOLE: Final = (_aten.rms_norm.default,)
#: Operators outside core ATen that programs may have.
_ALLOWED: Final = (
    _aten._linalg_det.default,
    _aten._linalg_svd.default,
    _aten._native_batch_norm_legit_functional.default,
    _aten.linear.default,
    _aten.linalg_vector_norm.default,
    _aten.unfold.default,
    _aten.angle.default,
    _aten.rms_norm.default,
)


def _show(title: str, graph: Any, wanted: bool) -> None:
    if wanted:
        _LOG.info("%s:\n%s", title, graph)


def trace(
    model: torch.nn.Module,
    inputs: Inputs,
    dump_graphs: bool = False,
    ops_to_keep: list[OpOverload] | None = None,
    is_qat: bool = False,
) -> ExportedProgram:
    """Captures a model in core ATen operators.

    Args:
        model: for inference, unless ``is_qat``.
        inputs: of one call.
        dump_graphs: log the graph.
        ops_to_keep: operators that stay in one piece; a quantizer names those of its patterns.
        is_qat: for training.
    """
    model.train() if is_qat else model.eval()
    program = torch.export.export(model, inputs)
    table = torch.export.default_decompositions()
    for op in (*_WHOLE, *(ops_to_keep or ())):
        table.pop(op, None)
    if not is_qat:
        program = program.run_decompositions(table)
    _show("Captured", program.graph, dump_graphs)
    return program


def prepare_traced_pt2(
    program: ExportedProgram, quantizer: CadenceQuantizer, dump_graphs: bool = False, is_qat: bool = False
) -> GraphModule:
    """The captured model with observers, to be calibrated, or with ``is_qat`` trained."""
    prepare = prepare_qat_pt2e if is_qat else prepare_pt2e
    prepared = prepare(program.module(), quantizer)
    _show("Prepared", prepared.graph, dump_graphs)
    return prepared


def prepare_pt2(
    model: torch.nn.Module,
    inputs: Inputs,
    quantizer: CadenceQuantizer,
    dump_graphs: bool = False,
    is_qat: bool = False,
) -> GraphModule:
    """Captures a model and gives it observers; the quantizer is the one that the model is fused with later."""
    kept = quantizer.get_ops_to_preserve_from_decomposition()
    program = trace(model, inputs, dump_graphs, kept, is_qat)
    return prepare_traced_pt2(program, quantizer, dump_graphs, is_qat)


def convert_pt2(graph_module: GraphModule, dump_graphs: bool = False) -> GraphModule:
    """The calibrated model with quantization in the place of its observers, and integers as weights."""
    converted = convert_pt2e(graph_module)
    _show("Converted", converted.graph, dump_graphs)
    return converted


def apply_pre_edge_transform_passes(
    converted_program: ExportedProgram, quantizer: CadenceQuantizer
) -> ExportedProgram:
    """Puts operators on integers in the place of the quantizer's patterns (in place).

    Args:
        converted_program: the converted model, captured again.
        quantizer: that it was prepared with.
    """
    QuantFusionPass(patterns_of([quantizer]))(converted_program.graph_module)
    return apply_torch_ops_passes(converted_program)


def get_fake_quant_model(
    model: torch.nn.Module,
    inputs: Inputs,
    quantizer: CadenceQuantizer,
    calibration_data: Sequence[Inputs] | None = None,
    dump_graphs: bool = False,
) -> GraphModule:
    """The converted model, which calculates in floating point on quantized values: what the integers must give."""
    prepared = prepare_pt2(model, inputs, quantizer, dump_graphs)
    for example in calibration_data or [inputs]:
        prepared(*example)
    return convert_pt2(prepared, dump_graphs)


def quantize_pt2(
    model: torch.nn.Module,
    inputs: Inputs,
    quantizer: CadenceQuantizer | None = None,
    calibration_data: Sequence[Inputs] | None = None,
    dump_graphs: bool = False,
) -> ExportedProgram:
    """Captures, prepares, calibrates, converts and fuses a model.

    Args:
        model: for inference.
        inputs: of one call.
        quantizer: :class:`CadenceDefaultQuantizer` by default.
        calibration_data: inputs of several calls; without them ``inputs`` are all that is looked at.
        dump_graphs: log the graphs.
    """
    quantizer = quantizer or CadenceDefaultQuantizer()
    converted = get_fake_quant_model(model, inputs, quantizer, calibration_data, dump_graphs)
    move_exported_model_to_eval(converted)
    program = torch.export.export(converted, inputs)
    fused = apply_pre_edge_transform_passes(program, quantizer)
    _show("Fused", fused.graph, dump_graphs)
    return fused


def _lower_ep_to_edge(
    program: ExportedProgram,
    dump_graphs: bool = False,
    constant_methods: dict[str, object] | None = None,
    core_aten_exceptions: list[OpOverload] | None = None,
) -> EdgeProgramManager:
    """:func:`export_to_edge` of what is captured."""
    config = EdgeCompileConfig(
        _skip_dim_order=True,
        _core_aten_ops_exception_list=[*_ALLOWED, *(core_aten_exceptions or ())],
        preserve_ops=list(_WHOLE),
    )
    edge = to_edge(program, compile_config=config, constant_methods=constant_methods)
    _show("Lowered", edge.exported_program().graph, dump_graphs)
    return edge


def export_to_edge(
    model: torch.nn.Module,
    inputs: Inputs,
    dump_graphs: bool = False,
    constant_methods: dict[str, object] | None = None,
    core_aten_exceptions: list[OpOverload] | None = None,
) -> EdgeProgramManager:
    """Lowers a model to edge operators.

    Args:
        model, inputs, dump_graphs: as for :func:`trace`.
        constant_methods: further methods of the program, which return values.
        core_aten_exceptions: operators outside core ATen that the model may have.
    """
    program = trace(model, inputs, dump_graphs)
    return _lower_ep_to_edge(program, dump_graphs, constant_methods, core_aten_exceptions)


def quantize_and_export_to_edge(
    model: torch.nn.Module,
    inputs: Inputs,
    quantizer: CadenceQuantizer | None = None,
    dump_graphs: bool = False,
    constant_methods: dict[str, object] | None = None,
    calibration_data: Sequence[Inputs] | None = None,
    core_aten_exceptions: list[OpOverload] | None = None,
) -> EdgeProgramManager:
    """:func:`quantize_pt2`, then to edge operators."""
    program = quantize_pt2(model, inputs, quantizer, calibration_data, dump_graphs)
    return _lower_ep_to_edge(program, dump_graphs, constant_methods, core_aten_exceptions)


def _mode(mode: CompileMode, opt_level: int | None) -> CompileMode:
    """``opt_level`` is the way of earlier versions to say it: 0, 1 to 3, and 4."""
    if opt_level is None:
        return mode
    if opt_level not in range(5):
        raise ValueError(f"opt_level is 0 to 4, not {opt_level}")
    levels = {0: CompileMode.MINIMAL, 4: CompileMode.SIZE}
    return levels.get(opt_level, CompileMode.DEFAULT)


def _optimized(
    edge: EdgeProgramManager,
    dump_graphs: bool,
    mode: CompileMode,
    edge_passes_config: EdgePassesConfig | None,
) -> EdgeProgramManager:
    made = apply_exir_ops_passes(mode, edge, edge_passes_config)
    _show("Optimized", made.exported_program().graph, dump_graphs)
    return made


def _lower_ep_to_cadence(
    program: ExportedProgram,
    dump_graphs: bool = False,
    mode: CompileMode = CompileMode.DEFAULT,
    edge_passes_config: EdgePassesConfig | None = None,
) -> EdgeProgramManager:
    """:func:`export_to_cadence` of what is captured, quantized or not."""
    return _optimized(_lower_ep_to_edge(program, dump_graphs), dump_graphs, mode, edge_passes_config)


def export_to_cadence(
    model: torch.nn.Module,
    inputs: Inputs,
    dump_graphs: bool = False,
    mode: CompileMode = CompileMode.DEFAULT,
    edge_passes_config: EdgePassesConfig | None = None,
    opt_level: int | None = None,
) -> EdgeProgramManager:
    """Lowers a model and rewrites it for Xtensa.

    Args:
        model, inputs, dump_graphs: as for :func:`trace`.
        mode: which passes run.
        edge_passes_config: choices among them.
        opt_level: 0 to 4, in the place of ``mode``.
    """
    program = trace(model, inputs, dump_graphs)
    return _lower_ep_to_cadence(program, dump_graphs, _mode(mode, opt_level), edge_passes_config)


def quantize_and_export_to_cadence(
    model: torch.nn.Module,
    inputs: Inputs,
    dump_graphs: bool = False,
    mode: CompileMode = CompileMode.DEFAULT,
    edge_passes_config: EdgePassesConfig | None = None,
    opt_level: int | None = None,
) -> EdgeProgramManager:
    """:func:`quantize_and_export_to_edge` with the default quantizer, then as :func:`export_to_cadence`."""
    edge = quantize_and_export_to_edge(model, inputs, dump_graphs=dump_graphs)
    return _optimized(edge, dump_graphs, _mode(mode, opt_level), edge_passes_config)


def _plan(alloc_graph_input: bool, alloc_graph_output: bool) -> ExecutorchBackendConfig:
    planning = MemoryPlanningPass(alloc_graph_input=alloc_graph_input, alloc_graph_output=alloc_graph_output)
    return ExecutorchBackendConfig(memory_planning_pass=planning)


def _executorch(
    edge: EdgeProgramManager, output_dir: str | None, config: ExecutorchBackendConfig
) -> ExecutorchProgramManager:
    """To a program; with a directory, a record for the developer tools goes there."""
    from executorch.devtools import generate_etrecord

    program = edge.to_executorch(config)
    if output_dir is not None:
        folder = pathlib.Path(output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        generate_etrecord(str(folder / "etrecord.bin"), edge, program)
    return program


def _lower_ep_to_cadence_gen_etrecord(
    program: ExportedProgram,
    output_dir: str | None = None,
    mode: CompileMode = CompileMode.DEFAULT,
    mem_algo: int = 0,
    alloc_graph_input: bool = True,
    alloc_graph_output: bool = True,
    memory_config: MemoryConfig | None = None,
    dump_graphs: bool = False,
) -> ExecutorchProgramManager:
    """:func:`export_to_executorch_gen_etrecord` of what is captured, quantized or not."""
    edge = _lower_ep_to_cadence(program, dump_graphs, mode)
    config = _plan(alloc_graph_input, alloc_graph_output)
    if memory_config is not None:
        planning: Any = CadenceMemoryPlanning(
            memory_config, mode, mem_algo, alloc_graph_input, alloc_graph_output
        )
        config.memory_planning_pass = planning
    return _executorch(edge, output_dir, config)


def export_to_executorch_gen_etrecord(
    model: torch.nn.Module,
    inputs: Inputs,
    output_dir: str | None = None,
    mode: CompileMode = CompileMode.DEFAULT,
    mem_algo: int = 0,
    alloc_graph_input: bool = True,
    alloc_graph_output: bool = True,
    memory_config: MemoryConfig | None = None,
    dump_graphs: bool = False,
    opt_level: int | None = None,
) -> ExecutorchProgramManager:
    """:func:`export_to_cadence`, then to a program, with a record for the developer tools.

    Args:
        model, inputs, mode, dump_graphs, opt_level: as for :func:`export_to_cadence`.
        output_dir: where ``etrecord.bin`` goes; none is written without.
        mem_algo, memory_config: the memories of the processor, and how values are placed in them, see
            :class:`~executorch.backends.cadence.memory.planning.CadenceMemoryPlanning`; without memories, all is planned in one.
        alloc_graph_input, alloc_graph_output: whether memory of inputs and outputs is planned.
    """
    return _lower_ep_to_cadence_gen_etrecord(
        trace(model, inputs, dump_graphs),
        output_dir,
        _mode(mode, opt_level),
        mem_algo,
        alloc_graph_input,
        alloc_graph_output,
        memory_config,
        dump_graphs,
    )
