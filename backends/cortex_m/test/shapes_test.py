"""Example values have the shape, the type and the order in memory of what operators give."""

from __future__ import annotations

import itertools

import pytest
import torch

from executorch.backends.cortex_m.ops import operators
from executorch.dialects.torch_types import FakeTensorMode

_OPS = torch.ops.cortex_m
_ROOM = torch.zeros(8, dtype=torch.uint8)


def _integers(*shape: int) -> torch.Tensor:
    return torch.randint(-128, 128, shape, generator=torch.Generator().manual_seed(0)).to(torch.int8)


def _last(value: torch.Tensor) -> torch.Tensor:
    return value.contiguous(memory_format=torch.channels_last)


def _elements(x: torch.Tensor, y: torch.Tensor):
    quant, factor = (0.1, 0, -128, 127, torch.int8), (1 << 30, 0)
    yield "quantize_per_tensor", (x.float(), *quant)
    yield "dequantize_per_tensor", (x, *quant)
    yield "quantized_activation", (x, _integers(256))
    yield "softmax", (x, -1, 0, -128, 1 << 30, 20, -248)
    yield "quantized_add", (x, 0, *factor, y, 0, *factor, 0, *factor, -128, 127)
    yield "quantized_mul", (x, 0, y, 0, 0, *factor)
    yield "quantized_div", (x, 0, y.expand_as(x), 0, 0, 0.5)
    yield "minimum", (x, y)
    yield "maximum", (x, y)
    yield "transpose", (x, list(reversed(range(x.dim()))))
    edges = [0] * (4 - x.dim())
    yield "pad", (x, [*edges, *range(x.dim())], [*edges, *[1] * x.dim()], 3)


def _layers():
    factors = ([1 << 30] * 5, [0] * 5)
    yield "quantized_linear", (_integers(2, 3, 4), _integers(5, 4), None, None, 1, 0, 0, *factors, 127, -128)
    wide = [torch.tensor([number] * 5, dtype=torch.int32) for number in (1 << 30, 0)]
    yield "quantized_linear_int16", (_integers(2, 3, 4).short(), _integers(5, 4), None, *wide, -5, 5)
    yield "quantized_batch_matmul", (_integers(2, 3, 4), 0, _integers(2, 5, 4), 0, 0, 1 << 30, 0, _ROOM)


def _images(stride, padding, dilation, ceil_mode):
    image = _integers(2, 9, 8, 3)
    factors = [torch.tensor([number] * 6, dtype=torch.int32) for number in (1 << 30, 0)]
    geometry, tail = (stride, padding, dilation), (0, 0, *factors, -128, 127, _ROOM)
    pool = ([3, 2], stride, padding)
    named = {
        "quantized_conv2d": (_integers(6, 3, 2, 3), None, *geometry, *tail),
        "quantized_depthwise_conv2d": (_integers(1, 3, 2, 6), None, *geometry, 2, *tail),
        "quantized_transpose_conv2d": (
            *(_integers(6, 3, 2, 3), None, stride, padding, [one - 1 for one in stride], dilation),
            *(*tail, _ROOM),
        ),
        "quantized_max_pool2d": (*pool, dilation, ceil_mode, 0, 0, -128, 127),
        "quantized_avg_pool2d": (*pool, ceil_mode, 0, 1 << 30, 1, _ROOM),
    }
    for name, args in named.items():
        yield f"{name}_nhwc", (image, *args)
        yield name, (image.permute(0, 3, 1, 2), *args)
    args = (_integers(6, 3, 2, 3), None, *geometry, *factors, -128, 127, _ROOM)
    yield "quantized_conv2d_int16_nhwc", (image.short(), *args)
    yield "quantized_conv2d_int16", (image.short().permute(0, 3, 1, 2), *args)


def _calls():
    plain, image = _integers(2, 3, 4), _integers(2, 3, 4, 5)
    yield from _elements(plain, _integers(3, 1))
    yield from _elements(image, _integers(1, 3, 1, 1))
    yield from _elements(_last(image), _last(_integers(2, 3, 4, 5)))
    yield from _layers()
    for geometry in itertools.product(([1, 1], [2, 3]), ([0, 0], [1, 1]), ([1, 1], [2, 1]), (False, True)):
        yield from _images(*geometry)


def test_every_operator_has_shapes():
    assert {name for name, _ in _calls()} == set(operators.FUNCTIONS)


@pytest.mark.parametrize("name", list(operators.FUNCTIONS))
def test_example_values_are_as_results_are(name):
    mode = FakeTensorMode()
    for called, args in _calls():
        if called == name:
            op = getattr(_OPS, name).default
            wanted = op(*args)
            with mode:
                found = op(*(mode.from_tensor(one) if isinstance(one, torch.Tensor) else one for one in args))
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            assert found.stride() == wanted.stride()
