"""Weights of at most four bits, two in a byte, on their way through :func:`torch.export.export` to a backend for processors.

torchao's tensor has a byte for each, and an export holds it beside what a backend makes of it: of a model in four bits that is more than
the program itself. ``torchao::unpack_pairs`` makes torchao's numbers of these, in the graph and for one layer at a time. They lie as XNNPACK
has them, so that its delegate refers to the same memory.
"""

from __future__ import annotations

from typing import Any

import torch
from torchao.quantization import IntxUnpackedToInt8Tensor

from executorch.extension.llm.export.exportable import ExportableTensor

#: The most bits, of numbers from -8 to 7, and what is added to them in memory.
BITS, _OFFSET = 4, 8

_NARROW = tuple(getattr(torch, f"int{bits}") for bits in range(1, BITS + 1))


@torch.library.custom_op("torchao::unpack_pairs", mutates_args=())
def _unpack_pairs(pairs: torch.Tensor) -> torch.Tensor:
    """uint8 of ``[n, k / 2]``, the even column in the low half of a byte, 8 more each, to int8 of ``[n, k]``."""
    made = torch.empty((*pairs.shape, 2), dtype=torch.uint8, device=pairs.device)
    torch.bitwise_and(pairs, (1 << BITS) - 1, out=made[..., 0])
    torch.bitwise_right_shift(pairs, BITS, out=made[..., 1])
    return made.flatten(-2).view(torch.int8).sub_(_OFFSET)


@_unpack_pairs.register_fake
def _(pairs: torch.Tensor) -> torch.Tensor:
    return pairs.new_empty((*pairs.shape[:-1], 2 * pairs.shape[-1]), dtype=torch.int8)


def is_narrow(weight: Any) -> bool:
    """Whether a weight is torchao's tensor of at most four bits, of which each has a byte."""
    return isinstance(weight, IntxUnpackedToInt8Tensor) and weight.target_dtype in _NARROW


class PairedTensor(ExportableTensor):
    """What torchao's ``IntxUnpackedToInt8Tensor`` says, in half the memory.

    Args:
        pairs: ``[n, k / 2]``, uint8: the even column in the low half of a byte, the odd one in the high half, 8 more each. Nobody changes it.
        scale, zero_point, target_dtype, block_size, orig_dtype, activation_quantization: as torchao's tensor has them.
    """

    tensor_data_names = ["pairs", "scale", "zero_point"]
    tensor_attribute_names = ["target_dtype", "block_size", "orig_dtype", "activation_quantization"]

    def __new__(
        cls,
        pairs: torch.Tensor,
        scale: torch.Tensor,
        zero_point: torch.Tensor,
        target_dtype: torch.dtype,
        block_size: tuple[int, ...],
        orig_dtype: torch.dtype,
        activation_quantization: Any,
    ) -> PairedTensor:
        """Called by torch, too, with parts that are no plain tensors."""
        shape = (*pairs.shape[:-1], 2 * pairs.shape[-1])
        made = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=orig_dtype, device=pairs.device)  # type: ignore[attr-defined]
        made.pairs, made.scale, made.zero_point = pairs, scale, zero_point
        made.target_dtype, made.block_size, made.orig_dtype = target_dtype, block_size, orig_dtype
        made.activation_quantization = activation_quantization
        return made

    def __init__(self, *parts: Any, **named: Any) -> None:
        """Everything is done by ``__new__``."""

    @classmethod
    def of(cls, weight: Any) -> PairedTensor:
        """A weight of :func:`is_narrow` with an even number of columns."""
        numbers = weight.qdata.view(torch.uint8)
        pairs = numbers[..., 1::2] << BITS
        pairs |= numbers[..., 0::2] & 15
        # 8 more is the highest bit turned of a number in two's complement.
        pairs ^= _OFFSET | _OFFSET << BITS
        said = (weight.target_dtype, weight.block_size, weight.dtype, weight.activation_quantization)
        return cls(pairs, weight.scale, weight.zero_point, *said)

    def unpacked(self) -> IntxUnpackedToInt8Tensor:
        """torchao's tensor of the same numbers."""
        numbers = torch.ops.torchao.unpack_pairs(self.pairs)
        said = (self.target_dtype, self.block_size, self.orig_dtype, self.activation_quantization)
        return IntxUnpackedToInt8Tensor(numbers, self.scale, self.zero_point, *said)

    def dequantize(self, output_dtype: torch.dtype | None = None) -> torch.Tensor:
        """The values, ``[n, k]``, in ``orig_dtype`` by default."""
        values: torch.Tensor = self.unpacked().dequantize()
        return values if output_dtype is None else values.to(output_dtype)

    def _as_dtype(self, dtype: torch.dtype) -> PairedTensor:
        said = (self.target_dtype, self.block_size, dtype, self.activation_quantization)
        return type(self)(self.pairs, self.scale.to(dtype), self.zero_point, *said)


@PairedTensor.implements(torch.ops.aten.linear.default)
@PairedTensor.implements_torch_function(torch.nn.functional.linear)
def _linear(func: Any, types: Any, args: Any, kwargs: Any) -> torch.Tensor:
    # Inputs are quantized by torchao's tensor, where it says so.
    given = dict(zip(("input", "weight", "bias"), args, strict=False)) | (kwargs or {})
    return torch.nn.functional.linear(given["input"], given["weight"].unpacked(), given.get("bias"))
