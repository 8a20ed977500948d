"""Calculates, in PyTorch, what the calls that a delegate makes of MPSGraph would.

Written from Apple's documentation of MPSGraph, not from the delegate: types of operands that must be equal, indices of 32
bits, the shapes that a call asks for.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

#: MPSGraphScatterModeSet.
_SET = 6


def record(program: pathlib.Path, blobs: Sequence[bytes], folder: pathlib.Path) -> list[Recording]:
    """What the delegate calls for each blob.

    Args:
        program: ``runtime:record``.
        blobs: of delegates.
        folder: for files.
    """
    paths = [folder / f"{number}.blob" for number in range(len(blobs))]
    for path, blob in zip(paths, blobs, strict=True):
        path.write_bytes(blob)
    # Only the program is to find its libraries there, not the interpreter that runs this.
    env = {"LD_LIBRARY_PATH": os.environ.get("MPS_LIBRARIES", "")}
    done = subprocess.run([program, *paths], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return [Recording(pathlib.Path(f"{path}.calls").read_text("utf-8")) for path in paths]


class Recording:
    """The calls that make one graph.

    Args:
        text: a call a line, and the numbers of its targets.
    """

    def __init__(self, text: str) -> None:
        *self._calls, self._targets = (json.loads(line) for line in text.splitlines())

    def names(self) -> set[str]:
        """The methods that are called."""
        return {name for name, _, _ in self._calls}

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        """The results; scalars have one dimension."""
        given = iter(inputs)
        values: list[Tensor] = []
        with torch.no_grad():
            for name, operands, settings in self._calls:
                read = [values[one] if one >= 0 else None for one in operands]
                made = (
                    _placed(next(given), settings)
                    if name == "placeholder"
                    else _CALLS[name](*read, **settings)
                )
                values.append(made)
        assert next(given, None) is None
        return [values[one] for one in self._targets]


def _placed(given: Tensor, settings: dict[str, Any]) -> Tensor:
    assert given.dtype == getattr(torch, settings["type"])
    assert (list(given.shape) or [1]) == settings["shape"]
    return given.reshape(settings["shape"])


def _constant(data: str, shape: list[int], type: str) -> Tensor:
    return torch.frombuffer(bytearray(base64.b64decode(data)), dtype=getattr(torch, type)).reshape(shape)


def _filled(scalar: str, shape: list[int], type: str) -> Tensor:
    dtype = getattr(torch, type)
    return torch.full(shape, float(scalar) if dtype.is_floating_point else int(float(scalar)), dtype=dtype)


def _coordinate(axis: int, shape: list[int]) -> Tensor:
    row = torch.arange(shape[axis], dtype=torch.int32)
    return row.reshape([-1 if dim == axis else 1 for dim in range(len(shape))]).expand(shape)


def _of_one_type(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(*operands: Tensor) -> Tensor:
        assert len({one.dtype for one in operands}) == 1, operands
        return function(*operands)

    return call


def _of_floats(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(operand: Tensor, **settings: Any) -> Tensor:
        assert operand.is_floating_point(), operand.dtype
        return function(operand, **settings)

    return call


def _select(predicate: Tensor, first: Tensor, second: Tensor) -> Tensor:
    assert predicate.dtype == torch.bool and first.dtype == second.dtype
    return torch.where(predicate, first, second)


def _variance(source: Tensor, mean: Tensor, axes: list[int]) -> Tensor:
    return ((source - mean) ** 2).mean(axes, keepdim=True)


def _normalization(
    source: Tensor,
    mean: Tensor,
    variance: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    epsilon: float,
) -> Tensor:
    assert all(one is None or one.dim() == source.dim() for one in (mean, variance, gamma, beta))
    found = (source - mean) / (variance + epsilon).sqrt()
    found = found if gamma is None else found * gamma
    found = found if beta is None else found + beta
    return found.to(source.dtype)


def _convolution(
    image: Tensor,
    weight: Tensor,
    stride: list[int],
    dilation: list[int],
    groups: int,
    padding: list[int],
    layouts: list[int],
) -> Tensor:
    assert layouts == [0, 0, 2] and image.dtype == weight.dtype
    return F.conv2d(F.pad(image, padding), weight, None, stride, 0, dilation, groups)


def _most(image: Tensor, **windows: Any) -> Tensor:
    assert windows["layouts"] == [0, 0] and not windows["ceil"]
    padded = F.pad(image, windows["padding"], value=float("-inf"))
    return F.max_pool2d(padded, windows["kernel"], windows["stride"], dilation=windows["dilation"])


def _average(image: Tensor, **windows: Any) -> Tensor:
    assert windows["layouts"] == [0, 0] and not windows["ceil"] and windows["dilation"] == [1, 1]
    ones = F.pad(torch.ones_like(image), windows["padding"], value=float(windows["counts_padding"]))
    sums, counts = (
        F.avg_pool2d(one, windows["kernel"], windows["stride"], divisor_override=1)
        for one in (F.pad(image, windows["padding"]), ones)
    )
    return sums / counts


def _broadcast(source: Tensor, shape: list[int]) -> Tensor:
    return source.expand(shape)


def _cut(source: Tensor, starts: list[int], ends: list[int], strides: list[int]) -> Tensor:
    assert len(starts) == len(ends) == len(strides) == source.dim()
    return source[tuple(slice(*one) for one in zip(starts, ends, strides, strict=True))]


def _padded(source: Tensor, left: list[int], right: list[int], value: str) -> Tensor:
    margins = [one for pair in zip(reversed(left), reversed(right), strict=True) for one in pair]
    return F.pad(source, margins, value=float(value))


def _gather(source: Tensor, indices: Tensor, axis: int, batch: int) -> Tensor:
    assert indices.dtype == torch.int32 and indices.dim() == 1 and batch == 0 and int(indices.min()) >= 0
    return source.index_select(axis, indices)


def _columns(indices: Tensor, batch: int) -> tuple[Tensor, ...]:
    assert indices.dtype == torch.int32 and indices.dim() == 2 and batch == 0 and int(indices.min()) >= 0
    return tuple(indices.long().unbind(1))


def _gather_at(source: Tensor, indices: Tensor, batch: int) -> Tensor:
    return source[_columns(indices, batch)]


def _scatter_at(source: Tensor, updates: Tensor, indices: Tensor, batch: int, mode: int) -> Tensor:
    assert mode == _SET and updates.dtype == source.dtype
    found = source.clone()
    found[_columns(indices, batch)] = updates
    return found


#: Method of one tensor -> what it calculates; the first are of floating-point numbers.
_UNARY = {
    "acos": torch.acos,
    "acosh": torch.acosh,
    "asin": torch.asin,
    "asinh": torch.asinh,
    "atan": torch.atan,
    "atanh": torch.atanh,
    "ceil": torch.ceil,
    "cos": torch.cos,
    "cosh": torch.cosh,
    "erf": torch.erf,
    "exponent": torch.exp,
    "exponentBase2": torch.exp2,
    "floor": torch.floor,
    "isInfinite": torch.isinf,
    "isNaN": torch.isnan,
    "logarithm": torch.log,
    "logarithmBase10": torch.log10,
    "logarithmBase2": torch.log2,
    "reLU": torch.relu,
    "reciprocal": torch.reciprocal,
    "reverseSquareRoot": torch.rsqrt,
    "rint": torch.round,
    "sigmoid": torch.sigmoid,
    "sin": torch.sin,
    "sinh": torch.sinh,
    "squareRoot": torch.sqrt,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "truncate": torch.trunc,
}
_ANY_TYPE = {
    "absolute": torch.abs,
    "bitwiseNOT": torch.bitwise_not,
    "identity": lambda one: one,
    "negative": torch.neg,
    "not": torch.logical_not,
    "sign": torch.sign,
}
_BINARY = {
    "addition": torch.add,
    "atan2": torch.atan2,
    "bitwiseAND": torch.bitwise_and,
    "bitwiseOR": torch.bitwise_or,
    "bitwiseXOR": torch.bitwise_xor,
    "division": torch.div,
    "equal": torch.eq,
    "greaterThan": torch.gt,
    "greaterThanOrEqualTo": torch.ge,
    "lessThan": torch.lt,
    "lessThanOrEqualTo": torch.le,
    "matrixMultiplication": torch.matmul,
    "maximum": torch.maximum,
    "maximumWithNaNPropagation": torch.maximum,
    "minimum": torch.minimum,
    "minimumWithNaNPropagation": torch.minimum,
    "multiplication": torch.mul,
    "notEqual": torch.ne,
    "power": torch.pow,
    "subtraction": torch.sub,
}
_CALLS: dict[str, Callable[..., Tensor]] = {
    **{f"{name}WithTensor": _of_floats(function) for name, function in _UNARY.items()},
    **{f"{name}WithTensor": function for name, function in _ANY_TYPE.items()},
    **{name: _of_one_type(function) for name, function in _BINARY.items()},
    "avgPooling2D": _of_floats(_average),
    "broadcast": _broadcast,
    "cast": lambda one, type: one.to(getattr(torch, type)),
    "concat": lambda *parts, axis: torch.cat(parts, axis),
    "constant": _constant,
    "convolution2D": _convolution,
    "coordinate": _coordinate,
    "filled": _filled,
    "gather": _gather,
    "gatherND": _gather_at,
    "leakyReLU": _of_floats(lambda one, alpha: F.leaky_relu(one, alpha)),
    "maxPooling2D": _of_floats(_most),
    "mean": _of_floats(lambda one, axes: one.mean(axes, keepdim=True)),
    "normalization": _normalization,
    "pad": _padded,
    "reductionMaximumWithTensor": _of_floats(lambda one, axis: one.amax(axis, keepdim=True)),
    "reductionSumWithTensor": _of_floats(lambda one, axis: one.sum(axis, keepdim=True)),
    "reshape": lambda one, shape: one.reshape(shape),
    "scatterND": _scatter_at,
    "select": _select,
    "slice": _cut,
    "softMaxWithTensor": _of_floats(lambda one, axis: one.softmax(axis)),
    "transpose": lambda one, permutation: one.permute(permutation),
    "variance": _variance,
}
