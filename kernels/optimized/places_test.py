"""Copies, indices, places of extremes and products of the optimized library, against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test import samples
from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import bind, call_out, check, resolve

INVALID_ARGUMENT = 0x12
DTYPES = [torch.uint8, torch.float16, torch.float32, torch.int64, torch.complex64]
NAN = float("nan")


def tensor(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0, **options: float) -> torch.Tensor:
    """As of the samples, complex ones, too."""
    if not dtype.is_complex:
        return samples.tensor(shape, dtype, seed=seed, **options)
    return torch.complex(*(samples.tensor(shape, torch.float32, seed=seed + i) for i in range(2)))


@pytest.fixture(scope="module", params=["op_driver_optimized", "op_driver_threads"])
def driver(request):
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_copied_lines(driver, dtype):
    for width in (1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 129, 700):
        x = tensor((3, 4, width), dtype)
        for dims in ([2], [0, 2], [1]):
            check(driver, "flip", "flip.out", [x, dims])
        check(driver, "expand_copy", "expand_copy.out", [x[:, :, :1].contiguous(), [3, 4, width]])
        check(driver, "expand_copy", "expand_copy.out", [x[:, :1].contiguous(), [2, 3, 5, width]])
        check(driver, "repeat", "repeat.out", [x, [2, 1, 3]])
        check(driver, "roll", "roll.out", [x, [2, 1], [2, 0]])
        check(driver, "slice_copy.Tensor", "slice_copy.Tensor_out", [x, 2, width // 3, width])
        check(driver, "permute_copy", "permute_copy.out", [x, [1, 0, 2]])
        check(driver, "permute_copy", "permute_copy.out", [x, [2, 0, 1]])


@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_edges(driver, dtype):
    x = tensor((2, 3, 9, 40), dtype)
    check(driver, "constant_pad_nd", "constant_pad_nd.out", [x, [1, 3, 2, 0], 2])
    if dtype.is_floating_point:
        check(driver, "reflection_pad2d", "reflection_pad2d.out", [x, [7, 2, 3, 1]])
        check(driver, "replication_pad2d", "replication_pad2d.out", [x, [7, 2, 3, 1]])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_cat(driver, dtype):
    for inner in ((), (1,), (33,), (5, 70)):
        parts = [tensor((6, n, *inner), dtype, seed=n) for n in (3, 1, 40, 7)]
        for dim in (1, 1 - len(parts[0].shape)):
            check(driver, "cat", "cat.out", [parts, dim])
    many = [tensor((1000, 32), dtype, seed=i) for i in range(9)]
    check(driver, "cat", "cat.out", [many, 1])
    check(driver, "cat", "cat.out", [[many[0], many[0][:, :0]], 1])
    check(driver, "cat", "cat.out", [[many[0], torch.empty(0, dtype=dtype)], 1])
    check(driver, "cat", "cat.out", [[many[0], many[1].to(torch.complex64)], 1])


def test_glu(driver):
    for shape in ((4, 70), (3, 6, 5), (2, 4, 3000)):
        for dtype in (torch.float32, torch.float16):
            for dim in (-1, 1):
                if shape[dim] % 2 == 0:
                    check(driver, "glu", "glu.out", [tensor(shape, dtype, low=-5, high=5), dim])


def extremes(shape: tuple[int, ...], dtype: torch.dtype) -> list[torch.Tensor]:
    """Equal numbers, zeros of both signs, infinities, and NaN at the begin, inside and at the end."""
    x = torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(1)).to(dtype)
    if not dtype.is_floating_point:
        return [x]
    x[x == 0] = -0.0
    with_infinity = x.clone()
    with_infinity.view(-1)[x.numel() // 2] = float("inf")
    with_infinity.view(-1)[x.numel() // 3] = -float("inf")
    with_nan = x.clone()
    for place in (0, x.numel() // 2, x.numel() // 2 + 1, x.numel() - 1):
        with_nan.view(-1)[place % x.numel()] = NAN
    return [x, with_infinity, with_nan]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32], ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
def test_places_of_extremes(driver, dtype, keepdim):
    for shape in ((1,), (7,), (300,), (5, 1000), (3, 40, 70), (2, 3, 130, 5), (4, 1, 9)):
        for x in extremes(shape, dtype):
            for name in ("argmax", "argmin"):
                for dim in (None, *range(-1, len(shape) - 1)):
                    check(driver, name, f"{name}.out", [x, dim, keepdim])
            for name in ("max", "min"):
                for dim in range(-1, len(shape) - 1):
                    check(driver, f"{name}.dim", f"{name}.dim_{name}", [x, dim, keepdim])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64], ids=str)
def test_products_and_norms(driver, dtype):
    for shape in ((1,), (300,), (5, 1000), (3, 40, 70), (2, 3, 130, 5)):
        # Near 1, so that the products are in range.
        x = tensor(shape, dtype, low=0, high=3) if dtype == torch.int64 else 1 + tensor(shape, dtype) / 99
        for dim in range(len(shape)):
            for keepdim in (False, True):
                check(driver, "prod.dim_int", "prod.int_out", [x, dim, keepdim], tolerance=(1e-4, 1e-4))
                if dtype.is_floating_point:
                    check(driver, "linalg_vector_norm", "linalg_vector_norm.out", [x, 2, [dim], keepdim])
        check(driver, "prod", "prod.out", [x], tolerance=(1e-4, 1e-3))
        if dtype.is_floating_point:
            for order in (2, 2.0, 1, float("inf")):
                check(
                    driver, "linalg_vector_norm", "linalg_vector_norm.out", [x, order], tolerance=(1e-4, 1e-5)
                )
    special = torch.tensor([[1, NAN, 2], [0, float("inf"), -1], [0, float("inf"), 0], [-0.0, 3, 1]])
    for dim in (0, 1):
        check(driver, "prod.dim_int", "prod.int_out", [special, dim])
        check(driver, "linalg_vector_norm", "linalg_vector_norm.out", [special, 2, [dim]])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_advanced_indices(driver, dtype):
    x = tensor((9, 7, 5), dtype)
    i = torch.randint(-9, 9, (600,), generator=torch.Generator().manual_seed(0))
    j = torch.randint(-7, 7, (600,), generator=torch.Generator().manual_seed(1))
    k = torch.randint(0, 5, (600,), generator=torch.Generator().manual_seed(2))
    lists = [
        [i],
        [i.int(), j.int()],
        [i, j, k],
        [i.view(6, 100), j.view(6, 100)],
        [None, j],
        [i, None, k],
        [i, j[:1]],
    ]
    for indices in lists:
        check(driver, "index.Tensor", "index.Tensor_out", [x, indices])


@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_places_that_are_put(driver, dtype):
    x = tensor((9, 7, 5), dtype)
    # Places that are named once, since eager leaves the order open.
    order = torch.randperm(63, generator=torch.Generator().manual_seed(3))[:40]
    places = [order // 7, order % 7]
    for values in (
        tensor((40, 5), dtype, seed=1),
        tensor((5,), dtype, seed=2),
        tensor((1, 1), dtype, seed=3),
    ):
        check(driver, "index_put", "index_put.out", [x, places, values])


def test_indices_that_add_up(driver):
    for dtype in (torch.float32, torch.int64, torch.float16):
        x = tensor((9, 7), dtype)
        i = torch.randint(-9, 9, (60,), generator=torch.Generator().manual_seed(0))
        check(driver, "index_put", "index_put.out", [x, [i], tensor((60, 7), dtype, seed=1), True])
        check(driver, "index_put", "index_put.out", [x, [i, i % 7], tensor((60,), dtype, seed=1), True])
        for dim in (0, 1, -1):
            index = torch.randint(0, x.shape[dim], (9, 7), generator=torch.Generator().manual_seed(2))
            check(driver, "scatter_add", "scatter_add.out", [x, dim, index, tensor((9, 7), dtype, seed=3)])


@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_scatter(driver, dtype):
    for shape, dim in (((9, 300), 1), ((9, 300), 0), ((4, 6, 5), 1), ((12,), 0), ((3, 600, 2), -2)):
        x = tensor(shape, dtype)
        count = shape[dim] // 2
        # Places that are named once.
        order = torch.rand(shape, generator=torch.Generator().manual_seed(0)).argsort(dim)
        index = order.narrow(dim, 0, count).contiguous()
        check(driver, "scatter.src", "scatter.src_out", [x, dim, index, tensor(shape, dtype, seed=1)])
        check(driver, "scatter.value", "scatter.value_out", [x, dim, index, 3])
        shorter = index.narrow(0, 0, 1).contiguous()
        check(driver, "scatter.src", "scatter.src_out", [x, dim, shorter, tensor(shape, dtype, seed=1)])


@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_gather_along_any_dimension(driver, dtype):
    for shape, dim in (((9, 300), 0), ((4, 6, 5), 1), ((3, 600, 2), -2), ((5, 1), 0)):
        x = tensor(shape, dtype)
        sizes = list(shape)
        for count in (1, 7):
            sizes[dim] = count
            index = torch.randint(0, shape[dim], sizes, generator=torch.Generator().manual_seed(0))
            check(driver, "gather", "gather.out", [x, dim, index])


@pytest.mark.parametrize(
    "name,args,result",
    [
        ("index.Tensor", [torch.ones(3, 4), [torch.tensor([0, 3])]], (2, 4)),
        ("index.Tensor", [torch.ones(3, 4), [torch.tensor([0]), torch.tensor([-5])]], (1,)),
        ("index_put", [torch.ones(3, 4), [torch.tensor([-4])], torch.ones(1, 4)], (3, 4)),
        ("scatter.src", [torch.ones(3, 4), 1, torch.full((3, 2), 4), torch.ones(3, 2)], (3, 4)),
        ("scatter.value", [torch.ones(3, 4), 0, torch.full((1, 4), -1), 2.0], (3, 4)),
        ("gather", [torch.ones(3, 4), 0, torch.full((1, 4), 3)], (1, 4)),
        ("scatter_add", [torch.ones(3, 4), 1, torch.full((3, 2), 1 << 40), torch.ones(3, 2)], (3, 4)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_indices_out_of_range(driver, name, args, result):
    op = resolve(name)
    out = resolve(f"{name}_out" if "." in name else f"{name}.out")
    assert call_out(driver, out, bind(op, args, {}), [Out(like=torch.ones(result))]).error == INVALID_ARGUMENT


@pytest.mark.parametrize("dim", [2**63 - 1, -(2**63), 3, -4])
def test_a_dimension_out_of_range(driver, dim):
    x = torch.ones(2, 3, 4)
    bound = bind(resolve("gather"), [x, dim, torch.zeros(2, 3, 4, dtype=torch.int64)], {})
    assert call_out(driver, resolve("gather.out"), bound, [Out(like=x)]).error == INVALID_ARGUMENT


def test_an_average_of_padding_alone_is_refused_as_in_eager(driver):
    bound = bind(resolve("avg_pool2d"), [torch.ones(1, 2, 3, 0), [2, 2], [1, 1], [1, 1]], {})
    result = call_out(driver, resolve("avg_pool2d.out"), bound, [Out(like=torch.ones(1, 2, 4, 1))])
    assert result.error == INVALID_ARGUMENT


@pytest.mark.parametrize("padding", [0, 1, 2])
@pytest.mark.parametrize("align", [False, True])
def test_grid_sampler(driver, padding, align):
    for shape, size in (((2, 3, 9, 12), (17, 30)), ((1, 5, 1, 1), (3, 3)), ((1, 1, 40, 7), (5, 200))):
        x = tensor(shape, torch.float32)
        grid = tensor((shape[0], *size, 2), torch.float32, low=-1.5, high=1.5, seed=1)
        for mode in (0, 1):
            check(
                driver,
                "grid_sampler_2d",
                "grid_sampler_2d.out",
                [x, grid, mode, padding, align],
                tolerance=(2e-5, 1e-5),
            )
    inside = grid.clamp(-0.9, 0.9)
    if padding < 2:
        for place, value in enumerate((NAN, float("inf"), -float("inf"), 1e30, -1e30)):
            grid.view(-1)[3 * place] = value
        check(driver, "grid_sampler_2d", "grid_sampler_2d.out", [x, grid, 0, padding, align])
    check(
        driver,
        "grid_sampler_2d",
        "grid_sampler_2d.out",
        [x, inside, 0, padding, align],
        tolerance=(2e-5, 1e-5),
    )


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32], ids=str
)
def test_masks(driver, dtype):
    for shape in ((700,), (3, 5), (40, 300), (2, 3, 4, 257), (1, 1)):
        x = tensor(shape, dtype)
        mask = torch.rand(shape, generator=torch.Generator().manual_seed(0)) < 0.3
        for truth in (mask, torch.zeros_like(mask), torch.ones_like(mask)):
            check(driver, "masked_select", "masked_select.out", [x, truth])
            check(driver, "index.Tensor", "index.Tensor_out", [x, [truth]])
        # Zeros, and NaN, which is none.
        some = torch.where(mask, x, torch.zeros_like(x))
        if dtype.is_floating_point:
            some.view(-1)[-1] = NAN
            some.view(-1)[0] = -0.0
        check(driver, "nonzero", "nonzero.out", [some])
        outs = [Out(like=some.nonzero().contiguous())]
        result = call_out(driver, resolve("nonzero.out"), {"self": some}, outs)
        assert torch.equal(result.outputs[0], some.nonzero())


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.int32, torch.int64, torch.float16, torch.uint8], ids=str
)
def test_sort(driver, dtype, descending):
    op = resolve("sort.stable")
    for shape in ((95,), (3, 96), (4, 300), (2, 2048), (1, 2049), (2, 5000), (5, 1, 200)):
        for low in (-3, -1000):
            # Few values, so that many are equal: their order is the one that they had.
            x = tensor(shape, torch.float32, low=low, high=-low).round().to(dtype)
            if dtype.is_floating_point:
                special = torch.tensor([NAN, float("inf"), -float("inf"), -0.0, 0.0, NAN], dtype=dtype)
                x.view(-1)[20:26] = special
            options = {"stable": True, "dim": -1, "descending": descending}
            expected = op(x, **options)
            for name in ("sort.values_stable", "sort.values", "argsort.stable_out"):
                outs = [Out(like=t) for t in expected[1 if name.startswith("arg") else 0 :]]
                result = call_out(driver, resolve(name), bind(op, [x], options), outs, temp_bytes=1 << 20)
                assert result.error == 0
                assert torch.equal(result.outputs[-1], expected[1])
                if len(outs) > 1:
                    torch.testing.assert_close(result.outputs[0], expected[0], rtol=0, atol=0, equal_nan=True)
