"""Weights in 4 bits that are rounded with regard to what layers get (https://arxiv.org/abs/2210.17323).

Column by column, what a weight loses by rounding is made up for in the columns behind it, as far as the inputs of some text are alike in
them. Layers of a decoder are done one after the other, each with the inputs that the quantized ones before it give.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torchao.quantization.quant_primitives import MappingType, choose_qparams_affine

from executorch.extension.llm.export.pre_quantized import intx_weight
from executorch.extension.llm.models.lora import is_adapter

#: Of the mean of the squares of inputs: what is added to all, so that inputs that hardly vary do not decide.
_DAMPING = 0.01
#: Columns whose losses reach those of the next blocks at once.
_BLOCK = 128
_LOWEST, _HIGHEST = -8, 7

_log = logging.getLogger(__name__)


class _Stop(Exception):
    """The first layer was reached."""


def round_by_inputs(
    weight: torch.Tensor, squares: torch.Tensor, group_size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """A weight ``[n, k]`` in symmetric groups of four bits.

    Args:
        squares: ``[k, k]``, the sum of ``x^T x`` over inputs ``x``.
        group_size: columns that share a scale; it divides ``k``.

    Returns:
        int8 ``[n, k]`` and float32 scales ``[n, k / group_size]``.
    """
    rest, squares = weight.detach().to(torch.float32).clone(), squares.to(torch.float32).clone()
    diagonal = squares.diagonal()
    never = diagonal == 0
    diagonal[never] = 1.0
    diagonal += _DAMPING * diagonal.mean()
    upper = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(squares)), upper=True)
    rows, columns = rest.shape
    bits = torch.empty((rows, columns), dtype=torch.int8)
    scales = torch.empty((rows, columns // group_size))
    for start in range(0, columns, _BLOCK):
        stop = min(start + _BLOCK, columns)
        lost = torch.zeros((rows, stop - start))
        for column in range(start, stop):
            if column % group_size == 0:
                # The columns of a later block in this group have not been told of the losses in this one; they hardly change its range.
                scales[:, column // group_size] = _scales(rest[:, column : column + group_size])
            scale = scales[:, column // group_size]
            rounded = (rest[:, column] / scale).round().clamp(_LOWEST, _HIGHEST)
            bits[:, column] = rounded.to(torch.int8)
            lost[:, column - start] = (rest[:, column] - rounded * scale) / upper[column, column]
            rest[:, column:stop] -= torch.outer(lost[:, column - start], upper[column, column:stop])
        rest[:, stop:] -= lost @ upper[start:stop, stop:]
    return bits, scales


def _scales(group: torch.Tensor) -> torch.Tensor:
    """As torchao has them for symmetric weights."""
    scale, _ = choose_qparams_affine(
        group, MappingType.SYMMETRIC, (1, group.shape[1]), torch.int8, _LOWEST, _HIGHEST
    )
    return scale.flatten()


def gptq_transform(
    calls: Sequence[tuple[Any, ...]], group_size: int, dtype: torch.dtype = torch.float32
) -> Callable[[nn.Module], nn.Module]:
    """What quantizes a decoder's linear layers by the inputs of some calls; inputs in 8 bits are quantized at run time, as of ``8da4w``.

    Args:
        calls: arguments of the decoder, one after the other.
        group_size: columns that share a scale; layers that it does not divide stay as they are.
        dtype: of scales and values.
    """

    def transform(model: nn.Module) -> nn.Module:
        with torch.no_grad():
            _transform(model, calls, group_size, dtype)
        return model

    return transform


def _transform(model: Any, calls: Sequence[tuple[Any, ...]], group_size: int, dtype: torch.dtype) -> None:
    model.to(dtype)
    inputs = _inputs_of_first_layer(model, calls)
    for number, layer in enumerate(model.layers):
        done = _quantize(layer, partial(_each, layer, inputs), group_size, dtype)
        _log.info("layer %d: %d linear layers by their inputs", number, done)
        inputs = [(layer(*one)[0], *one[1:]) for one in inputs]
    if model.output is not None:
        hidden = [model.norm(one[0]) for one in inputs]
        _quantize(
            model, partial(_each, model.output, [(one,) for one in hidden]), group_size, dtype, model.output
        )


def _each(module: nn.Module, inputs: Sequence[tuple[Any, ...]]) -> None:
    for one in inputs:
        module(*one)


def _inputs_of_first_layer(model: Any, calls: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    seen: list[tuple[Any, ...]] = []

    def keep(module: nn.Module, arguments: tuple[Any, ...]) -> None:
        del module
        seen.append(arguments)
        raise _Stop

    hook = model.layers[0].register_forward_pre_hook(keep)
    try:
        for call in calls:
            try:
                model(*call)
            except _Stop:
                continue
    finally:
        hook.remove()
    return seen


def _quantize(
    module: nn.Module,
    run: Callable[[], Any],
    group_size: int,
    dtype: torch.dtype,
    only: nn.Module | None = None,
) -> int:
    """The linear layers of a module, by what they get when it runs; how many there are."""
    linears = [
        one
        for name, one in module.named_modules()
        if isinstance(one, nn.Linear)
        and (only is None or one is only)
        and not is_adapter(f"{name}.")
        and type(one.weight) is nn.Parameter
        and one.in_features % group_size == 0
    ]
    squares = {one: torch.zeros(one.in_features, one.in_features) for one in linears}

    def observe(linear: Any, arguments: tuple[Any, ...]) -> None:
        x = arguments[0].detach().flatten(0, -2).to(torch.float32)
        squares[linear] += x.T @ x

    hooks = [one.register_forward_pre_hook(observe) for one in linears]
    try:
        run()
    finally:
        for hook in hooks:
            hook.remove()
    for one in linears:
        bits, scales = round_by_inputs(one.weight, squares.pop(one), group_size)
        made = intx_weight(bits, scales, None, 4, group_size, dtype, is_dynamic=True)
        one.weight = nn.Parameter(made, requires_grad=False)
    return len(linears)
