"""For every core ATen operator: does it lower, is there a kernel, are its element types constrained?

``./bazelw run //exir:op_table`` prints one line an operator and ends with ``RESULT {json}``. An operator is called with the
sample of the constraint table (``dialects/dtype_samples.py``), exported, and lowered to a program.
"""

import json
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from absl import app, flags

from executorch.dialects.dtype_constraints import DTYPE_NAMES, find
from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.errors import ExportError
from executorch.dialects.gen_dtype_table import argument_tensors, run
from executorch.dialects.sample_call import Sample
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.exir.capture._config import ExecutorchBackendConfig
from executorch.exir.entry_points import to_edge
from executorch.exir.missing_kernels import MissingKernelWarning, kernel_ops, operator_name

_ONLY = flags.DEFINE_string("only", "", "operators whose name has this part")

#: Core operators without a tensor in what they return: sizes and numbers, which the executor computes.
_SYMBOLIC = "computes a number"


@dataclass(frozen=True)
class Row:
    """What is true of one operator.

    Attributes:
        op: ``aten::add.Tensor``.
        lowered: it became part of a program.
        kernels: the operators of the program that it became, all of which have a kernel; empty if one has none.
        constrained: the table of element types has an entry for it, or for the copy that stands for a view.
        note: why not lowered.
    """

    op: str
    lowered: bool
    kernels: tuple[str, ...]
    constrained: bool
    note: str = ""

    @property
    def has_kernel(self) -> bool:
        return bool(self.kernels)


def core_ops() -> Iterator[OpOverload]:
    """All overloads that torch tags as core, by name."""
    names = set()
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            names.add((schema.name.removeprefix("aten::"), schema.overload_name))
    for name, overload in sorted(names):
        op = getattr(getattr(torch.ops.aten, name, None), overload or "default", None)
        if isinstance(op, OpOverload) and torch.Tag.core in op.tags:
            yield op


class CallOfSample(torch.nn.Module):
    """A model of one operator."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.op = sample.overload()
        self.values = sample.values
        self.names = list(sample.shapes)

    def forward(self, *tensors: Any) -> Any:
        given = {**dict(zip(self.names, tensors, strict=True)), **self.values}
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for position, arg in enumerate(self.op._schema.arguments):
            if arg.name not in given:
                if not arg.has_default_value():
                    given[arg.name] = None
                else:
                    continue
            if arg.kwarg_only or len(args) < position:
                kwargs[arg.name] = given[arg.name]
            else:
                args.append(given[arg.name])
        return self.op(*args, **kwargs)


def row_of(op: OpOverload, samples: "dict[str, Sample]") -> Row:
    """Tries one operator."""
    name = operator_name(op)
    constrained = _is_constrained(op)
    if not any("Tensor" in str(ret.type) for ret in op._schema.returns):
        has_kernel = (name,) if name in kernel_ops() else ()
        return Row(name, bool(has_kernel), has_kernel, constrained, "" if has_kernel else _SYMBOLIC)
    sample = samples.get(name) or samples.get(_copy_name(op))
    if sample is None:
        return Row(name, False, (), constrained, "no sample calls it")
    try:
        ops = _lower(sample)
    except ExportError as error:
        return Row(name, False, (), constrained, str(error).splitlines()[0])
    except Exception as error:  # torch's own refusals are of many types
        return Row(name, False, (), constrained, f"{type(error).__name__}: {str(error).splitlines()[0]}")
    return Row(name, True, ops if set(ops) <= kernel_ops() else (), constrained)


def _lower(sample: Sample) -> tuple[str, ...]:
    """The operators of the program that calls ``sample``."""
    tensors = tuple(argument_tensors(sample, {name: _dtype(sample, name) for name in sample.shapes}).values())
    program = torch.export.export(CallOfSample(sample), tensors, strict=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingKernelWarning)
        # Without folding: an operator without tensor inputs would be computed ahead of time.
        executable = to_edge(program).to_executorch(ExecutorchBackendConfig(fold_constants=False))
    found = {
        operator_name(node.target)
        for module in graph_modules(executable.exported_program().graph_module)
        for node in module.graph.nodes
        if node.op == "call_function" and isinstance(node.target, OpOverload)
    }
    return tuple(sorted(found)) or ("executorch_prim::et_view.default",)


def _dtype(sample: Sample, name: str) -> torch.dtype:
    """A type for which the sample runs: float if it does."""
    if name in sample.fixed:
        return sample.fixed[name][0]
    free = [item for item in sample.shapes if item not in sample.fixed]
    fixed = {item: dtypes[0] for item, dtypes in sample.fixed.items()}
    for dtype in (torch.float32, *DTYPE_NAMES.values()):
        if run(sample, fixed | dict.fromkeys(free, dtype)) is not None:
            return dtype
    return torch.float32


def _copy_name(op: OpOverload) -> str:
    """``aten::view_copy`` for ``aten::view``: views lower to the operator that copies."""
    base, overload = op._schema.name, op._schema.overload_name
    return f"{base}_copy.{overload}" if overload else f"{base}_copy"


def _is_constrained(op: OpOverload) -> bool:
    base, overload = op._schema.name, op._schema.overload_name
    return find(base, overload) is not None or find(f"{base}_copy", overload) is not None


def table(only: str = "") -> list[Row]:
    """All rows, of operators whose name has ``only`` in it."""
    samples: dict[str, Sample] = {}
    # A sample that leaves the result's type alone, or asks for float, runs for more operators than the others.
    for sample in sorted(
        SAMPLES, key=lambda sample: sample.values.get("dtype", torch.float32) != torch.float32
    ):
        samples.setdefault(sample.op, sample)
    return [row_of(op, samples) for op in core_ops() if only in operator_name(op)]


def counts(rows: list[Row]) -> dict[str, int]:
    """How many there are, and of how many each is true."""
    return {
        "ops": len(rows),
        "lowered": sum(row.lowered for row in rows),
        "has_kernel": sum(row.has_kernel for row in rows),
        "constrained": sum(row.constrained for row in rows),
        "all_three": sum(row.lowered and row.has_kernel and row.constrained for row in rows),
    }


def main(argv: list[str]) -> None:
    del argv
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    rows = table(_ONLY.value)
    mark = {True: "yes", False: "-"}
    print(f"{'operator':46} {'lowered':8} {'kernel':8} {'types':8}")
    for row in rows:
        flags_ = " ".join(
            f"{mark[bool(value)]:8}" for value in (row.lowered, row.has_kernel, row.constrained)
        )
        print(f"{row.op:46} {flags_} {row.note}".rstrip())
    print(f"RESULT {json.dumps(counts(rows))}")


if __name__ == "__main__":
    app.run(main)
