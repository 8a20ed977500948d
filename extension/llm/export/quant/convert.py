"""Weights in few bits from one form to another, without a change of values.

``to_default``, ``to_exportable`` and ``identity`` take the name of a weight and the weight; the readers of
:mod:`executorch.extension.llm.export.load` call one of them for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torchao.quantization import IntxUnpackedToInt8Tensor
from torchao.quantization.quantize_.workflows.int4.int4_tensor import Int4Tensor

from executorch.extension.llm.export.exportable import ExportableTensor
from executorch.extension.llm.export.gguf import ExportableGGUFTensor
from executorch.extension.llm.export.int4 import ExportableInt4Tensor, has_four_bits_in_bytes

#: Quantized weights whose ``to`` keeps the bits, and the dimension of each part along which rows lie.
_ROWS = {
    ExportableInt4Tensor: {"qdata": 0, "scale": 1, "zero_point": 1},
    IntxUnpackedToInt8Tensor: {"qdata": 0, "scale": 0, "zero_point": 0},
    ExportableGGUFTensor: {"raw": 0},
}


def is_plain(value: torch.Tensor) -> bool:
    """Whether a weight is floats or integers, and none of torchao's tensors."""
    return type(value) in (torch.Tensor, torch.nn.Parameter)


def identity(fqn: str, w: torch.Tensor) -> torch.Tensor:
    """The weight as it is."""
    return w


def to_exportable(fqn: str, w: torch.Tensor) -> torch.Tensor:
    """torchao's ``Int4Tensor``, which exports as kernels of one kind of processor, as :class:`ExportableInt4Tensor`; others as they are."""
    return ExportableInt4Tensor.from_int4_tensor(w) if isinstance(w, Int4Tensor) else w


def to_default(fqn: str, w: torch.Tensor) -> torch.Tensor:
    """As :func:`to_exportable`, and four bits that lie in bytes become an :class:`ExportableInt4Tensor`, of half the size.

    Raises:
        ValueError: such a weight's layer quantizes its inputs.
    """
    if has_four_bits_in_bytes(w):
        return ExportableInt4Tensor.from_intx_unpacked_to_int8_tensor(w)
    return to_exportable(fqn, w)


def maybe_cast(value: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    """A weight of floats with another dtype; of quantized ones that of the values, if that keeps the bits.

    Integers, and quantized weights whose ``to`` would drop or ignore something, stay as they are.
    """
    if dtype is None or value.dtype == dtype or not value.dtype.is_floating_point:
        return value
    if isinstance(value, IntxUnpackedToInt8Tensor):
        return _cast_intx(value, dtype)
    return value.to(dtype) if is_plain(value) or isinstance(value, ExportableTensor) else value


def _cast_intx(value: IntxUnpackedToInt8Tensor, dtype: torch.dtype) -> torch.Tensor:
    zero = value.zero_point
    return IntxUnpackedToInt8Tensor(
        qdata=value.qdata,
        scale=value.scale.to(dtype),
        zero_point=zero.to(dtype) if zero.dtype.is_floating_point else zero,
        target_dtype=value.target_dtype,
        block_size=value.block_size,
        dtype=dtype,
        activation_quantization=value.activation_quantization,
    )


def fuse_along_output(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """One weight of several that have the same inputs, rows below rows, as of queries, keys and values.

    Every row keeps its bits, scales and zero points.

    Raises:
        ValueError: there is none, or they are quantized in different ways.
        TypeError: they are of different types, or of one that has no rows here.
    """
    if not tensors:
        raise ValueError("no weights to put together")
    first: Any = tensors[0]
    if len(tensors) == 1:
        return tensors[0]
    plain = all(is_plain(one) for one in tensors)
    if not plain and any(type(one) is not type(first) for one in tensors):
        kinds = sorted({type(one).__name__ for one in tensors})
        raise TypeError(f"weights of different types do not become one: {', '.join(kinds)}")
    if plain:
        return torch.cat(list(tensors), dim=0)
    rows = _ROWS.get(type(first))
    if rows is None:
        raise TypeError(
            f"{type(first).__name__} is none of {', '.join(one.__name__ for one in _ROWS)}: convert it with to_default"
        )
    attributes = [getattr(first, name) for name in first.tensor_attribute_names]
    for other in tensors[1:]:
        if [getattr(other, name) for name in first.tensor_attribute_names] != attributes:
            raise ValueError(
                f"weights that are quantized in different ways do not become one: {first!r} and {other!r}"
            )
    parts = [torch.cat([getattr(one, name) for one in tensors], dim) for name, dim in rows.items()]
    fused: torch.Tensor = type(first)(*parts, *attributes)
    return fused
