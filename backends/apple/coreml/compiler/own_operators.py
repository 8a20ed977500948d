"""Operators that stand in a graph on its way to coremltools, under names of our own in its registry.

A function here has the meaning of the operator in PyTorch, for example values; what
:func:`register` adds under its name writes it with Core ML's operators. Nothing that coremltools registers itself is replaced.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from executorch.backends.apple.coreml.compiler.toolbox import coremltools


def coreml_reciprocal(x: torch.Tensor) -> torch.Tensor:
    return x.reciprocal()


def coreml_scalar(value: float, is_integer: bool) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.int32 if is_integer else torch.float32)


def coreml_clamp_integers(x: torch.Tensor, low: int | None, high: int | None) -> torch.Tensor:
    return x.clamp(low, high)


def coreml_product(x: torch.Tensor, dims: Sequence[int], keepdim: bool) -> torch.Tensor:
    for dim in sorted((one % x.dim() for one in dims), reverse=True):
        x = x.prod(dim, keepdim)
    return x


def coreml_scatter(
    x: torch.Tensor, index: torch.Tensor, values: torch.Tensor, dim: int, accumulate: bool
) -> torch.Tensor:
    return x.index_add(dim, index, values) if accumulate else x.index_copy(dim, index, values)


def coreml_gelu_of_tanh(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


def coreml_dequantize_blocks(
    values: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor | None, has_four_bits: bool
) -> torch.Tensor:
    for dim, size in enumerate(values.shape):
        repeats = size // scale.shape[dim]
        scale = scale.repeat_interleave(repeats, dim)
        zero_point = None if zero_point is None else zero_point.repeat_interleave(repeats, dim)
    shifted = (
        values.to(scale.dtype) if zero_point is None else values.to(scale.dtype) - zero_point.to(scale.dtype)
    )
    return shifted * scale


def coreml_look_up(codes: torch.Tensor, tables: torch.Tensor, bits: int) -> torch.Tensor:
    for dim, size in enumerate(codes.shape):
        tables = tables.repeat_interleave(size // tables.shape[dim], dim)
    return tables[..., 0].gather(-1, codes.long().unsqueeze(-1)).squeeze(-1)


@functools.cache
def register() -> None:
    """Puts them into coremltools's registry; once a process."""
    coremltools()
    _register_arithmetic()
    _register_weights()


def _add(name: str, build: Callable[..., Any]) -> None:
    from coremltools.converters.mil.frontend.torch.ops import _get_inputs
    from coremltools.converters.mil.frontend.torch.torch_op_registry import register_torch_op

    def convert(context: Any, node: Any) -> None:
        context.add(build(node.name, *_get_inputs(context, node)))

    convert.__name__ = name
    register_torch_op(convert)


def _register_arithmetic() -> None:
    import numpy as np
    from coremltools.converters.mil.mil import Builder as mb
    from coremltools.converters.mil.mil import types

    def reciprocal(name: str, x: Any) -> Any:
        return mb.real_div(x=np.float16(1) if x.dtype == types.fp16 else np.float32(1), y=x, name=name)

    def scalar(name: str, value: Any, is_integer: Any) -> Any:
        return mb.const(val=np.int32(value.val) if bool(is_integer.val) else np.float32(value.val), name=name)

    def clamped(name: str, x: Any, low: Any, high: Any) -> Any:
        for bound, build in ((low, mb.maximum), (high, mb.minimum)):
            x = x if bound is None else build(x=x, y=np.int32(bound.val))
        return mb.identity(x=x, name=name)

    def product(name: str, x: Any, dims: Any, keepdim: Any) -> Any:
        return mb.reduce_prod(
            x=x, axes=[int(one) for one in dims.val], keep_dims=bool(keepdim.val), name=name
        )

    def scattered(name: str, x: Any, index: Any, values: Any, dim: Any, accumulate: Any) -> Any:
        mode = "add" if bool(accumulate.val) else "update"
        return mb.scatter(data=x, indices=index, updates=values, axis=int(dim.val), mode=mode, name=name)

    _add("coreml_reciprocal", reciprocal)
    _add("coreml_scalar", scalar)
    _add("coreml_clamp_integers", clamped)
    _add("coreml_product", product)
    _add("coreml_scatter", scattered)
    _add("coreml_gelu_of_tanh", lambda name, x: mb.gelu(x=x, mode="TANH_APPROXIMATION", name=name))


def _register_weights() -> None:
    """Weights that Core ML keeps compressed."""
    import numpy as np
    from coremltools.converters.mil.mil import Builder as mb
    from coremltools.converters.mil.mil import types

    def blocks(name: str, values: Any, scale: Any, zero_point: Any, has_four_bits: Any) -> Any:
        data = values.val.astype(np.int8)
        if (
            not bool(has_four_bits.val)
            and scale.val.size == data.shape[0]
            and scale.val.shape[0] == data.shape[0]
        ):
            offset = np.int8(0) if zero_point is None else zero_point.val.astype(np.int8).reshape(-1)
            return mb.constexpr_affine_dequantize(
                quantized_data=data, zero_point=offset, scale=scale.val.reshape(-1), axis=0, name=name
            )
        kind = types.nptype_from_builtin(types.int4) if bool(has_four_bits.val) else np.int8
        shift = None if zero_point is None or not zero_point.val.any() else zero_point.val.astype(kind)
        return mb.constexpr_blockwise_shift_scale(
            data=data.astype(kind), scale=scale.val, offset=shift, name=name
        )

    def looked_up(name: str, codes: Any, tables: Any, bits: Any) -> Any:
        kind = types.nptype_from_builtin(types.string_to_builtin(f"uint{int(bits.val)}"))
        lut = tables.val
        missing = 2 ** int(bits.val) - lut.shape[-2]
        if missing:
            lut = np.pad(lut, [(0, 0)] * (lut.ndim - 2) + [(0, missing), (0, 0)])
        return mb.constexpr_lut_to_dense(indices=codes.val.astype(np.uint8).astype(kind), lut=lut, name=name)

    _add("coreml_dequantize_blocks", blocks)
    _add("coreml_look_up", looked_up)
