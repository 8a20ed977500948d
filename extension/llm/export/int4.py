"""Weights of four bits in groups that survive :func:`torch.export.export`: torchao's ``Int4Tensor`` with an operator for its values.

``torchao::dequantize_int4_tensor`` gives ``scale * (q - zero_point)``; torchao's own tensor would become kernels of one kind of processor.
"""

from __future__ import annotations

from typing import Any

import torch
from torchao.quantization import IntxUnpackedToInt8Tensor

from executorch.extension.llm.export.exportable import ExportableTensor

#: What makes signed four bits, -8 to 7, unsigned.
_OFFSET = 8
_INT4: torch.dtype = torch.int4  # type: ignore[attr-defined]


@torch.library.custom_op("torchao::dequantize_int4_tensor", mutates_args=())
def _dequantize_int4_tensor(
    qdata: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor,
    group_size: int,
    output_dtype: torch.dtype,
) -> torch.Tensor:
    """The values of :class:`ExportableInt4Tensor`'s parts, calculated in float32."""
    bits = torch.stack((qdata & 0xF, qdata >> 4), dim=-1).flatten(-2)
    groups = bits.to(torch.float32).unflatten(-1, (-1, group_size))
    scales, zeros = (one.to(torch.float32).transpose(-1, -2).unsqueeze(-1) for one in (scale, zero_point))
    return ((groups - zeros) * scales).flatten(-2).to(output_dtype)


@_dequantize_int4_tensor.register_fake
def _(
    qdata: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor,
    group_size: int,
    output_dtype: torch.dtype,
) -> torch.Tensor:
    return qdata.new_empty((*qdata.shape[:-1], 2 * qdata.shape[-1]), dtype=output_dtype)


def has_four_bits_in_bytes(w: torch.Tensor) -> bool:
    """Whether a weight is torchao's tensor of four bits, of which each has a byte."""
    return isinstance(w, IntxUnpackedToInt8Tensor) and w.target_dtype is _INT4


class ExportableInt4Tensor(ExportableTensor):
    """A weight ``[n, k]`` in unsigned four bits.

    Args:
        qdata: ``[n, k / 2]``, uint8: the even column in the low half of a byte, the odd one in the high half.
        scale: ``[k / group_size, n]``.
        zero_point: ``[k / group_size, n]``, what of 0 to 15 stands for zero, fractions too.
        group_size: columns that share both.
        orig_dtype: of the values.
    """

    tensor_data_names = ["qdata", "scale", "zero_point"]
    tensor_attribute_names = ["group_size", "orig_dtype"]

    def __new__(
        cls,
        qdata: torch.Tensor,
        scale: torch.Tensor,
        zero_point: torch.Tensor,
        group_size: int,
        orig_dtype: torch.dtype,
    ) -> ExportableInt4Tensor:
        """Called by torch, too, with parts that are no plain tensors."""
        shape = (*qdata.shape[:-1], 2 * qdata.shape[-1])
        made = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=orig_dtype, device=qdata.device)  # type: ignore[attr-defined]
        made.qdata, made.scale, made.zero_point = qdata, scale, zero_point
        made.group_size, made.orig_dtype = group_size, orig_dtype
        return made

    def __init__(self, *parts: Any, **named: Any) -> None:
        """Everything is done by ``__new__``."""

    @classmethod
    def from_int4_tensor(cls, w: torch.Tensor) -> ExportableInt4Tensor:
        """The same bits as torchao's ``Int4Tensor`` has them.

        Raises:
            ValueError: its inputs are to be scaled or quantized, which no operator of a weight does.
        """
        if getattr(w, "act_pre_scale", None) is not None or getattr(w, "activation_dtype", None) not in (
            None,
            torch.bfloat16,
        ):
            raise ValueError(
                "an Int4Tensor that scales or quantizes its layer's inputs has no operator of a weight alone: quantize the weight only"
            )
        return cls(w.qdata, w.scale, w.zero_point, w.block_size[-1], w.dtype)  # type: ignore[attr-defined]

    @classmethod
    def from_intx_unpacked_to_int8_tensor(cls, w: Any) -> ExportableInt4Tensor:
        """The same values as torchao's ``IntxUnpackedToInt8Tensor`` has in bytes, of four bits each, in half the memory.

        Raises:
            ValueError: it is none of four bits, has an odd number of columns, groups over several rows, or quantizes inputs.
        """
        if not has_four_bits_in_bytes(w):
            raise ValueError(
                f"{type(w).__name__} of {getattr(w, 'target_dtype', w.dtype)}: only int4 fits in four bits"
            )
        if w.activation_quantization is not None:
            raise ValueError(
                "a weight whose layer quantizes its inputs is no int4 weight: keep the IntxUnpackedToInt8Tensor"
            )
        if w.shape[-1] % 2 or any(one != 1 for one in w.block_size[:-1]):
            raise ValueError(
                f"blocks of {tuple(w.block_size)} in {tuple(w.shape)}: groups have to lie in a row, and rows to have pairs"
            )
        bits = (w.qdata.to(torch.int16) + _OFFSET).to(torch.uint8)
        packed = bits[..., 0::2] | (bits[..., 1::2] << 4)
        zero = (w.zero_point.to(w.scale.dtype) + _OFFSET).transpose(-1, -2).contiguous()
        return cls(packed, w.scale.transpose(-1, -2).contiguous(), zero, w.block_size[-1], w.dtype)

    def dequantize(self, output_dtype: torch.dtype | None = None) -> torch.Tensor:
        """The values, ``[n, k]``, in ``orig_dtype`` by default."""
        made: torch.Tensor = torch.ops.torchao.dequantize_int4_tensor(
            self.qdata, self.scale, self.zero_point, self.group_size, output_dtype or self.orig_dtype
        )
        return made

    def _as_dtype(self, dtype: torch.dtype) -> ExportableInt4Tensor:
        return type(self)(self.qdata, self.scale.to(dtype), self.zero_point.to(dtype), self.group_size, dtype)
