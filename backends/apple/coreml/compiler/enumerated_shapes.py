"""Inputs that may have a few shapes: written into a compile spec, and read where the model is made.

A delegate's inputs have other names than the program's; what both have is the symbolic shape. So the spec holds pairs of a symbolic
shape and the sets of sizes, and an input of the delegate gets those of its own symbolic shape.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError

#: Bounds that stand for none.
_LEAST, _MOST = -(2**31), 2**31 - 1


def _inputs(program: ExportedProgram) -> dict[str, Any]:
    """Tensors that the user gives, by name."""
    values = {
        node.name: node.meta.get(meta_keys.VAL) for node in program.graph.nodes if node.op == "placeholder"
    }
    names = [
        spec.arg.name for spec in program.graph_signature.input_specs if spec.kind == InputKind.USER_INPUT
    ]
    return {name: values[name] for name in names if isinstance(values.get(name), torch.Tensor)}


def _bound(value: Any, other: int) -> int:
    return int(value) if value.is_Integer and _LEAST <= int(value) <= _MOST else other


def _symbolic(shape: Sequence[Any]) -> list[Any]:
    made: list[Any] = []
    for size in shape:
        if isinstance(size, int):
            made.append(size)
            continue
        bounds = size.node.shape_env.bound_sympy(size.node.expr)
        made.append(
            {
                "key_name": str(size.node.expr),
                "low": _bound(bounds.lower, _LEAST),
                "high": _bound(bounds.upper, _MOST),
            }
        )
    return made


def write(program: ExportedProgram, shapes: Mapping[str, Sequence[Sequence[int]]]) -> bytes:
    """The value of the compile spec.

    Args:
        program: the exported program.
        shapes: for each input of changing shape, the shapes that it may have; those of one position go together.

    Raises:
        ExportError: an input has none or too few, or one of them is none that the program allows.
    """
    inputs = _inputs(program)
    rows: list[Any] = []
    changing = [
        name for name, value in inputs.items() if any(not isinstance(size, int) for size in value.shape)
    ]
    missing, unknown = set(changing) - set(shapes), set(shapes) - set(changing)
    if missing or unknown:
        raise ExportError(
            f"Core ML: shapes are wanted for {', '.join(changing) or 'no input'}, the inputs whose shape changes; "
            f"missing: {', '.join(sorted(missing)) or 'none'}; not among them: {', '.join(sorted(unknown)) or 'none'}"
        )
    counts = {len(one) for one in shapes.values()}
    if len(counts) > 1:
        raise ExportError(
            f"Core ML: the shapes of one position are those of one call, so each input has as many, not {sorted(counts)}"
        )
    for name in changing:
        symbolic = _symbolic(inputs[name].shape)
        for shape in shapes[name]:
            _check(name, shape, symbolic)
        rows.append([{"shape": symbolic}, [[list(one) for one in shapes[name]], [name]]])
    return json.dumps(rows).encode()


def _check(name: str, shape: Sequence[int], symbolic: Sequence[Any]) -> None:
    if len(shape) != len(symbolic):
        raise ExportError(
            f"Core ML: {name} has {len(symbolic)} dimensions, its shape {list(shape)} has {len(shape)}"
        )
    for index, (size, wanted) in enumerate(zip(shape, symbolic, strict=True)):
        if isinstance(wanted, int):
            if size != wanted:
                raise ExportError(
                    f"Core ML: dimension {index} of {name} is {wanted}, not {size} as in {list(shape)}"
                )
        # torch.export reasons about sizes from 2 on and lets 1 in as well.
        elif not (1 if wanted["low"] <= 2 else wanted["low"]) <= size <= wanted["high"]:
            raise ExportError(
                f"Core ML: dimension {index} of {name} goes from {wanted['low']} to {wanted['high']}, "
                f"which lets no {size} in as in {list(shape)}"
            )


def read(text: str | None) -> list[Any] | None:
    """Rows of the compile spec; None without one.

    Raises:
        ExportError: it is no such text.
    """
    if text is None:
        return None
    try:
        return [[row[0]["shape"], row[1][0]] for row in json.loads(text)]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ExportError(f"Core ML: no enumerated shapes: {text!r}: {error}") from error


def inputs_of(program: ExportedProgram, rows: Sequence[Any]) -> list[Any]:
    """The inputs of a delegate, for the converter.

    Raises:
        ExportError: an input has a shape that nothing was said about.
    """
    ct = coremltools()
    made = []
    for name, value in _inputs(program).items():
        symbolic = _symbolic(value.shape)
        if all(isinstance(size, int) for size in symbolic):
            made.append(ct.TensorType(name=name, shape=tuple(symbolic) or (1,), dtype=_numpy_dtype(value)))
            continue
        names = [size if isinstance(size, int) else size["key_name"] for size in symbolic]
        found = [
            shapes
            for shape, shapes in rows
            if [size if isinstance(size, int) else size["key_name"] for size in shape] == names
        ]
        if not found:
            raise ExportError(
                f"Core ML: no shapes are enumerated for an input of a delegate of the shape {names}. Way out: lower the whole "
                "graph, CoreMLPartitioner(lower_full_graph=True), so that its inputs are the program's"
            )
        shape = ct.EnumeratedShapes(shapes=[tuple(one) for one in found[0]])
        made.append(ct.TensorType(name=name, shape=shape, dtype=_numpy_dtype(value)))
    return made


def _numpy_dtype(value: torch.Tensor) -> Any:
    import numpy as np

    return {torch.float16: np.float16, torch.float32: np.float32}.get(value.dtype, np.int32)
