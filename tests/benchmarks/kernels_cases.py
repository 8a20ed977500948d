"""The rows of the benchmark of single kernels: operators with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

LINE = (1024, 1024)


@dataclass(frozen=True)
class Kernel:
    """A kernel to measure.

    Attributes:
        functional, out: The eager operator and the one whose kernel is called.
        args: Arguments; shapes become random tensors.
        streams: Bytes that pass through memory, in those of a million floats: 3 for the sum of two tensors; 0 where
            arithmetic counts.
        options: Arguments by name.
    """

    functional: str
    out: str
    args: Callable[[], list[Any]]
    streams: float = 0
    options: dict[str, Any] = field(default_factory=dict)


Args = Callable[[], list[Any]]


def _random(*shapes: tuple[int, ...]) -> Args:
    return lambda: [torch.randn(shape) for shape in shapes]


def _positive(shape: tuple[int, ...]) -> Args:
    return lambda: [torch.rand(shape) + 0.1]


def _with(shape: tuple[int, ...], *rest: Any, last: bool = False) -> Args:
    """A random tensor, channels last or not, and arguments that are no tensors."""

    def make() -> list[Any]:
        x = torch.randn(shape)
        return [x.contiguous(memory_format=torch.channels_last) if last else x, *rest]

    return make


def _quantized() -> list[Any]:
    return [torch.randint(-128, 128, LINE, dtype=torch.int8), 0.1, 3, -128, 127, torch.int8]


def _unary(name: str, args: Args | None = None, streams: float = 2, **options: Any) -> Kernel:
    return Kernel(name, f"{name}.out", args or _random(LINE), streams, options)


def _convolution(
    image: tuple[int, ...],
    weight: tuple[int, ...],
    *,
    stride: int = 1,
    padding: int = 0,
    groups: int = 1,
    transposed: bool = False,
    last: bool = False,
) -> Kernel:
    n = len(image) - 2

    def make() -> list[Any]:
        (x,) = _with(image, last=last)()
        bias = torch.randn(weight[1] * groups if transposed else weight[0])
        window = [[stride] * n, [padding] * n, [1] * n, transposed, [0] * n, groups]
        return [x, torch.randn(weight), bias, *window]

    return Kernel("convolution", "convolution.out", make)


def _convert(source: torch.dtype, target: torch.dtype) -> Kernel:
    streams = (source.itemsize + target.itemsize) / torch.float32.itemsize
    return Kernel(
        "_to_copy", "_to_copy.out", lambda: [(torch.randn(LINE) * 9).to(source)], streams, {"dtype": target}
    )


def _typed(dtype: torch.dtype, *rest: Any, count: int = 1) -> Args:
    """Random tensors of a dtype, and arguments that are no tensors."""
    return lambda: [*((torch.randn(LINE) * 9).to(dtype) for _ in range(count)), *rest]


PLANES = (64, 128, 128)
"""A million elements with a first, a middle and a last dimension."""
IMAGE = (1, 64, 128, 128)

ELEMENTWISE = [
    *[
        Kernel(f"{name}.Tensor", f"{name}.out", _random(LINE, LINE), 3)
        for name in ("add", "sub", "mul", "div")
    ],
    Kernel("add.Tensor", "add.out", _random(LINE, (1024,)), 2),
    Kernel("mul.Tensor", "mul.out", _random(IMAGE, (1, 64, 1, 1)), 2),
    Kernel("mul.Scalar", "mul.Scalar_out", _with(LINE, 1.5), 2),
    *[
        _unary(name)
        for name in (
            "relu",
            "exp",
            "sigmoid",
            "tanh",
            "erf",
            "sin",
            "abs",
            "neg",
            "floor",
            "round",
            "reciprocal",
        )
    ],
    *[_unary(name, _positive(LINE)) for name in ("log", "sqrt", "rsqrt")],
    _unary("hardtanh", _with(LINE, 0.0, 6.0)),
    _unary("clamp", _with(LINE, -0.5, 0.5)),
    _unary("leaky_relu", _with(LINE, 0.1)),
    _unary("elu"),
    _unary("gelu"),
    _unary("gelu", approximate="tanh"),
    Kernel("pow.Tensor_Scalar", "pow.Tensor_Scalar_out", _with(LINE, 2.0), 2),
    Kernel("maximum", "maximum.out", _random(LINE, LINE), 3),
    Kernel(
        "where.self",
        "where.self_out",
        lambda: [torch.randn(LINE) > 0, torch.randn(LINE), torch.randn(LINE)],
        3.25,
    ),
    Kernel("gt.Tensor", "gt.Tensor_out", _random(LINE, LINE), 2.25),
    *[
        _convert(source, target)
        for source, target in (
            (torch.float32, torch.float16),
            (torch.float16, torch.float32),
            (torch.float32, torch.bfloat16),
            (torch.bfloat16, torch.float32),
            (torch.float32, torch.int64),
            (torch.uint8, torch.float32),
        )
    ],
]

TYPED = [
    *[
        Kernel("mul.Tensor", "mul.out", _typed(dtype, count=2), 1.5)
        for dtype in (torch.float16, torch.bfloat16)
    ],
    Kernel("mul.Scalar", "mul.Scalar_out", _typed(torch.float16, 1.5), 1),
    _unary("abs", _typed(torch.bfloat16), 1),
    Kernel("add.Tensor", "add.out", _typed(torch.uint8, count=2), 0.75),
    Kernel("add.Scalar", "add.Scalar_out", _typed(torch.int64, 3), 4),
    Kernel("maximum", "maximum.out", _typed(torch.int32, count=2), 3),
    _unary("clamp", _typed(torch.int64, -2, 5), 4),
    Kernel("gt.Scalar", "gt.Scalar_out", _typed(torch.float32, 0.5), 1.25),
    Kernel("eq.Scalar", "eq.Scalar_out", _typed(torch.int64, 5), 2.25),
    Kernel("le.Tensor", "le.Tensor_out", _typed(torch.int32, count=2), 2.25),
    Kernel(
        "masked_fill.Scalar",
        "masked_fill.Scalar_out",
        lambda: [torch.randn(LINE), torch.randn(LINE) > 0, -1e9],
        2.25,
    ),
    Kernel("mul.Tensor", "mul.out", _random((1024, 256, 4), (1024, 256, 1)), 2.25),
    _unary("exp2", _with(LINE)),
    Kernel("pow.Tensor_Scalar", "pow.Tensor_Scalar_out", lambda: [torch.rand(LINE) + 0.1, 2.5]),
    Kernel(
        "pow.Tensor_Tensor",
        "pow.Tensor_Tensor_out",
        lambda: [torch.rand(LINE) + 0.1, torch.randn(LINE)],
    ),
    Kernel("floor_divide", "floor_divide.out", lambda: [torch.randn(LINE), torch.rand(LINE) + 0.1]),
    Kernel("remainder.Scalar", "remainder.Scalar_out", _with(LINE, 0.7)),
    Kernel("glu", "glu.out", _random((1024, 2048)), 3),
]

PLACES = [
    *[
        Kernel(name, f"{name}.out", _with(shape, dim), 1)
        for name in ("argmax", "argmin")
        for shape, dim in ((LINE, 1), (LINE, 0), (PLANES, 1))
    ],
    Kernel("argmax", "argmax.out", _with((8, 32000), -1)),
    *[
        Kernel(f"{name}.dim", f"{name}.dim_{name}", _with(PLANES, dim), 1)
        for name in ("max", "min")
        for dim in (1, 2)
    ],
    *[Kernel("prod.dim_int", "prod.int_out", _with(LINE, dim), 1) for dim in (0, 1)],
    Kernel("linalg_vector_norm", "linalg_vector_norm.out", _with(LINE, 2, [1]), 1),
]

REDUCTIONS = [
    Kernel(name, out, _with(shape, [dim]), 1)
    for name, out in (("sum.dim_IntList", "sum.IntList_out"), ("mean.dim", "mean.out"), ("amax", "amax.out"))
    for shape, dim in ((LINE, 1), (LINE, 0), (PLANES, 1))
]

LINES = [
    *[
        Kernel(name, f"{name}.out", _with(shape, dim, False), 2)
        for name in ("_softmax", "_log_softmax")
        for shape, dim in ((LINE, 1), (PLANES, 1))
    ],
    Kernel(
        "native_layer_norm",
        "native_layer_norm.out",
        lambda: [torch.randn(LINE), [1024], torch.randn(1024), torch.randn(1024), 1e-5],
        2,
    ),
    Kernel(
        "native_group_norm",
        "native_group_norm.out",
        lambda: [torch.randn(IMAGE), torch.randn(64), torch.randn(64), 1, 64, 128 * 128, 8, 1e-5],
        2,
    ),
    Kernel("cumsum", "cumsum.out", _with(LINE, 1), 2),
    Kernel("topk", "topk.values", _with((1, 32000), 50)),
    Kernel("sort", "sort.values", _with((256, 1024))),
    Kernel("sort", "sort.values", lambda: [torch.randint(0, 1 << 40, (256, 1024))]),
    Kernel("sort", "sort.values", _with((1, 1 << 18))),
    Kernel(
        "native_layer_norm",
        "native_layer_norm.out",
        lambda: [torch.randn(LINE).half(), [1024], *torch.randn(2, 1024).half(), 1e-5],
        1,
    ),
]

QUANTIZED = [
    Kernel(
        "quantized_decomposed::quantize_per_tensor",
        "quantized_decomposed::quantize_per_tensor.out",
        _with(LINE, 0.1, 3, -128, 127, torch.int8),
        1.25,
    ),
    Kernel(
        "quantized_decomposed::dequantize_per_tensor",
        "quantized_decomposed::dequantize_per_tensor.out",
        _quantized,
        1.25,
    ),
    Kernel(
        "quantized_decomposed::dequantize_per_channel",
        "quantized_decomposed::dequantize_per_channel.out",
        lambda: [
            torch.randint(-128, 128, LINE, dtype=torch.int8),
            torch.rand(1024),
            torch.zeros(1024, dtype=torch.int64),
            1,
            -128,
            127,
            torch.int8,
        ],
        1.25,
    ),
    Kernel(
        "quantized_decomposed::choose_qparams.tensor",
        "quantized_decomposed::choose_qparams.Tensor_out",
        _with(LINE, -128, 127, 1e-6, torch.int8),
        1,
    ),
]

MOVEMENT = [
    Kernel("permute_copy", "permute_copy.out", _with(LINE, [1, 0])),
    Kernel("permute_copy", "permute_copy.out", _with((1, 128, 64, 128), [0, 2, 1, 3])),
    Kernel("cat", "cat.out", lambda: [[torch.randn(512, 1024), torch.randn(512, 1024)], 1]),
    Kernel(
        "index_select", "index_select.out", lambda: [torch.randn(LINE), 1, torch.randint(0, 1024, (1024,))]
    ),
    Kernel("gather", "gather.out", lambda: [torch.randn(LINE), 1, torch.randint(0, 1024, LINE)]),
    Kernel("gather", "gather.out", lambda: [torch.randn(LINE), 0, torch.randint(0, 1024, LINE)]),
    Kernel("flip", "flip.out", _with(LINE, [1]), 2),
    Kernel("expand_copy", "expand_copy.out", _with((1024, 1), LINE), 1),
    Kernel("expand_copy", "expand_copy.out", _with((64, 1, 128), PLANES), 1),
    Kernel("repeat", "repeat.out", _with((128, 128), [8, 8]), 1),
    Kernel("roll", "roll.out", _with(LINE, [3], [1]), 2),
    Kernel("cat", "cat.out", lambda: [[torch.randn(16384, 32), torch.randn(16384, 32)], 1]),
    Kernel("slice_copy.Tensor", "slice_copy.Tensor_out", _with((16384, 128), 1, 64, 128), 2),
    Kernel("constant_pad_nd", "constant_pad_nd.out", _with((1, 64, 126, 126), [1, 1, 1, 1]), 2),
    Kernel(
        "index.Tensor",
        "index.Tensor_out",
        lambda: [torch.randn(LINE), list(torch.randint(0, 1024, (2, 1 << 18)))],
    ),
    Kernel(
        "index_put",
        "index_put.out",
        lambda: [torch.randn(LINE), list(torch.randint(0, 1024, (2, 1 << 16))), torch.randn(1 << 16)],
    ),
    *[
        Kernel(
            name,
            out,
            lambda: [torch.randn(LINE), 1, torch.randint(0, 1024, (1024, 512)), torch.randn(1024, 512)],
        )
        for name, out in (("scatter.src", "scatter.src_out"), ("scatter_add", "scatter_add.out"))
    ],
    Kernel("masked_select", "masked_select.out", lambda: [torch.randn(LINE), torch.randn(LINE) > 0]),
    Kernel("nonzero", "nonzero.out", lambda: [torch.randn(LINE) > 0]),
    Kernel("embedding", "embedding.out", lambda: [torch.randn(30000, 256), torch.randint(0, 30000, (4096,))]),
]

IMAGES = [
    *[
        Kernel(f"{name}.vec", f"{name}.vec_out", _with((1, 64, 64, 64), [128, 128], *rest, last=last))
        for name, rest in (("upsample_bilinear2d", (False, None)), ("upsample_nearest2d", (None,)))
        for last in (False, True)
    ],
    Kernel("upsample_bicubic2d", "upsample_bicubic2d.out", _with((1, 16, 64, 64), [256, 256], False)),
    *[
        Kernel(name, f"{name}.out", _with((1, 64, 112, 112), [3, 3], [2, 2], [1, 1], last=last))
        for name in ("max_pool2d_with_indices", "avg_pool2d")
        for last in (False, True)
    ],
    _unary("_adaptive_avg_pool2d", _with((1, 1280, 7, 7), [1, 1]), 0),
    Kernel(
        "grid_sampler_2d",
        "grid_sampler_2d.out",
        lambda: [torch.randn(1, 16, 128, 128), torch.rand(1, 128, 128, 2) * 2 - 1, 0, 0, False],
    ),
]

PRODUCTS = [
    Kernel("mm", "mm.out", _random((256, 256), (256, 256))),
    Kernel("bmm", "bmm.out", _random((4, 128, 64), (4, 64, 128))),
    Kernel("linear", "linear.out", _random((128, 256), (1024, 256), (1024,))),
    Kernel("linear", "linear.out", _random((8, 768), (3072, 768), (3072,))),
    Kernel("linear", "linear.out", _random((1, 1024), (1024, 1024), (1024,))),
    _convolution((1, 64, 56, 56), (64, 64, 3, 3), padding=1),
    _convolution((1, 64, 56, 56), (64, 64, 3, 3), padding=1, last=True),
    _convolution((1, 24, 56, 56), (144, 24, 1, 1)),
    _convolution((1, 24, 56, 56), (144, 24, 1, 1), last=True),
    _convolution((1, 144, 56, 56), (144, 1, 3, 3), padding=1, groups=144),
    _convolution((1, 144, 56, 56), (144, 1, 3, 3), padding=1, groups=144, last=True),
    _convolution((1, 80, 1000), (256, 80, 3), padding=1),
    _convolution((1, 64, 28, 28), (64, 32, 4, 4), stride=2, padding=1, transposed=True),
]

KERNELS = [*ELEMENTWISE, *TYPED, *REDUCTIONS, *PLACES, *LINES, *QUANTIZED, *MOVEMENT, *IMAGES, *PRODUCTS]
