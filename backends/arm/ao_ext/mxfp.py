"""Puts layers on MX blocks in the place of linear layers and convolutions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from executorch.backends.arm.ao_ext.ops import MXFPConv2dOp, MXFPLinearOp, to_blocks
from executorch.backends.arm.tosa.mx_types import BLOCK_SIZE, MXFPDType, mxfp_dtype_to_str

__all__ = ["MXFPDType", "MXFPOpConfig", "mxfp_dtype_to_str", "to_mxfp"]


@dataclasses.dataclass(frozen=True)
class MXFPOpConfig:
    """What numbers become.

    Attributes:
        weight_dtype: of weights and of inputs; bytes of 6 bits are torchao's ``DTYPE_FP6_E2M3`` and ``DTYPE_FP6_E3M2``.
        block_size: numbers that share a scale; TOSA has 32.

    Raises:
        ValueError: there is no such type, or no block of this size.
    """

    weight_dtype: MXFPDType = torch.float8_e4m3fn
    block_size: int = BLOCK_SIZE

    def __post_init__(self) -> None:
        mxfp_dtype_to_str(self.weight_dtype)
        if self.block_size != BLOCK_SIZE:
            raise ValueError(f"blocks of {self.block_size} numbers; TOSA's have {BLOCK_SIZE}")


def why_not(module: nn.Module) -> str | None:
    """Why a module cannot be calculated on blocks; None if it can."""
    if isinstance(module, nn.Linear):
        channels = module.in_features
    elif isinstance(module, nn.Conv2d):
        channels = module.in_channels
        if module.groups != 1:
            return f"it has {module.groups} groups"
        if module.padding_mode != "zeros" or isinstance(module.padding, str):
            return f"its padding is {module.padding!r} of {module.padding_mode}; give it in numbers, of zeros"
    else:
        return "it is neither Linear nor Conv2d"
    return f"{channels} input channels are no whole blocks of {BLOCK_SIZE}" if channels % BLOCK_SIZE else None


def to_mxfp(
    model: nn.Module, config: MXFPOpConfig, filter_fn: Callable[[nn.Module, str], bool] | None = None
) -> None:
    """Replaces layers of ``model`` in place, for inference.

    Args:
        model: with weights of 16 or 32 bits; what a replaced layer gave, its replacement gives in the same type.
        config: what numbers become.
        filter_fn: which layers, by module and name; all that can be if None.

    Raises:
        ValueError: ``filter_fn`` names a layer that cannot be calculated on blocks.
    """
    for name, module in list(model.named_modules()):
        refused = why_not(module)
        if not (refused is None if filter_fn is None else filter_fn(module, name)):
            continue
        if refused is not None:
            raise ValueError(f"{name or 'the model'} cannot be on MX blocks: {refused}")
        if not name:
            raise ValueError("the model is itself the layer to be replaced; put it into a module")
        parent, _, last = name.rpartition(".")
        setattr(model.get_submodule(parent), last, _replacement(module, config))


def _replacement(module: nn.Module, config: MXFPOpConfig) -> nn.Module:
    dtype = mxfp_dtype_to_str(config.weight_dtype)
    assert isinstance(module, nn.Linear | nn.Conv2d)
    weight = module.weight.detach()
    more: Any = (config.weight_dtype, config.block_size, weight.dtype)
    if isinstance(module, nn.Linear):
        made: nn.Module = MXFPLinearOp(*to_blocks(weight[None], dtype), module.bias, *more)
    else:
        space: Any = (module.stride, module.padding, module.dilation, module.groups)
        made = MXFPConv2dOp(*to_blocks(weight.permute(0, 2, 3, 1), dtype), module.bias, *space, *more)
    return made.train(module.training)
