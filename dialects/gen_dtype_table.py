"""Writes and checks ``edge.yaml`` by running each operator on every combination of element types.

``python -m executorch.dialects.gen_dtype_table`` rewrites the table; ``--check`` only says whether it still
tells the truth about the installed torch. An operator's entry lists what eager torch computes on the CPU for
tensors of equal types (operators mix types only where their meaning demands it: indices, conditions, masks).
"""

import argparse
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._ops import OpOverload

from executorch.dialects.dtype_constraints import DTYPE_NAMES, TABLE_PATH, read_table

_NAME_OF = {dtype: name for name, dtype in DTYPE_NAMES.items()}
Combination = dict[str, torch.dtype]


@dataclass(frozen=True)
class Sample:
    """How to call one operator with small tensors.

    Attributes:
        op: ``aten::name`` or ``aten::name.overload``.
        shapes: shape of each tensor argument that is passed; a list of shapes for a ``Tensor[]``.
        values: the other arguments.
        fixed: types of arguments that do not follow the others (indices, conditions).
    """

    op: str
    shapes: dict[str, Any]
    values: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, tuple[torch.dtype, ...]] = field(default_factory=dict)

    def overload(self) -> OpOverload:
        namespace, rest = self.op.split("::")
        name, _, overload = rest.partition(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")


def combinations(sample: Sample) -> Iterator[Combination]:
    """Equal types for all arguments, times the types of the fixed ones."""
    following = [name for name in sample.shapes if name not in sample.fixed]
    fixed = list(sample.fixed)
    for dtype in DTYPE_NAMES.values() if following else (torch.float32,):
        for chosen in itertools.product(*(sample.fixed[name] for name in fixed)):
            yield {name: dtype for name in following} | dict(zip(fixed, chosen, strict=True))


def _make(shape: Any, dtype: torch.dtype) -> Any:
    if shape and isinstance(shape, list) and isinstance(shape[0], (list, tuple)):
        return [_make(item, dtype) for item in shape]
    return torch.ones(tuple(shape), dtype=dtype)


def run(sample: Sample, combination: Combination) -> "Combination | None":
    """Result types (``__ret_<i>``) of one call; None when torch has no implementation for these types."""
    op = sample.overload()
    arguments = {name: _make(shape, combination[name]) for name, shape in sample.shapes.items()}
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
    positional, keywords = [], {}
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


def entry(sample: Sample) -> "list[str] | None":
    """Lines of one table entry; None when no combination of types works."""
    rows: dict[tuple[tuple[str, torch.dtype], ...], set[torch.dtype]] = {}
    following = [name for name in sample.shapes if name not in sample.fixed]
    free = following[0] if len(following) == 1 else None
    for combination in combinations(sample):
        results = run(sample, combination)
        if results is None:
            continue
        full = combination | results
        key = tuple((name, dtype) for name, dtype in full.items() if name != free)
        rows.setdefault(key, set()).add(full[free] if free else torch.float32)
    if not rows:
        return None
    return _format(sample, free, rows)


def _format(sample: Sample, free: "str | None", rows: dict[Any, set[torch.dtype]]) -> list[str]:
    aliases: dict[tuple[str, ...], str] = {}

    def alias(dtypes: set[torch.dtype]) -> str:
        names = tuple(sorted(_NAME_OF[dtype] for dtype in dtypes))
        return aliases.setdefault(names, f"T{len(aliases)}")

    body = []
    for key, free_types in rows.items():
        row = {free: alias(free_types)} if free else {}
        row |= {name: alias({dtype}) for name, dtype in key}
        pairs = [f"{name}: {row[name]}" for name in [*sample.shapes, *(n for n in row if n.startswith("__ret"))]]
        body.append(f"  - {{{', '.join(pairs)}}}")
    func = sample.op.split("::")[1]
    head = [f"- func: {func}", "  namespace: edge", f"  inherits: {sample.op}", "  type_alias:"]
    head += [f"    {name}: [{', '.join(names)}]" for names, name in aliases.items()]
    return [*head, "  type_constraint:", *body]


def generate(samples: "list[Sample]") -> str:
    """The text of the table for ``samples``, sorted by operator."""
    header = [
        "# Element types of edge operators, see dtype_constraints.py.",
        "# Written by gen_dtype_table.py from what eager torch computes; change dtype_samples.py, not this file.",
    ]
    parts = ["\n".join(header)]
    for sample in sorted(samples, key=lambda item: item.op):
        lines = entry(sample)
        if lines is not None:
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def disagreements(text: str, samples: "list[Sample]", runner: Callable[..., Any] = run) -> list[str]:
    """What ``text`` says differently from running the operators: one line per operator and combination."""
    table = read_table(text)
    found = []
    for sample in samples:
        constraint = table.get(sample.op)
        for combination in combinations(sample):
            results = runner(sample, combination)
            claimed = constraint is not None and constraint.accepts(combination | (results or {}))
            if claimed != (results is not None):
                types = ", ".join(f"{name}={_NAME_OF[dtype]}" for name, dtype in combination.items())
                found.append(f"{sample.op}({types}): runs={results is not None}, table says {claimed}")
    return found


def main(argv: "list[str] | None" = None) -> int:
    from executorch.dialects.dtype_samples import SAMPLES

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare, exit 1 on a difference")
    parser.add_argument("--out", default=str(TABLE_PATH), help="where to write the table")
    options = parser.parse_args(argv)
    if options.check:
        found = disagreements(TABLE_PATH.read_text(encoding="utf-8"), SAMPLES)
        print("\n".join(found) or "the table agrees with torch")
        return 1 if found else 0
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(generate(SAMPLES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
