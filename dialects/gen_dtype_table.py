"""Writes and checks ``edge.yaml`` by running each operator on every combination of element types.

``python -m executorch.dialects.gen_dtype_table`` rewrites the table; ``--check`` only says whether it still
tells the truth about the installed torch. An operator's entry lists what eager torch computes on the CPU for
tensors of equal types (operators mix types only where their meaning demands it: indices, conditions, masks).
"""

import argparse
import itertools
import pathlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from executorch.dialects.dtype_constraints import DTYPE_NAMES, TABLE_PATH, DtypeConstraint, read_table
from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.sample_call import Sample
from executorch.dialects.torch_types import OpOverload

_NAME_OF = {dtype: name for name, dtype in DTYPE_NAMES.items()}
Combination = dict[str, torch.dtype]


def combinations(sample: Sample) -> Iterator[Combination]:
    """Equal types for all arguments, times the types of the fixed ones."""
    following = [name for name in sample.shapes if name not in sample.fixed]
    fixed = list(sample.fixed)
    for dtype in DTYPE_NAMES.values() if following else (torch.float32,):
        for chosen in itertools.product(*(sample.fixed[name] for name in fixed)):
            yield {name: dtype for name in following} | dict(zip(fixed, chosen, strict=True))


def _make(shape: Any, dtype: torch.dtype, value: int) -> Any:
    if shape and isinstance(shape, list) and isinstance(shape[0], (list, tuple)):
        return [_make(item, dtype, value) for item in shape]
    return torch.full(tuple(shape), value, dtype=dtype)


def argument_tensors(sample: Sample, combination: Combination) -> dict[str, Any]:
    """The tensor arguments of one call."""
    # Ones, by which one can divide; an index is 0, where every bag begins.
    index = {name for name in sample.fixed if combination[name] in (torch.int64, torch.int32)}
    return {
        name: _make(shape, combination[name], int(name not in index)) for name, shape in sample.shapes.items()
    }


def run(sample: Sample, combination: Combination) -> "Combination | None":
    """Result types (``__ret_<i>``) of one call; None when torch has no implementation for these types."""
    op = sample.overload()
    arguments = argument_tensors(sample, combination)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = _call(op, {**arguments, **sample.values})
    except (RuntimeError, NotImplementedError, IndexError, TypeError, ValueError):
        return None
    if isinstance(result, torch.Tensor):
        result = (result,)
    if len(op._schema.returns) == 1 and not isinstance(result, tuple):
        result = (result[0],)
    dtypes = {f"__ret_{index}": item.dtype for index, item in enumerate(result)}
    return dtypes if all(dtype in _NAME_OF for dtype in dtypes.values()) else None


def _call(op: OpOverload, arguments: dict[str, Any]) -> Any:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for arg in op._schema.arguments:
        if arg.name not in arguments:
            if arg.has_default_value():
                continue
            arguments = {**arguments, arg.name: None}
        if arg.kwarg_only or len(positional) < op._schema.arguments.index(arg):
            keywords[arg.name] = arguments[arg.name]
        else:
            positional.append(arguments[arg.name])
    return op(*positional, **keywords)


def rows(sample: Sample) -> list[dict[str, set[torch.dtype]]]:
    """Allowed combinations of one sample; types of the one free argument that lead to the same result share a row."""
    following = [name for name in sample.shapes if name not in sample.fixed]
    free = following[0] if len(following) == 1 else None
    found: dict[tuple[tuple[str, torch.dtype], ...], set[torch.dtype]] = {}
    for combination in combinations(sample):
        results = run(sample, combination)
        if results is not None:
            full = combination | results
            key = tuple((name, dtype) for name, dtype in full.items() if name != free)
            found.setdefault(key, set()).add(full[free] if free else torch.float32)
    return [
        ({free: dtypes} if free else {}) | {name: {dtype} for name, dtype in key}
        for key, dtypes in found.items()
    ]


def entry(samples: "list[Sample]") -> "list[str] | None":
    """Lines of the table entry of one operator, from all its samples; None when no combination of types works."""
    aliases: dict[str, str] = {}
    lines: dict[str, None] = {}
    for sample in samples:
        for row in rows(sample):
            pairs = []
            for name in [*sample.shapes, *(key for key in row if key.startswith("__ret"))]:
                names = ", ".join(sorted(_NAME_OF[dtype] for dtype in row[name]))
                pairs.append(f"{name}: {aliases.setdefault(names, f'T{len(aliases)}')}")
            lines[f"  - {{{', '.join(pairs)}}}"] = None
    if not lines:
        return None
    op = samples[0].op
    head = [f"- func: {op.split('::')[1]}", "  namespace: edge", f"  inherits: {op}", "  type_alias:"]
    head += [f"    {alias}: [{names}]" for names, alias in aliases.items()]
    return [*head, "  type_constraint:", *lines]


def generate(samples: "list[Sample]") -> str:
    """The text of the table for ``samples``, sorted by operator."""
    header = [
        "# Element types of edge operators, see dtype_constraints.py.",
        "# Written by gen_dtype_table.py from what eager torch computes; change dtype_samples.py, not this file.",
    ]
    by_op: dict[str, list[Sample]] = {}
    for sample in samples:
        by_op.setdefault(sample.op, []).append(sample)
    parts = ["\n".join(header)]
    for op in sorted(by_op):
        lines = entry(by_op[op])
        if lines is not None:
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def disagreements(text: str, samples: "list[Sample]") -> list[str]:
    """What ``text`` says differently from running the operators: one line per operator."""
    told, true = read_table(text), read_table(generate(samples))
    found = [f"{name}: missing in the table" for name in true if name not in told]
    for name, constraint in told.items():
        if name not in true:
            found.append(f"{name}: no sample shows that it runs")
        elif _as_set(constraint) != _as_set(true[name]):
            found.append(f"{name}: other combinations run than the table lists")
    return found


def _as_set(constraint: DtypeConstraint) -> "set[frozenset[tuple[str, torch.dtype]]]":
    """All single combinations that a constraint allows."""
    return {
        frozenset(zip(row, chosen, strict=True))
        for row in constraint.rows
        for chosen in itertools.product(*row.values())
    }


def main(argv: "list[str] | None" = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare, exit 1 on a difference")
    parser.add_argument("--out", default=str(TABLE_PATH), help="where to write the table")
    options = parser.parse_args(argv)
    if options.check:
        found = disagreements(TABLE_PATH.read_text(encoding="utf-8"), SAMPLES)
        print("\n".join(found) or "the table agrees with torch")
        return 1 if found else 0
    pathlib.Path(options.out).write_text(generate(SAMPLES), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
