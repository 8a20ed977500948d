"""Takes an architecture through export, lowering and the runtime in each of the suite's ways, beside eager PyTorch."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.export import Dim, ExportedProgram
from torch.utils import _pytree as pytree
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import ExecutorchProgramManager, to_edge_transform_and_lower
from executorch.runtime import Runtime
from executorch.tests.zoo.architectures import registry
from executorch.tests.zoo.architectures.page import INT8_AGREEMENT, INT8_LOSS, TOLERANCE
from executorch.tests.zoo.run import planned_bytes, relative_error
from executorch.tests.zoo.specimen import Specimen


@dataclass
class Result:
    """What came of one architecture in one way.

    Attributes:
        verdict: ``right``, ``wrong``, ``failed``, or ``not exported`` where ``torch.export`` or the quantizer's preparation, which are
            not of this project, refuse.
        error: largest error as a share of the largest magnitude; in int8 the signal-to-noise ratio against floating point, in
            decibels.
        reference: in int8 that of the quantized module in PyTorch.
        reason: of what is not right, one line.
        lowering: seconds from the exported program to the file.
        planned: bytes planned for activations.
        calls, delegates: instructions of the program, and those of them that call a delegate.
    """

    verdict: str = "failed"
    error: float | None = None
    reference: float | None = None
    reason: str = ""
    lowering: float | None = None
    planned: int | None = None
    calls: int | None = None
    delegates: int | None = None


class NotExported(Exception):
    """torch.export, or torch's preparation for quantization, refused."""


class Subject:
    """An architecture, and its program for inputs of one shape, exported when it is first asked for."""

    def __init__(self, specimen: Specimen) -> None:
        self.module, self.inputs = specimen.module, specimen.inputs

    @functools.cached_property
    def program(self) -> ExportedProgram:
        return _export(self.module, self.inputs)


def portable(subject: Subject) -> Result:
    """Without a partitioner."""
    return _compared(subject.program, (), subject.module, [subject.inputs])


def xnnpack(subject: Subject) -> Result:
    """With XNNPACK's partitioner."""
    return _compared(subject.program, (XnnpackPartitioner(),), subject.module, [subject.inputs])


def dynamic_batch(subject: Subject) -> Result:
    """Without a partitioner, for one to four rows; run with one, two and four."""
    batch = Dim("batch", min=1, max=4)
    shapes = (tuple({0: batch} for _ in subject.inputs),)
    program = _export(subject.module, subject.inputs, shapes if _is_variadic(subject.module) else shapes[0])
    inputs = [subject.inputs, *(tuple(_rows(x, rows) for x in subject.inputs) for rows in (1, 4))]
    return _compared(program, (), subject.module, inputs)


def int8(subject: Subject) -> Result:
    """Quantized by XNNPACK's quantizer with scales by output channel, calibrated on the inputs."""
    quantized = _quantized(subject)
    program = _export(quantized, subject.inputs)
    result, executable = _lowered(program, (XnnpackPartitioner(),))
    with torch.no_grad():
        expected = pytree.tree_leaves(subject.module(*subject.inputs))
        rounded = pytree.tree_leaves(quantized(*subject.inputs))
    (actual,) = _executed(executable, [subject.inputs])
    result.error, result.reference = signal_to_noise(expected, actual), signal_to_noise(expected, rounded)
    agreement = signal_to_noise(rounded, actual)
    is_right = agreement >= INT8_AGREEMENT or result.error >= result.reference - INT8_LOSS
    result.verdict = "right" if is_right else "wrong"
    result.reason = "" if is_right else f"{agreement:.0f} dB between the program and the quantized module"
    return result


def _quantized(subject: Subject) -> torch.nn.Module:
    config = get_symmetric_quantization_config(is_per_channel=True)
    try:
        prepared = prepare_pt2e(subject.program.module(), XNNPACKQuantizer().set_global(config))
        with torch.no_grad():
            prepared(*subject.inputs)
        quantized: torch.nn.Module = convert_pt2e(prepared)
    except NotExported:
        raise
    except Exception as error:
        raise NotExported(one_line(error)) from error
    return quantized


#: The ways, by the names of the table's columns.
WAYS: dict[str, Callable[[Subject], Result]] = {
    "portable": portable,
    "xnnpack": xnnpack,
    "int8": int8,
    "dynamic": dynamic_batch,
}


def run(library: str, name: str, ways: tuple[str, ...] = tuple(WAYS)) -> dict[str, dict[str, Any]]:
    """Way to what came of it, as plain values."""
    warnings.simplefilter("ignore")
    subject = Subject(registry.make(library, name))
    answers = {}
    for way in ways:
        try:
            result = WAYS[way](subject)
        except NotExported as error:
            result = Result("not exported", reason=str(error))
        except Exception as error:
            result = Result("failed", reason=one_line(error))
        answers[way] = {key: value for key, value in asdict(result).items() if value not in (None, "")}
    return answers


def warm_up() -> None:
    """Imports what every architecture needs, torch's lazily imported parts among it; runs no program, which would start threads."""
    registry.load()
    # The first model of each library imports much of it, SciPy and torchao besides.
    for library, name in (("transformers", "bert"), ("timm", "resnet10t")):
        registry.make(library, name)
    subject = Subject(
        Specimen(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval(), (torch.rand(2, 4),))
    )
    _export(subject.module, subject.inputs, ({0: Dim("batch", min=1, max=4)},))
    program = _export(_quantized(subject), subject.inputs)
    for partitioner in ((), (XnnpackPartitioner(),)):
        _lowered(subject.program, partitioner)
        _lowered(program, partitioner)


def one_line(error: BaseException) -> str:
    """Type and first line of an error, in at most 160 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:160]


def signal_to_noise(expected: list[torch.Tensor], actual: list[torch.Tensor]) -> float:
    """Of all outputs together, in decibels; at most 200."""
    signal = sum(value.double().square().sum().item() for value in expected)
    noise = sum(
        (left.double() - right.double()).square().sum().item()
        for left, right in zip(expected, actual, strict=True)
    )
    if noise != noise or not signal:
        return -200.0
    return 10 * math.log10(signal / noise) if noise > signal * 1e-20 else 200.0


def _export(module: torch.nn.Module, inputs: tuple[Any, ...], shapes: Any = None) -> ExportedProgram:
    try:
        with torch.no_grad():
            return torch.export.export(module, inputs, dynamic_shapes=shapes)
    except Exception as error:
        raise NotExported(one_line(error)) from error


def _is_variadic(module: torch.nn.Module) -> bool:
    """Whether ``forward`` takes ``*inputs``, which export describes as one argument."""
    kinds = [parameter.kind for parameter in inspect.signature(module.forward).parameters.values()]
    return inspect.Parameter.VAR_POSITIONAL in kinds


def _rows(value: torch.Tensor, rows: int) -> torch.Tensor:
    return torch.cat([value.flip(0)] * 2)[:rows].contiguous()


def _lowered(
    program: ExportedProgram, partitioner: tuple[Any, ...]
) -> tuple[Result, ExecutorchProgramManager]:
    start = time.perf_counter()
    executable = to_edge_transform_and_lower(program, partitioner=list(partitioner)).to_executorch()
    size = len(executable.buffer)
    assert size
    seconds = time.perf_counter() - start
    (plan,) = executable.executorch_program.execution_plan
    calls = [type(one.instr_args).__name__ for chain in plan.chains for one in chain.instructions]
    return (
        Result(
            lowering=round(seconds, 2),
            planned=planned_bytes(executable),
            calls=len(calls),
            delegates=calls.count("DelegateCall"),
        ),
        executable,
    )


def _executed(
    executable: ExecutorchProgramManager, inputs: list[tuple[Any, ...]]
) -> list[list[torch.Tensor]]:
    method = Runtime.get().load_program(executable.buffer).load_method("forward")
    return [list(method.execute(list(pytree.tree_leaves(given)))) for given in inputs]


def _error(module: torch.nn.Module, given: tuple[Any, ...], actual: list[Any]) -> float:
    """Against eager; where that is above the tolerance, against eager in double precision, which shows whose rounding it is."""
    with torch.no_grad():
        expected = pytree.tree_leaves(module(*given))
        error = relative_error(actual, expected)
        if error <= TOLERANCE:
            return error
        try:
            precise = copy.deepcopy(module).double()(*pytree.tree_map(_doubled, given))
        except RuntimeError:  # Some models insist on their own dtypes.
            return error
    exact = [
        value.to(like.dtype) if isinstance(like, torch.Tensor) else value
        for value, like in zip(pytree.tree_leaves(precise), expected, strict=True)
    ]
    return min(error, relative_error(actual, exact))


def _doubled(value: Any) -> Any:
    is_real = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_real else value


def _compared(
    program: ExportedProgram,
    partitioner: tuple[Any, ...],
    module: torch.nn.Module,
    inputs: list[tuple[Any, ...]],
) -> Result:
    result, executable = _lowered(program, partitioner)
    worst = max(
        _error(module, given, actual)
        for given, actual in zip(inputs, _executed(executable, inputs), strict=True)
    )
    result.error = worst
    result.verdict = "right" if worst <= TOLERANCE else "wrong"
    result.reason = "" if worst <= TOLERANCE else f"error {worst:.1e} of the largest magnitude"
    return result
