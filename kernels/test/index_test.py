"""Operators that take indices against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve
from executorch.kernels.test.samples import NUMBERS, REAL, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def indices(shape, limit, seed=0, dtype=torch.int64):
    return torch.randint(0, limit, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_rows(driver, dtype):
    weight = tensor((11, 7), dtype)
    for shape in ((), (3,), (2, 4), (0,)):
        for index_dtype in (torch.int64, torch.int32):
            check(driver, "embedding", "embedding.out", [weight, indices(shape, 11, dtype=index_dtype)])
    for last in (False, True):
        x = tensor((2, 3, 4, 5), dtype, channels_last=last)
        for dim in (0, 1, -1):
            check(driver, "index_select", "index_select.out", [x, dim, indices((6,), x.shape[dim])])
            check(driver, "index_select", "index_select.out", [x, dim, indices((0,), x.shape[dim])])
    check(driver, "index_select", "index_select.out", [tensor((), dtype), 0, torch.tensor([0])])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_gather_and_scatter(driver, dtype):
    for last in (False, True):
        x = tensor((2, 3, 4, 5), dtype, channels_last=last)
        for dim in (0, 1, -1):
            shape = [2, 2, 3, 4]
            shape[dim] = 6 if dim != 0 else 2
            index = indices(shape, x.shape[dim])
            check(driver, "gather", "gather.out", [x, dim, index])
            check(driver, "scatter.value", "scatter.value_out", [x, dim, index, 1])
            src = tensor(tuple(shape), dtype, seed=3)
            if dtype != torch.bool:
                check(driver, "scatter_add", "scatter_add.out", [x, dim, index, src])
            # Without repeated places, since their order is not defined.
            distinct = torch.argsort(torch.rand(x.shape, generator=torch.Generator().manual_seed(1)), dim)
            check(
                driver,
                "scatter.src",
                "scatter.src_out",
                [x, dim, distinct, tensor((2, 3, 4, 5), dtype, seed=4)],
            )
    check(driver, "gather", "gather.out", [tensor((), dtype), 0, torch.tensor(0)])


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.bool], ids=str)
def test_single_elements_gather_and_scatter_as_lines_of_one(driver, dtype):
    single, line = tensor((), dtype, seed=1), tensor((1,), dtype, seed=2)
    three = tensor((3,), dtype, seed=3)
    for x, index, dim in (
        (single, torch.tensor([0, 0]), 0),
        (single, torch.tensor([0]), -1),
        (three, torch.tensor(2), 0),
        (line, torch.tensor(0), -1),
    ):
        check(driver, "gather", "gather.out", [x, dim, index])
    for x in (single, line, three):
        for index in (torch.tensor(0), torch.tensor([0])):
            for src in (tensor((), dtype, seed=4), tensor((1,), dtype, seed=5)):
                check(driver, "scatter.src", "scatter.src_out", [x, 0, index, src])
                if dtype != torch.bool:
                    check(driver, "scatter_add", "scatter_add.out", [x, 0, index, src])
                    for mode in ("sum", "amax", "mean"):
                        args = [x, 0, index, src, mode]
                        check(driver, "scatter_reduce.two", "scatter_reduce.two_out", args)
            check(driver, "scatter.value", "scatter.value_out", [x, -1, index, 1])


def index_lists(x):
    a, b = x.shape[0], x.shape[1]
    yield [indices((4,), a)]
    yield [None, indices((2, 3), b)]
    yield [indices((2, 1), a), indices((3,), b)]
    yield [indices((3,), a), None, indices((3,), x.shape[2])]
    yield [None, None, indices((), x.shape[2])]
    yield [indices((2,), a) - a, None, None, indices((2,), x.shape[3])]
    yield [torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) > 0.5]
    yield [None, torch.tensor([True, False, True])]
    yield [indices((0,), a)]
    # Masks beside indices and other masks.
    rows, columns = torch.tensor([True, True]), torch.tensor([True, False, True])
    yield [indices((2,), a), columns]
    yield [rows, indices((2,), b)]
    yield [rows, columns]
    yield [indices((3, 1), a), columns]
    yield [rows, None, indices((2,), x.shape[2])]
    yield [indices((), a), columns]
    yield [None, columns, indices((1,), x.shape[2])]
    yield [torch.tensor([False, True]), columns]
    yield [None, torch.zeros(b, dtype=torch.bool), indices((1,), x.shape[2])]
    yield [indices((4, 1), a), torch.rand(b, x.shape[2], generator=torch.Generator().manual_seed(2)) > 0.5]
    yield [indices((3, 2), a), None, torch.tensor([False, True, False, True])]


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_advanced_indexing(driver, dtype):
    for last in (False, True):
        x = tensor((2, 3, 4, 5), dtype, channels_last=last)
        for index in index_lists(x):
            check(driver, "index.Tensor", "index.Tensor_out", [x, index])
            shape = x[tuple(slice(None) if i is None else i for i in index)].shape
            single = tensor((1,), dtype, seed=5)
            check(driver, "index_put", "index_put.out", [x, index, single, False])
            if dtype != torch.bool:
                values = tensor(tuple(shape), dtype, seed=6)
                check(driver, "index_put", "index_put.out", [x, index, values, True])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_in_place(driver, dtype):
    x = tensor((4, 3), dtype)
    index = [torch.tensor([3, 1])]
    values = tensor((2, 3), dtype, seed=1)
    expected = x.clone()
    expected[index[0]] = values
    arguments = [
        (Out(like=x, initial=True), "Tensor"),
        (index, "List[Optional[Tensor]]"),
        (values, "Tensor"),
        (False, "bool"),
    ]
    result = driver.call("aten::index_put_", arguments)
    assert result.error == 0
    assert torch.equal(result.outputs[0], expected)

    arguments = [(Out(like=x, initial=True), "Tensor"), (values[:1], "Tensor"), (False, "bool")]
    result = driver.call("aten::copy_", arguments)
    assert result.error == 0
    assert torch.equal(result.outputs[0], values[:1].expand(4, 3))


@pytest.mark.parametrize(
    "functional,out,args",
    [
        ("embedding", "embedding.out", [torch.ones(3, 2), torch.tensor([3])]),
        ("embedding", "embedding.out", [torch.ones(3, 2), torch.tensor([-1])]),
        ("index_select", "index_select.out", [torch.ones(3, 2), 0, torch.tensor([5])]),
        ("gather", "gather.out", [torch.ones(3, 2), 0, torch.tensor([[7, 0]])]),
        ("gather", "gather.out", [torch.ones(()), 0, torch.tensor([[1, 0]])]),
        (
            "index.Tensor",
            "index.Tensor_out",
            [torch.ones(3, 2), [torch.tensor([0, 1, 2]), torch.tensor([True, True])]],
        ),
        ("index.Tensor", "index.Tensor_out", [torch.ones(3, 2), [torch.tensor([3])]]),
        ("index.Tensor", "index.Tensor_out", [torch.ones(3, 2), [None, torch.tensor([-3])]]),
        ("scatter.value", "scatter.value_out", [torch.ones(1, 2), 0, torch.tensor([[4, 0]]), 1.0]),
    ],
)
def test_index_out_of_range_fails(driver, functional, out, args):
    like = torch.empty(1, 2)
    result = call_out(driver, resolve(out), bind(resolve(functional), args, {}), [Out(like=like)])
    assert result.error == 0x12
