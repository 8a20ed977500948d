"""Operators that the optimized library has kernels of its own for, against eager and against the portable library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import as_list, assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import tensor

INVALID_ARGUMENT = 0x12
HALVES = (torch.float16, torch.bfloat16)
SCRATCH = 16 << 20


@pytest.fixture(scope="module", params=["op_driver_optimized", "op_driver_threads"])
def driver(request):
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def portable():
    driver = OpDriver()
    yield driver
    driver.close()


def run(driver: OpDriver, name: str, out: str, args: list[Any], **kwargs: Any) -> list[torch.Tensor]:
    """What a kernel gives, with temporary memory."""
    op = resolve(name)
    outs = [Out(like=t) for t in as_list(op(*args, **kwargs))]
    result = call_out(driver, resolve(out), bind(op, args, kwargs), outs, temp_bytes=SCRATCH)
    assert result.error == 0
    return result.outputs


def compare(
    driver: OpDriver,
    name: str,
    out: str,
    args: list[Any],
    tolerance: tuple[float, float] | None = None,
    **kwargs: Any,
) -> None:
    """Against eager."""
    expected = as_list(resolve(name)(*args, **kwargs))
    for actual, reference in zip(run(driver, name, out, args, **kwargs), expected, strict=True):
        assert_same(actual, reference, tolerance)


UNARY = "abs ceil cos erf exp expm1 floor log log10 log1p log2 neg reciprocal relu round rsqrt sigmoid sin sqrt tanh trunc"


@pytest.mark.parametrize("name", UNARY.split())
@pytest.mark.parametrize("dtype", [torch.float32, *HALVES], ids=str)
def test_functions(driver, name, dtype):
    for shape in [(), (0, 3), (5,), (3, 257), (2, 5, 7, 9)]:
        x = tensor(shape, dtype, low=-4, high=4, special=True)
        check(driver, name, f"{name}.out", [x])
    image = tensor((2, 5, 7, 9), dtype, low=0.1, high=4, channels_last=True)
    check(driver, name, f"{name}.out", [image])


@pytest.mark.parametrize("dtype", [torch.float32, *HALVES], ids=str)
def test_functions_with_parameters(driver, dtype):
    x = tensor((5, 333), dtype, low=-6, high=6, special=True)
    for approximate in ("none", "tanh"):
        # Of infinity eager gives NaN with some vectors and infinity with others.
        finite = x.nan_to_num(0.5, 3, -3)
        check(driver, "gelu", "gelu.out", [finite], {"approximate": approximate})
    check(driver, "elu", "elu.out", [x, 1.5, 2.0, 0.5])
    check(driver, "leaky_relu", "leaky_relu.out", [x, 0.2])
    check(driver, "hardtanh", "hardtanh.out", [x, -1, 2])
    for exponent in (2, 3, 0.5, -0.5, -1, 1.5):
        check(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [x.abs(), exponent])


@pytest.mark.parametrize("bounds", [(-1, 2), (None, 0.5), (0.5, None), (2, -1), (float("nan"), 1.0)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64], ids=str)
def test_clamp(driver, bounds, dtype):
    if dtype == torch.int64 and any(isinstance(b, float) for b in bounds):
        bounds = (-1, 1)
    check(driver, "clamp", "clamp.out", [tensor((5, 100), dtype, special=True), *bounds])


BINARY = ["add", "sub", "mul", "div", "maximum", "minimum"]
SHAPES = [
    ((), ()),
    ((4, 0), (4, 1)),
    ((300,), (300,)),
    ((7, 300), (300,)),  # lines that are written out several times
    ((300, 3), (3,)),
    ((1, 5), (200, 5)),
    ((7, 300), (7, 1)),
    ((7, 1), (7, 300)),
    ((7, 300), ()),
    ((), (7, 300)),
    ((2, 3, 40, 40), (1, 3, 1, 1)),
    ((2, 1, 40, 40), (2, 3, 40, 40)),
    ((5, 1, 70), (1, 6, 70)),
    ((5, 1, 70), (1, 6, 1)),
    ((30, 1), (1, 7)),
    ((2, 3000), (2, 3000)),
]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [torch.float32, *HALVES, torch.int32, torch.int64], ids=str)
def test_two_operands(driver, name, dtype):
    functional = name if name.startswith("m") and name != "mul" else f"{name}.Tensor"
    for a, b in SHAPES:
        left = tensor(a, dtype, special=True)
        right = tensor(b, dtype, low=1, high=5, seed=1)
        check(driver, functional, f"{name}.out", [left, right])
        if name in ("add", "sub"):
            check(driver, functional, f"{name}.out", [left, right], {"alpha": 3})


@pytest.mark.parametrize("name", BINARY[:4])
def test_operands_in_other_orders(driver, name):
    last = tensor((2, 5, 9, 11), torch.float32, channels_last=True)
    other = tensor((2, 5, 9, 11), torch.float32, low=1, high=2)
    channel = tensor((1, 5, 1, 1), torch.float32, low=1, high=2)
    for a, b in ((last, other), (other, last), (last, channel), (last, last), (other.double(), other)):
        check(driver, f"{name}.Tensor", f"{name}.out", [a, b])


@pytest.mark.parametrize("name", BINARY[:4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32], ids=str)
def test_numbers(driver, name, dtype):
    x = tensor((7, 300), dtype, special=True)
    for number in (3, 2.5, -0.0 if dtype.is_floating_point else 7):
        check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])


DTYPES = [
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.bool,
    torch.bfloat16,
]


@pytest.mark.parametrize("target", DTYPES, ids=str)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_conversions(driver, source, target):
    for last in (False, True):
        x = tensor((2, 5, 9, 11), source, low=0, high=100, channels_last=last)
        compare(driver, "_to_copy", "_to_copy.out", [x], dtype=target)


IMAGES = [(2, 3, 6, 9), (1, 20, 7, 5), (1, 17, 1, 1), (1, 1, 30, 40), (2, 2, 9, 600)]
SIZES = [(6, 9), (12, 18), (3, 4), (1, 1), (17, 5), (9, 1100)]
RESAMPLING: list[tuple[str, Callable[[torch.Tensor, tuple[int, int], bool], list[Any]]]] = [
    ("upsample_bilinear2d", lambda x, size, align: [x, size, align]),
    ("upsample_bicubic2d", lambda x, size, align: [x, size, align]),
    ("upsample_nearest2d", lambda x, size, align: [x, size]),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALVES, torch.uint8], ids=str)
@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
@pytest.mark.parametrize("name,arguments", RESAMPLING, ids=[name for name, _ in RESAMPLING])
def test_resampling_is_the_portable_one(driver, portable, name, arguments, last, dtype):
    for shape in IMAGES:
        x = tensor(shape, dtype, channels_last=last)
        for size in SIZES:
            # Eager, which does not resample bytes of every shape, is not asked.
            outs = [Out(like=tensor((*shape[:2], *size), dtype, channels_last=last))]
            for align in (False, True):
                args = arguments(x, size, align)
                factors = [size[0] / shape[2] * 1.1, size[1] / shape[3]]
                for call in (args, [*args, *factors]):
                    bound = bind(resolve(name), call, {})
                    actual, expected = (
                        call_out(side, resolve(f"{name}.out"), bound, outs) for side in (driver, portable)
                    )
                    assert actual.error == expected.error == 0
                    tolerance = (2e-5, 1e-5) if dtype == torch.float32 else None
                    assert_same(actual.outputs[0], expected.outputs[0], tolerance)


@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
def test_resampling_by_factors(driver, last):
    x = tensor((2, 18, 12, 20), torch.float32, channels_last=last)
    for factors in ([2.0, 2.0], [1.5, 0.4], [0.3, 3.7]):
        for name, args in (
            ("upsample_bilinear2d", [x, None, False, factors]),
            ("upsample_nearest2d", [x, None, factors]),
        ):
            compare(driver, f"{name}.vec", f"{name}.vec_out", args, (2e-5, 1e-5))


def test_resampling_between_layouts(driver):
    x = tensor((2, 5, 6, 9), torch.float32, channels_last=True)
    expected = resolve("upsample_bilinear2d")(x, [9, 9], False).contiguous()
    bound = bind(resolve("upsample_bilinear2d"), [x, [9, 9], False], {})
    result = call_out(driver, resolve("upsample_bilinear2d.out"), bound, [Out(like=expected)])
    assert_same(result.outputs[0], expected)


@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_pools(driver, dtype, last):
    for shape in [(2, 3, 13, 17), (1, 70, 8, 8), (1, 5, 3, 1100)]:
        x = tensor(shape, dtype, special=True, channels_last=last)
        finite = x.nan_to_num(0, 1, -1)
        for window in ([[3, 3], [2, 2], [1, 1]], [[2, 3], [1, 2], [0, 1]], [[3, 2], []]):
            compare(driver, "avg_pool2d", "avg_pool2d.out", [finite, *window])
            compare(
                driver,
                "avg_pool2d",
                "avg_pool2d.out",
                [finite, *window],
                ceil_mode=True,
                count_include_pad=False,
            )
            compare(driver, "avg_pool2d", "avg_pool2d.out", [finite, *window], divisor_override=5)
            compare(driver, "max_pool2d_with_indices", "max_pool2d_with_indices.out", [x, *window])
        dilated = [x, [2, 2], [1, 1], [1, 1], [2, 3], True]
        compare(driver, "max_pool2d_with_indices", "max_pool2d_with_indices.out", dilated)
        for size in ([1, 1], [2, 3], list(shape[2:])):
            compare(driver, "_adaptive_avg_pool2d", "_adaptive_avg_pool2d.out", [finite, size])
    compare(driver, "avg_pool2d", "avg_pool2d.out", [tensor((3, 9, 9), dtype), [2, 2]])


REDUCED = [[0], [1], [2], [3], [0, 1], [2, 3], [1, 2], [0, 3], [], [0, 1, 2, 3]]


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
def test_reductions(driver, last, keepdim):
    for shape in [(2, 3, 40, 70), (5, 130, 3, 4), (1, 1, 300, 1)]:
        x = tensor(shape, torch.float32, channels_last=last)
        special = tensor(shape, torch.float32, special=True, channels_last=last)
        for dims in REDUCED:
            compare(driver, "sum.dim_IntList", "sum.IntList_out", [x, dims, keepdim], (1e-4, 1e-5))
            compare(driver, "mean.dim", "mean.out", [x, dims, keepdim])
            compare(driver, "amax", "amax.out", [special, dims, keepdim])
            compare(driver, "amin", "amin.out", [special, dims, keepdim])


@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
def test_softmax(driver, last):
    for shape in [(2, 3, 40, 70), (1, 300, 5, 3), (2, 1, 3, 200)]:
        x = tensor(shape, torch.float32, low=-20, high=20, channels_last=last)
        with_nan = x.clone(memory_format=torch.preserve_format)
        with_nan[0, 0, 1, 2] = float("nan")
        with_nan[-1, 0, 2, 0] = float("-inf")
        for dim in range(4):
            for name in ("_softmax", "_log_softmax"):
                compare(driver, name, f"{name}.out", [x, dim, False], (1e-5, 2e-5))
                compare(driver, name, f"{name}.out", [with_nan, dim, False], (1e-5, 2e-5))


def test_running_sums(driver):
    for shape in [(17, 300), (70, 64), (3, 40, 70), (2, 1, 5, 9)]:
        x = tensor(shape, torch.float32, special=True)
        for dim in range(-1, len(shape)):
            compare(driver, "cumsum", "cumsum.out", [x, dim])
            compare(driver, "cumsum", "cumsum.out", [x.double(), dim])


def test_indexing(driver):
    for dtype in (torch.float32, torch.int8, torch.float16, torch.int64):
        x = tensor((7, 30, 11), dtype)
        for dim in range(-3, 3):
            for index_dtype in (torch.int32, torch.int64):
                index = torch.tensor([3, 0, 6, 3, 2], dtype=index_dtype)
                compare(driver, "index_select", "index_select.out", [x, dim, index])
        for shape in ((7, 30, 4), (7, 30, 15), (5, 30, 4)):
            compare(driver, "gather", "gather.out", [x, 2, torch.randint(0, 11, shape)])
        weight = tensor((40, 13), dtype)
        compare(driver, "embedding", "embedding.out", [weight, torch.randint(0, 40, (3, 5))])


@pytest.mark.parametrize(
    "name,args",
    [
        ("index_select", [torch.ones(3, 4), 1, torch.tensor([0, 4])]),
        ("index_select", [torch.ones(3, 4), 0, torch.tensor([-1])]),
        ("gather", [torch.ones(3, 4), 1, torch.tensor([[0], [1], [4]])]),
        ("embedding", [torch.ones(3, 4), torch.tensor([3])]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_indices_out_of_range(driver, name, args):
    op = resolve(name)
    expected = torch.ones(3, 2) if name == "index_select" and args[1] == 1 else torch.ones(1, 4)
    expected = torch.ones(3, 1) if name == "gather" else expected
    result = call_out(driver, resolve(f"{name}.out"), bind(op, args, {}), [Out(like=expected)])
    assert result.error == INVALID_ARGUMENT


@pytest.mark.parametrize("largest", [False, True])
def test_topk(driver, largest):
    for shape, k in [
        ((5, 300), 7),
        ((5, 500), 7),
        ((3, 64), 64),
        ((2, 70), 1),
        ((1, 5000), 200),
        ((4, 600), 300),
        ((2, 20000), 256),
    ]:
        draw = torch.Generator().manual_seed(k)
        different = torch.randperm(shape[0] * shape[1], generator=draw).float().reshape(shape)
        equal = torch.randint(3, shape, generator=draw).float()
        for x in (different, equal):
            x[0, 3], x[-1, 5] = float("nan"), float("-inf")
            compare(driver, "topk", "topk.values", [x, k, -1, largest])


WINDOWS = [
    ([1, 1], [0, 0], [1, 1], [0, 0]),
    ([2, 2], [1, 1], [1, 1], [1, 1]),
    ([2, 3], [0, 2], [1, 1], [0, 1]),
    ([1, 2], [1, 1], [2, 3], [0, 1]),
]


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("stride,padding,dilation,extra", WINDOWS)
def test_transposed_convolutions(driver, groups, stride, padding, dilation, extra):
    x = tensor((2, 6, 9, 11), torch.float32)
    weight = tensor((6, 4, 3, 4), torch.float32, seed=1)
    for bias in (None, tensor((4 * groups,), torch.float32, seed=2)):
        args = [x, weight, bias, stride, padding, dilation, True, extra, groups]
        compare(driver, "convolution", "convolution.out", args, (1e-4, 1e-4))
    line = [
        x[:, :, 0].contiguous(),
        weight[:, :, 0].contiguous(),
        None,
        stride[1:],
        padding[1:],
        dilation[1:],
    ]
    compare(driver, "convolution", "convolution.out", [*line, True, extra[1:], groups], (1e-4, 1e-4))


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("stride,padding,dilation", [(1, 1, 1), (1, 0, 1), (2, 0, 1), (1, 2, 2), (3, 1, 1)])
@pytest.mark.parametrize("window", [1, 3, 5])
def test_channels_last_convolutions(driver, groups, stride, padding, dilation, window):
    x = tensor((2, 6, 19, 37), torch.float32, channels_last=True)
    for last in (False, True):
        for channels in (6, 12):
            weight = tensor(
                (channels, 6 // groups, window, window), torch.float32, channels_last=last, seed=1
            )
            for bias in (None, tensor((channels,), torch.float32, seed=2)):
                args = [x, weight, bias, [stride] * 2, [padding] * 2, [dilation] * 2, False, [0, 0], groups]
                compare(driver, "convolution", "convolution.out", args, (1e-4, 1e-4))


def test_without_temporary_memory(driver):
    x = tensor((2, 6, 9, 11), torch.float32, channels_last=True)
    weight = tensor((6, 6, 3, 3), torch.float32, seed=1)
    for image, transposed in ((x, False), (x.contiguous(), True)):
        args = [image, weight, None, [1, 1], [1, 1], [1, 1], transposed, [0, 0], 1]
        check(driver, "convolution", "convolution.out", args, tolerance=(1e-4, 1e-4))
