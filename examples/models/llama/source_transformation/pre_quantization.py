"""A decoder's layers exchanged for those of a checkpoint that was quantized before, for code that loads such a checkpoint itself.

An export does all of it by ``base.preq_mode`` (:mod:`executorch.extension.llm.export.pre_quantized`, which says what a checkpoint has).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torchao.quantization.utils import dynamically_quantize_per_channel as quantize_rows

from executorch.extension.llm.export.pre_quantized import intx_weight

Checkpoint = dict[str, torch.Tensor]

_OUTPUT = "output"
_SCALES = ".scales"


class PreQuantizedLayer(nn.Module):
    """A layer's ``weight`` in int8, ``[n, k]``, and its ``scales``, as the checkpoint has them; to be loaded from it.

    Args:
        scales: of the checkpoint, ``n * groups`` elements; of a row if there are no groups.
        bits: of a number.
        group: elements of a row that have a scale in common.
        dtype: it calculates in.
    """

    def __init__(
        self, rows: int, columns: int, scales: torch.Tensor, bits: int, group: int, dtype: torch.dtype
    ) -> None:
        super().__init__()
        if columns % group or scales.numel() != rows * (columns // group):
            raise ValueError(
                f"{tuple(scales.shape)} scales do not fit a weight of {rows} rows and {columns} columns in groups of {group}"
            )
        self.bits, self.group, self.dtype = bits, group, dtype
        self.register_buffer("weight", torch.zeros((rows, columns), dtype=torch.int8))
        self.register_buffer("scales", torch.ones_like(scales))

    def _values(self, is_dynamic: bool) -> torch.Tensor:
        return intx_weight(
            self.weight,  # type: ignore[arg-type]
            self.scales,  # type: ignore[arg-type]
            None,
            self.bits,
            self.group,
            self.dtype,
            is_dynamic,
        )


class PreQuantizedLinear(PreQuantizedLayer):
    """A linear layer without bias, whose inputs are quantized to 8 bits at run time."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., k]`` to ``[..., n]``."""
        return nn.functional.linear(x.to(self.dtype), self._values(is_dynamic=True))


class PreQuantizedEmbedding(PreQuantizedLayer):
    """A table of rows."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Int64 ``[...]`` to ``[..., k]``."""
        return nn.functional.embedding(tokens, self._values(is_dynamic=False))


def transform_linear_for_pre_quantization(
    module: nn.Module, checkpoint: Checkpoint, group_size: int, dtype: torch.dtype
) -> nn.Module:
    """Linear layers that the checkpoint has scales of, but ``output`` by rows, become 4 bits in groups; returns the model.

    Where a group is a row, ``output`` has 4 bits unless its integers in the checkpoint are more.

    Raises:
        ValueError: scales do not fit groups of that size, or a layer has a bias.
    """

    def made(name: str, layer: nn.Module) -> nn.Module | None:
        scales = checkpoint.get(name + _SCALES)
        if not isinstance(layer, nn.Linear) or scales is None:
            return None
        is_by_rows = scales.numel() == layer.out_features
        if (
            name == _OUTPUT
            and is_by_rows
            and not (group_size == layer.in_features and _has_four_bits(checkpoint, name))
        ):
            return None
        return _linear(name, layer, scales, 4, group_size, dtype)

    return _exchanged(module, made)


def transform_output_linear_for_pre_quantization(
    module: nn.Module, checkpoint: Checkpoint, dtype: torch.dtype
) -> nn.Module:
    """The layer ``output`` becomes 8 bits with a scale for each row; returns the model.

    Raises:
        ValueError: the checkpoint has other scales, or the layer a bias.
    """

    def made(name: str, layer: nn.Module) -> nn.Module | None:
        scales = checkpoint.get(name + _SCALES)
        if name != _OUTPUT or not isinstance(layer, nn.Linear) or scales is None:
            return None
        return _linear(name, layer, scales, 8, layer.in_features, dtype)

    return _exchanged(module, made)


def transform_embedding_for_pre_quantization(
    module: nn.Module,
    checkpoint: Checkpoint,
    dtype: torch.dtype,
    bit_width: int,
    group_size: int | None = None,
) -> nn.Module:
    """Embeddings that the checkpoint has scales of become ``bit_width`` bits in groups, or by rows; returns the model.

    Raises:
        ValueError: scales do not fit groups of that size, or the width is none of 2, 4 and 8.
    """
    if bit_width not in (2, 4, 8):
        raise ValueError(f"embeddings have 2, 4 or 8 bits, not {bit_width}")

    def made(name: str, layer: nn.Module) -> nn.Module | None:
        scales = checkpoint.get(name + _SCALES)
        if not isinstance(layer, nn.Embedding) or scales is None:
            return None
        rows, columns = layer.weight.shape
        return PreQuantizedEmbedding(rows, columns, scales, bit_width, group_size or columns, dtype)

    return _exchanged(module, made)


def sanitize_checkpoint_from_pre_quantization(checkpoint: Checkpoint) -> None:
    """Turns integers of a checkpoint, in place, into those of the layers here: int8, and no zero points, which are all 0."""
    for name in [one.removesuffix(_SCALES) for one in checkpoint if one.endswith(_SCALES)]:
        weight = f"{name}.weight"
        if weight in checkpoint:
            checkpoint[weight] = checkpoint[weight].to(torch.int8)
        zeros = checkpoint.get(f"{name}.zeros")
        if zeros is not None:
            if bool(zeros.any()):
                raise ValueError(
                    f"{name}.zeros are not all 0: export with base.preq_mode, which has zero points"
                )
            del checkpoint[f"{name}.zeros"]


def dynamically_quantize_per_channel(
    x: torch.Tensor,
    quant_min: int,
    quant_max: int,
    target_dtype: torch.dtype,
    group_size: int | None = None,
    *,
    scales_dtype: torch.dtype = torch.float16,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A matrix ``[n, k]`` in integers around 0, with a scale for each row, or each group of one.

    Returns:
        The integers ``[n, k]``, scales ``[n]`` or ``[n, groups]``, and as many zero points, which are 0.

    Raises:
        ValueError: groups do not divide a row.
    """
    rows, columns = x.shape
    group = group_size or columns
    if columns % group:
        raise ValueError(f"groups of {group} do not divide rows of {columns}")
    parts = x.float().reshape(-1, group)
    numbers, scales, zeros = quantize_rows(parts, quant_min, quant_max, target_dtype)
    shape = (rows,) if group_size is None else (rows, columns // group)
    return numbers.reshape(rows, columns), scales.to(scales_dtype).reshape(shape), zeros.reshape(shape)


def _linear(
    name: str, layer: nn.Linear, scales: torch.Tensor, bits: int, group: int, dtype: torch.dtype
) -> PreQuantizedLinear:
    if layer.bias is not None:
        raise ValueError(f"{name} has a bias, which layers of quantized checkpoints have not")
    return PreQuantizedLinear(layer.out_features, layer.in_features, scales, bits, group, dtype)


def _has_four_bits(checkpoint: Checkpoint, name: str) -> bool:
    weight = checkpoint.get(f"{name}.weight")
    return weight is None or bool(((weight >= -8) & (weight <= 7)).all())


def _exchanged(module: nn.Module, made: Callable[[str, nn.Module], nn.Module | None]) -> nn.Module:
    for name, layer in list(module.named_modules()):
        new = made(name, layer)
        if new is not None:
            parent, _, own = name.rpartition(".")
            setattr(module.get_submodule(parent), own, new)
    return module
