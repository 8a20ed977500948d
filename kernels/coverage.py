"""What the kernel libraries cover: operators by library and dtype, against core ATen and the published list.

Usage: ./bazelw run //kernels:coverage [-- --samples=2 --match=conv]

A dtype counts where the kernel ran on PyTorch's own sample inputs and gave eager's results, or in a half type results
that are nearer to eager's in Float than its own are, with the portable library linked and with the optimized one.
Operators are found by what those samples dispatch to; the ones that no sample reaches are listed without dtypes. All
of it takes some minutes. The last line is `RESULT {json}`.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import types
import unittest
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from absl import app, flags
from torch.utils._python_dispatch import TorchDispatchMode
from tqdm import tqdm

from executorch.kernels.test.op_driver import NO_KERNEL, OpDriver, Out, driver_path
from executorch.kernels.test.oracle import assert_same, bind, call_out, registry_name

# PyTorch's sample inputs come with its own test cases, whose base class is in a package that has no part in them.
_expecttest = types.ModuleType("expecttest")
_expecttest.TestCase = unittest.TestCase  # type: ignore[attr-defined]
sys.modules.setdefault("expecttest", _expecttest)
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

SAMPLES = flags.DEFINE_integer("samples", 2, "sample inputs of each operator and dtype")
MATCH = flags.DEFINE_string("match", "", "only the samples whose name has this part")

HERE = Path(__file__).parent
LIBRARIES = {
    "portable": HERE / "portable" / "functions.yaml",
    "quantized": HERE / "quantized" / "quantized.yaml",
    "detection": HERE / "detection" / "functions.yaml",
}
# The library that is linked -> the program that has it and the others.
DRIVERS = {"portable": "op_driver", "optimized": "op_driver_optimized"}
DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}
# Core operators that programs have as operators on symbolic values, or that the lowering replaces.
_PRIM_OPS = Path("prim_ops") / "register_prim_ops.cc"
_LOWERED = {
    "aten::resize_": "aten::resize.out",
    "aten::atan2.out": "aten::atan2.out",
    "aten::sym_is_contiguous": "by the dim order, when lowered",
    "aten::sym_storage_offset": "0 in every program",
    "aten::sym_stride.int": "by the dim order, when lowered",
}
_HALVES = (torch.float16, torch.bfloat16)
# Among equal elements any index will do.
_TIES = {"aten::kthvalue.values", "aten::mode.values", "aten::sort.values", "aten::topk.values"}
# The signs of vectors are free, as is which factors an equation is solved by (`test/linalg_test.py` says what must hold); the
# output that is eager's stands here.
_FREE_FACTORS = {
    "aten::_linalg_eigh.eigenvalues": 0,
    "aten::_linalg_solve_ex.result": 0,
    "aten::_linalg_svd.U": 1,
}
# Their results have no order, or are not numbers to compare.
_RANDOM = re.compile(r"linalg_eig\.|rand|dropout|empty|bernoulli|normal|multinomial|resize")


def registered() -> dict[str, list[str]]:
    """Registry names with the libraries that have kernels for them."""
    found: dict[str, list[str]] = defaultdict(list)
    for library, path in LIBRARIES.items():
        for entry in yaml.safe_load(path.read_text()):
            name = entry["op"] if "op" in entry else entry["func"].split("(")[0]
            found[name if "::" in name else f"aten::{name}"].append(library)
    for name in re.findall(r'Kernel\("([^"]+)"', (HERE / _PRIM_OPS).read_text()):
        found[name].append("prim_ops")
    return found


def core_operators() -> list[Any]:
    """Every overload that PyTorch tags as core."""
    core = []
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, base = schema.name.partition("::")
        packet = getattr(torch.ops.aten, base, None) if namespace == "aten" else None
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is not None and torch.Tag.core in getattr(overload, "tags", ()):
            core.append(overload)
    return core


def out_variant(op: Any, names: dict[str, list[str]]) -> Any:
    """The registered out variant with the arguments of `op`, or of its copying form; None if there is none."""
    namespace, _, base = op._schema.name.partition("::")
    wanted = [(a.name, str(a.type)) for a in op._schema.arguments]
    for candidate in (base, base + "_copy"):
        packet = getattr(getattr(torch.ops, namespace), candidate, None)
        for overload in packet.overloads() if packet is not None else ():
            variant = getattr(packet, overload)
            inputs = [(a.name, str(a.type)) for a in variant._schema.arguments if not a.is_out]
            is_out = len(inputs) < len(variant._schema.arguments)
            # What says how to create a result has no part in one that is there already.
            rest = [
                a for a in wanted if a in inputs or a[0] not in ("dtype", "layout", "device", "pin_memory")
            ]
            if is_out and inputs == rest and registry_name(variant) in names:
                return variant
    return None


class Recorder(TorchDispatchMode):
    """Keeps the calls that reach the dispatcher inside."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kept = torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, (args, kwargs or {}))
        result = func(*args, **(kwargs or {}))
        tensors = [t for t in torch.utils._pytree.tree_leaves(args) if isinstance(t, torch.Tensor)]
        if "as_strided" in func._schema.name and any(t.storage_offset() for t in tensors):
            return result  # reads before its argument, and a program's tensors begin where their memory does
        # What follows may change the result in place.
        self.calls.append((func, *kept, torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, result)))
        return result


def sample_calls(info: Any, dtype: torch.dtype, count: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The dispatched calls of an operator's sample inputs."""
    # Not by `sample_inputs`, which looks through the stack for the test that asks.
    torch.default_generator.manual_seed(0)
    try:
        samples = list(itertools.islice(info.sample_inputs_func(info, "cpu", dtype, False), count))
    except Exception:  # PyTorch's own generators do not serve every dtype that they declare
        return
    for sample in samples:
        with Recorder() as recorder:
            try:
                info.op(sample.input, *sample.args, **sample.kwargs)
            except Exception:  # not every combination is defined in eager
                continue
        yield from recorder.calls


def is_plain(value: Any) -> bool:
    """True for what the driver can send: dense, real, of a known dtype."""
    leaves = torch.utils._pytree.tree_leaves(value)
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return all(
        t.layout == torch.strided and t.dtype in DTYPES.values() and t.dim() <= 16 and type(t) is torch.Tensor
        for t in tensors
    )


def dense(t: torch.Tensor) -> torch.Tensor:
    """The tensor in a layout that programs have: channels-last stays, others become contiguous."""
    channels_last = t.dim() == 4 and t.is_contiguous(memory_format=torch.channels_last)
    return t if channels_last else t.contiguous()


def is_dense(t: torch.Tensor) -> bool:
    """Whether a tensor's elements are neighbours in memory, in some order of its dimensions."""
    return (
        t.numel() == 0 or 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)) == t.numel()
    )


def assert_picks(bound: dict[str, Any], values: torch.Tensor, indices: torch.Tensor) -> None:
    """Requires that the indices name the values along `dim` of `self`."""
    source, dim = bound["self"], bound["dim"]
    if source.dim() > indices.dim():
        values, indices = values.unsqueeze(dim), indices.unsqueeze(dim)
    assert_same(torch.gather(source, dim, indices) if source.dim() > 0 else source, values)


def agrees(driver: OpDriver, variant: Any, call: tuple[Any, Any, Any, Any]) -> bool | None:
    """Whether the kernel gives the call's results; None if the call cannot be compared."""
    func, args, kwargs, result = call
    expected = [result] if isinstance(result, torch.Tensor) else result
    if not isinstance(expected, (list, tuple)) or not is_plain([args, kwargs, result]):
        return None
    if not all(isinstance(t, torch.Tensor) for t in expected):
        return None
    if "empty_strided" in func._schema.name and not is_dense(torch.empty_strided(*args[:2])):
        return None  # no tensor of a program has gaps
    expected = [dense(t) for t in expected]
    bound = bind(func, args, kwargs)
    if any(
        str(a.type) == "Tensor" and not isinstance(bound[a.name], torch.Tensor)
        for a in func._schema.arguments
    ):
        return None  # a number that eager wraps; a program has it as a tensor or as a Scalar
    bound = {k: dense(v) if isinstance(v, torch.Tensor) else v for k, v in bound.items()}
    try:
        outcome = call_out(driver, variant, bound, [Out(like=t) for t in expected], temp_bytes=1 << 20)
    except RuntimeError:
        return False
    if outcome.error in (0, NO_KERNEL) and _RANDOM.search(func._schema.name):
        return outcome.error == 0
    if outcome.error != 0:
        return False
    if are_same(variant, bound, outcome.outputs, expected):
        return True
    return is_as_exact(func, args, kwargs, outcome.outputs, expected)


def are_same(
    variant: Any, bound: dict[str, Any], outputs: list[torch.Tensor], expected: list[torch.Tensor]
) -> bool:
    """Whether outputs are eager's, within the tolerances."""
    try:
        if registry_name(variant) in _TIES:
            assert_same(outputs[0], expected[0])
            assert_picks(bound, *outputs)
            return True
        if registry_name(variant) in _FREE_FACTORS:
            assert [t.shape for t in outputs] == [t.shape for t in expected]
            defined = _FREE_FACTORS[registry_name(variant)]
            outputs, expected = outputs[defined : defined + 1], expected[defined : defined + 1]
        for actual, reference in zip(outputs, expected, strict=True):
            assert_same(actual, reference, (1e-3, 1e-3) if reference.dtype == torch.float32 else None)
    except AssertionError:
        return False
    return True


def is_as_exact(
    func: Any, args: Any, kwargs: Any, outputs: list[torch.Tensor], expected: list[torch.Tensor]
) -> bool:
    """Whether outputs in a half type are nearer to what eager calculates in Float than eager's own are.

    Eager rounds in between in some operators, so that its results in half types may be wrong by many units of the last
    place where terms cancel.
    """
    if not any(t.dtype in _HALVES for t in expected):
        return False
    wide = torch.utils._pytree.tree_map_only(
        torch.Tensor, lambda t: t.float() if t.dtype in _HALVES else t, (args, kwargs)
    )
    try:
        exact = func(*wide[0], **wide[1])
    except RuntimeError:
        return False
    references = [exact] if isinstance(exact, torch.Tensor) else list(exact)
    for actual, eager, reference in zip(outputs, expected, references, strict=True):
        if eager.dtype not in _HALVES:
            if not torch.equal(actual, eager):
                return False
            continue
        if actual.shape != eager.shape or not torch.equal(actual.isfinite(), eager.isfinite()):
            return False
        finite = eager.isfinite()
        if not finite.any():
            return False
        wrong = [(t.float() - reference.float())[finite].abs().max() for t in (actual, eager)]
        if not wrong[0] <= wrong[1]:
            return False
    return True


@dataclass
class Cell:
    """The calls of one operator with one library and dtype: how many agreed with eager, and how many were made."""

    agreed: int = 0
    made: int = 0


Table = dict[tuple[str, str], dict[str, Cell]]
"""Registry name and library -> dtype -> what its calls gave."""


class Measurement:
    """Calls kernels of all linked libraries with the same arguments and counts in which dtypes they agree."""

    def __init__(self, drivers: dict[str, OpDriver], names: dict[str, list[str]]) -> None:
        self._drivers = drivers
        self._names = names
        self._variants: dict[Any, Any] = {}
        self.table: Table = defaultdict(lambda: defaultdict(Cell))

    def add_call(self, label: str, call: tuple[Any, Any, Any, Any]) -> bool:
        """Makes one call; false if the operator has no kernel, whatever its arguments."""
        func = call[0]
        if func not in self._variants:
            self._variants[func] = out_variant(func, self._names)
        variant = self._variants[func]
        if variant is None:
            return False
        for library, driver in self._drivers.items():
            agreed = agrees(driver, variant, call)
            if agreed is None:
                break  # for none of them
            cell = self.table[registry_name(variant), library][label]
            cell.agreed += agreed
            cell.made += 1
        return True

    def add_samples(self, info: Any) -> None:
        """Makes the calls of an operator's samples, in every dtype if there are kernels for any of them."""
        for label, dtype in DTYPES.items():
            if not info.supports_dtype(dtype, "cpu"):
                continue
            calls = list(sample_calls(info, dtype, SAMPLES.value))
            reached = [self.add_call(label, call) for call in calls]
            if calls and not any(reached):
                return  # what one dtype does not dispatch to, the others do not either


def measure(drivers: dict[str, OpDriver], names: dict[str, list[str]]) -> Table:
    """Makes the calls of all samples."""
    measurement = Measurement(drivers, names)
    for info in tqdm([i for i in op_db if MATCH.value in i.name], desc="samples", unit="operator"):
        measurement.add_samples(info)
    return measurement.table


def covered(op: Any, names: dict[str, list[str]]) -> bool:
    """Whether a program with a core operator finds a kernel."""
    name = registry_name(op)
    lowered = _LOWERED.get(name)
    if name in names or (lowered is not None and (lowered in names or "::" not in lowered)):
        return True
    return out_variant(op, names) is not None or _family(op, names)


def _family(op: Any, names: dict[str, list[str]]) -> bool:
    """Whether the only difference of a kernel's schema is the name of an overload or of an argument."""
    base = op._schema.name
    count = len(
        [a for a in op._schema.arguments if a.name not in ("dtype", "layout", "device", "pin_memory")]
    )
    for name in names:
        stem, _, overload = name.partition(".")
        if stem in (base, base + "_copy"):
            variant = getattr(getattr(torch.ops.aten, stem.partition("::")[2]), overload or "default", None)
            inputs = [a for a in variant._schema.arguments if not a.is_out] if variant is not None else []
            if len([a for a in inputs if a.name != "dtype"]) == count:
                return True
    return False


def text_of(cell: Cell | None) -> str:
    """Four characters: whether all calls agreed, or how many of them, or a point if there were none."""
    if cell is None:
        return "   ."
    return " yes" if cell.agreed == cell.made else f"{cell.agreed}/{cell.made}".rjust(4)


def print_table(names: dict[str, list[str]], table: Table) -> None:
    """A line for each operator and library."""
    width = max(map(len, names))
    print(f"{'operator':{width}}  library    " + " ".join(f"{label:>4}" for label in DTYPES))
    for name in sorted(names):
        own = ",".join(names[name])
        # The optimized library registers all that the portable one does.
        linked = ("portable", "optimized") if own == "portable" else ("portable",)
        for library in linked:
            row = table.get((name, library), {})
            cells = " ".join(text_of(row.get(label)) for label in DTYPES)
            print(f"{name:{width}}  {own if own != 'portable' else library:10} {cells}")


def report(names: dict[str, list[str]], table: Table) -> dict[str, Any]:
    """The counts."""
    core = core_operators()
    missing = sorted(registry_name(op) for op in core if not covered(op, names))
    published = [
        line for line in (HERE / "published_ops.txt").read_text().splitlines() if not line.startswith("#")
    ]
    compared = {}
    for library in DRIVERS:
        rows = [row for (_, of), row in table.items() if of == library]
        cells = [cell for row in rows for cell in row.values()]
        compared[library] = {
            "operators": len(rows),
            "cells": len(cells),
            "agreeing_cells": sum(cell.agreed == cell.made for cell in cells),
            "calls": sum(cell.made for cell in cells),
        }
    return {
        "operators": len(names),
        "core_aten": {"total": len(core), "covered": len(core) - len(missing), "missing": missing},
        "published": {
            "total": len(published),
            "covered": sum(name in names for name in published),
            "missing": sorted(set(published) - names.keys()),
        },
        "compared": compared,
        "disagreeing": sorted(
            f"{name} {library} {label} {cell.agreed}/{cell.made}"
            for (name, library), row in table.items()
            for label, cell in row.items()
            if cell.agreed < cell.made
        ),
    }


def main(argv: list[str]) -> None:
    del argv
    warnings.simplefilter("ignore")
    # The samples are small: threads would wait for each other.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    names = registered()
    drivers = {library: OpDriver(driver_path(program)) for library, program in DRIVERS.items()}
    try:
        table = measure(drivers, names)
    finally:
        for driver in drivers.values():
            driver.close()
    print_table(names, table)
    print("RESULT " + json.dumps(report(names, table)))


if __name__ == "__main__":
    app.run(main)
