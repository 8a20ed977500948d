"""Weights of GGUF files as they are: blocks of bytes, whose values an operator makes.

:class:`ExportableGGUFTensor` keeps a tensor's Q4_K, Q5_K or Q6_K blocks unread; ``torchao::dequantize_gguf`` gives their values, as the
package `gguf` calculates them. What a backend has kernels for, the two conversions unpack into: four bits, or a byte for each weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torchao.quantization import IntxUnpackedToInt8Tensor

from executorch.extension.llm.export.exportable import ExportableTensor
from executorch.extension.llm.export.gguf_blocks import (
    BLOCK_BYTES,
    GROUP_SIZES,
    QK_K,
    affine_groups,
    q4_k_fields,
    q5_k_fields,
    q6_k_fields,
)
from executorch.extension.llm.export.int4 import ExportableInt4Tensor

Q4_K_GROUP_SIZE, Q5_K_GROUP_SIZE, Q6_K_GROUP_SIZE = (GROUP_SIZES[one] for one in ("q4_k", "q5_k", "q6_k"))
_Q4_K_BLOCK_BYTES, _Q5_K_BLOCK_BYTES, _Q6_K_BLOCK_BYTES = (
    BLOCK_BYTES[one] for one in ("q4_k", "q5_k", "q6_k")
)

#: Numbers that files have for the kinds of tensors.
GGML_F32, GGML_F16, GGML_Q4_K, GGML_Q5_K, GGML_Q6_K = 0, 1, 12, 13, 14
_GGML_ID_BY_TYPE = {"q4_k": GGML_Q4_K, "q5_k": GGML_Q5_K, "q6_k": GGML_Q6_K}
_TYPE_BY_GGML_ID = {number: name for name, number in _GGML_ID_BY_TYPE.items()}
_GGML_BF16 = 30

_Pair = tuple[str, torch.Tensor]


def _package() -> Any:
    try:
        import gguf
    except ModuleNotFoundError as error:
        raise ImportError("GGUF files and blocks are read by the package gguf: pip install gguf") from error
    return gguf


@torch.library.custom_op("torchao::dequantize_gguf", mutates_args=())
def _dequantize_gguf(raw: torch.Tensor, ggml_type: str, output_dtype: torch.dtype) -> torch.Tensor:
    """The values ``[n, k]`` of blocks, ``[n, bytes of a row]``, by the package gguf."""
    package = _package()
    kind = package.GGMLQuantizationType(_GGML_ID_BY_TYPE[ggml_type])
    values = package.quants.dequantize(raw.detach().cpu().contiguous().numpy(), kind)
    return torch.from_numpy(numpy.ascontiguousarray(values)).to(raw.device, output_dtype, copy=True)


@_dequantize_gguf.register_fake
def _(raw: torch.Tensor, ggml_type: str, output_dtype: torch.dtype) -> torch.Tensor:
    return raw.new_empty((raw.shape[0], _columns(raw, ggml_type)), dtype=output_dtype)


def _columns(raw: torch.Tensor, ggml_type: str) -> int:
    return int(raw.shape[-1]) // BLOCK_BYTES[ggml_type] * QK_K


class ExportableGGUFTensor(ExportableTensor):
    """A weight ``[n, k]`` in the blocks of a GGUF file.

    Args:
        raw: ``[n, bytes of a row]``, uint8, as the file has them.
        ggml_type: ``q4_k``, ``q5_k`` or ``q6_k``.
        orig_dtype: of the values.
    """

    tensor_data_names = ["raw"]
    tensor_attribute_names = ["ggml_type", "orig_dtype"]

    def __new__(cls, raw: torch.Tensor, ggml_type: str, orig_dtype: torch.dtype) -> ExportableGGUFTensor:
        """Called by torch, too, with blocks that are no plain tensor."""
        shape = (raw.shape[0], _columns(raw, ggml_type))
        made = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=orig_dtype, device=raw.device)  # type: ignore[attr-defined]
        made.raw, made.ggml_type, made.orig_dtype = raw, ggml_type, orig_dtype
        return made

    def __init__(self, *parts: Any, **named: Any) -> None:
        """Everything is done by ``__new__``."""

    @classmethod
    def from_raw(
        cls, raw: torch.Tensor, ggml_type: str, orig_dtype: torch.dtype = torch.bfloat16
    ) -> ExportableGGUFTensor:
        """Of the bytes of whole rows.

        Raises:
            NotImplementedError: the kind is none of the three.
            ValueError: they are no rows of whole blocks.
        """
        if ggml_type not in BLOCK_BYTES:
            raise NotImplementedError(
                f"no blocks of {ggml_type}: there are {', '.join(BLOCK_BYTES)}; gguf.quants.dequantize makes floats of others"
            )
        size = BLOCK_BYTES[ggml_type]
        if raw.dtype != torch.uint8 or raw.dim() != 2 or raw.shape[1] % size:
            raise ValueError(
                f"blocks of {ggml_type} are rows of {size} bytes each, not {raw.dtype} {tuple(raw.shape)}"
            )
        return cls(raw, ggml_type, orig_dtype)

    def dequantize(self, output_dtype: torch.dtype | None = None) -> torch.Tensor:
        """The values, ``[n, k]``, in ``orig_dtype`` by default."""
        made: torch.Tensor = torch.ops.torchao.dequantize_gguf(
            self.raw, self.ggml_type, output_dtype or self.orig_dtype
        )
        return made

    def _as_dtype(self, dtype: torch.dtype) -> ExportableGGUFTensor:
        return type(self)(self.raw, self.ggml_type, dtype)

    def to_exportable_int4_tensor(self, output_dtype: torch.dtype | None = None) -> ExportableInt4Tensor:
        """Q4_K in the layout of four bits; scales and zero points rounded to ``output_dtype``, ``orig_dtype`` by default.

        Raises:
            NotImplementedError: it has more bits.
        """
        if self.ggml_type != "q4_k":
            raise NotImplementedError(
                f"{self.ggml_type} has more than four bits: use to_intx_unpacked_to_int8_tensor"
            )
        dtype = output_dtype or self.orig_dtype
        bits, scale, zero = affine_groups(*q4_k_fields(self.raw, *self.shape))
        scale, zero = (one.to(dtype).transpose(0, 1).contiguous() for one in (scale, zero))
        return ExportableInt4Tensor(bits[:, 0::2] | (bits[:, 1::2] << 4), scale, zero, Q4_K_GROUP_SIZE, dtype)

    def to_intx_unpacked_to_int8_tensor(
        self, max_group_size: int | None = None, scale_dtype: torch.dtype | None = None
    ) -> IntxUnpackedToInt8Tensor:
        """A byte for each weight, in torchao's tensor, of 4, 5 or 6 bits.

        Args:
            max_group_size: groups beside each other that have the same scale and zero become one of up to this many columns.
            scale_dtype: of scales and values; float16, in which the file has them, by default.
        """
        dtype = scale_dtype or torch.float16
        rows, columns = self.shape
        group = GROUP_SIZES[self.ggml_type]
        if self.ggml_type == "q6_k":
            data, scale = q6_k_fields(self.raw, rows, columns)
            zero, bits = torch.zeros_like(scale), 6
        else:
            fields, bits = (q4_k_fields, 4) if self.ggml_type == "q4_k" else (q5_k_fields, 5)
            unsigned, scale, zero = affine_groups(*fields(self.raw, rows, columns))
            middle = 1 << (bits - 1)
            data, zero = (unsigned.to(torch.int16) - middle).to(torch.int8), zero - middle
        if max_group_size is not None:
            group, scale, zero = _max_uniform_group_size(scale, zero, group, max_group_size)
        return IntxUnpackedToInt8Tensor(
            qdata=data,
            scale=scale.to(dtype),
            zero_point=zero.to(torch.int8 if self.ggml_type == "q6_k" else dtype),
            target_dtype=getattr(torch, f"int{bits}"),
            block_size=(1, group),
            dtype=dtype,
            activation_quantization=None,
        )


def _max_uniform_group_size(
    eff_scale: torch.Tensor, eff_min: torch.Tensor, base_group_size: int, max_group_size: int
) -> tuple[int, torch.Tensor, torch.Tensor]:
    """The largest groups that change no value: runs of a power of two, of the same scale and minimum in every row.

    Args:
        eff_scale: ``[n, groups]``; ``eff_min`` as well.
        base_group_size: columns of a group.
        max_group_size: the most columns of the result's.

    Returns:
        Columns of a group, and both for the groups of that size. Of fake tensors, whose values nobody knows, those given.
    """
    found = 1
    if not isinstance(eff_scale, FakeTensor):
        factor = 2
        while base_group_size * factor <= max_group_size and eff_scale.shape[1] % factor == 0:
            runs = [one.unflatten(1, (-1, factor)) for one in (eff_scale, eff_min)]
            if all(bool((run == run[..., :1]).all()) for run in runs):
                found = factor
            factor *= 2
    if found == 1:
        return base_group_size, eff_scale, eff_min
    return base_group_size * found, eff_scale[:, ::found], eff_min[:, ::found]


def iter_gguf(path: str) -> Iterator[_Pair]:
    """Each tensor of a file and its name there, one at a time.

    Q4_K, Q5_K and Q6_K are :class:`ExportableGGUFTensor`, floats plain tensors of the dtype that the file has.

    Raises:
        NotImplementedError: a tensor is of another kind.
        ImportError: the package gguf is not installed.
    """
    for tensor in _package().GGUFReader(path).tensors:
        # A copy, since the file is mapped for reading only.
        data = torch.from_numpy(numpy.array(tensor.data))
        kind = int(tensor.tensor_type)
        if kind in _TYPE_BY_GGML_ID:
            yield tensor.name, ExportableGGUFTensor.from_raw(data.flatten(0, -2), _TYPE_BY_GGML_ID[kind])
        elif kind == _GGML_BF16:
            yield tensor.name, data.view(torch.bfloat16)
        elif kind in (GGML_F32, GGML_F16):
            yield tensor.name, data
        else:
            raise NotImplementedError(
                f"{path}: {tensor.name} is of {tensor.tensor_type.name}; read are Q4_K, Q5_K, Q6_K, F32, F16 and BF16. "
                "llama-quantize makes one of these of it"
            )
