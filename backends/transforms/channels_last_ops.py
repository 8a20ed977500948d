"""``channels_last``: operators on images whose channels are the last dimension (NHWC), for backends of this layout.

Each does what the ATen operator of its name does to the same image in NCHW: sizes of inputs and results are
``[N, H, W, C]``, all other arguments are those of ATen. Convolution weights stay ``[out, in / groups, H, W]``
(transposed: ``[in, out / groups, H, W]``). ``permute_copy`` is ATen's; passes use it for the permutations that they
insert around such operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

_aten = torch.ops.aten
lib = torch.library.Library("channels_last", "DEF")

_POOL = "Tensor input, int[2] kernel_size, int[2] stride=[], int[2] padding=0"


def _to_nchw(image: torch.Tensor) -> torch.Tensor:
    return image.permute(0, 3, 1, 2)


def _to_nhwc(image: torch.Tensor) -> torch.Tensor:
    return image.permute(0, 2, 3, 1).contiguous()


def _define(schema: str, function: Callable[..., Any]) -> None:
    lib.define(schema)
    lib.impl(schema.partition("(")[0], function, "CompositeExplicitAutograd")


def _conv(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> torch.Tensor:
    return _to_nhwc(
        _aten.convolution(
            _to_nchw(input), weight, bias, stride, padding, dilation, transposed, output_padding, groups
        )
    )


def _avg_pool2d(
    input: torch.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> torch.Tensor:
    return _to_nhwc(
        torch.nn.functional.avg_pool2d(
            _to_nchw(input),
            kernel_size,
            stride or None,
            padding,
            ceil_mode,
            count_include_pad,
            divisor_override,
        )
    )


def _adaptive_avg_pool2d(input: torch.Tensor, output_size: Any) -> torch.Tensor:
    return _to_nhwc(_aten._adaptive_avg_pool2d(_to_nchw(input), output_size))


def _max_pool2d_with_indices(
    input: torch.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = _aten.max_pool2d_with_indices(
        _to_nchw(input), kernel_size, stride or [], padding, dilation, ceil_mode
    )
    return _to_nhwc(values), _to_nhwc(indices)


def _max_pool2d(
    input: torch.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> torch.Tensor:
    return _max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def _upsample_bilinear2d(
    input: torch.Tensor, output_size: Any, align_corners: bool, scale_factors: Any
) -> torch.Tensor:
    return _to_nhwc(_aten.upsample_bilinear2d.vec(_to_nchw(input), output_size, align_corners, scale_factors))


def _upsample_nearest2d(input: torch.Tensor, output_size: Any, scale_factors: Any) -> torch.Tensor:
    return _to_nhwc(_aten.upsample_nearest2d.vec(_to_nchw(input), output_size, scale_factors))


def _grid_sampler_2d(
    input: torch.Tensor, grid: torch.Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> torch.Tensor:
    return _to_nhwc(
        _aten.grid_sampler_2d(_to_nchw(input), grid, interpolation_mode, padding_mode, align_corners)
    )


def _permute_copy(input: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    return input.permute(tuple(dims)).clone(memory_format=torch.contiguous_format)


_define(
    "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
    "bool transposed, int[] output_padding, int groups) -> Tensor",
    _conv,
)
_define(
    f"avg_pool2d({_POOL}, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    _avg_pool2d,
)
_define("adaptive_avg_pool2d(Tensor input, int[2] output_size) -> Tensor", _adaptive_avg_pool2d)
_define(
    f"max_pool2d_with_indices({_POOL}, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    _max_pool2d_with_indices,
)
_define(f"max_pool2d({_POOL}, int[2] dilation=1, bool ceil_mode=False) -> Tensor", _max_pool2d)
_define(
    "upsample_bilinear2d(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    _upsample_bilinear2d,
)
_define(
    "upsample_nearest2d(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
    _upsample_nearest2d,
)
_define(
    "grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
    "-> Tensor",
    _grid_sampler_2d,
)
_define("permute_copy(Tensor input, int[] dims) -> Tensor", _permute_copy)
