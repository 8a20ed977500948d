"""Eigenvalues of matrices of any kind: eager's, in another order, with vectors that are theirs."""

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, resolve
from executorch.kernels.test.samples import tensor

_INVALID_ARGUMENT, _NO_MEMORY = 0x12, 0x21
_FLOATS = [torch.float32, torch.float64]


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _run(driver, x, like=None, **options):
    op = resolve("linalg_eig")
    outs = [Out(like=t.contiguous()) for t in op(x if like is None else like)]
    return call_out(driver, resolve("linalg_eig.out"), bind(op, [x], {}), outs, **options)


def _check(driver, x, tolerance=None):
    """The kernel calculates in double; ``tolerance`` is of the values, for which a matrix may be ill conditioned."""
    result = _run(driver, x, temp_bytes=1 << 20)
    assert result.error == 0
    values, vectors = result.outputs
    wide = x.to(torch.complex128)
    expected = torch.linalg.eigvals(wide)
    assert (values.shape, vectors.shape) == (expected.shape, x.shape)
    assert values.dtype == vectors.dtype == (x.dtype if x.is_complex() else x.dtype.to_complex())
    precision = 1e-12 if values.dtype == torch.complex128 else 2e-6
    size = max(float(x.abs().amax()), 1e-300) * x.shape[-1] if x.numel() else 1.0
    torch.testing.assert_close(
        wide / size @ vectors.to(wide),
        vectors.to(wide) * (values.to(wide) / size)[..., None, :],
        atol=precision,
        rtol=0,
    )
    lengths = torch.linalg.vector_norm(vectors.to(wide), dim=-2)
    torch.testing.assert_close(lengths, torch.ones_like(lengths), atol=precision, rtol=0)
    rows = [torch.atleast_2d(t).flatten(0, -2) for t in (values, expected)]
    for found, wanted in zip(*rows, strict=True):
        left = wanted.tolist()
        for value in found.tolist():
            nearest = min(left, key=lambda other: abs(other - value))
            assert abs(nearest - value) <= (tolerance or precision) * size
            left.remove(nearest)
    return values, vectors


@pytest.mark.parametrize("dtype", [*_FLOATS, torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2), (4, 4), (17, 17), (2, 3, 5, 5), (3, 0, 0), (0, 4, 4)], ids=str
)
def test_of_any_matrices(driver, shape, dtype):
    x = tensor(shape, torch.float64)
    x = torch.complex(x, tensor(shape, torch.float64, seed=1)).to(dtype) if dtype.is_complex else x.to(dtype)
    for a in (x, x.mT, x.triu(), x.tril(), x.triu(-1), x @ x.mT.conj(), x * 1e-20, x * 1e25):
        _check(driver, a)


def test_of_symmetric_and_rotating_ones(driver):
    x = tensor((9, 9), torch.float64)
    values, vectors = _check(driver, x + x.mT)
    assert (values.imag == 0).all() and (vectors.imag == 0).all()
    values, _ = _check(driver, x - x.mT)
    assert values.real.abs().max() < 1e-13
    values, _ = _check(driver, torch.matrix_exp(x - x.mT))
    torch.testing.assert_close(values.abs(), torch.ones(9).double())


@pytest.mark.parametrize("n", [2, 3, 8, 40])
def test_permutations_and_zeros(driver, n):
    """What shifts alone go around in circles with."""
    one = torch.eye(n, dtype=torch.float64)
    for x in (one, one.roll(1, 0), one.flip(0), one * 0, torch.diag(torch.arange(1.0, n)).roll(1, 1)[:, :n]):
        x = torch.nn.functional.pad(x, [0, n - x.shape[1], 0, n - x.shape[0]]).double()
        _check(driver, x)


def test_of_one_vector_for_several_values(driver):
    """Values of a Jordan block are as near as a root of the precision lets them be."""
    x = torch.eye(4, dtype=torch.float64) * 2 + torch.diag(torch.ones(3).double(), 1)
    turn = torch.linalg.qr(tensor((4, 4), torch.float64))[0]
    _check(driver, x)
    _check(driver, turn @ x @ turn.mT, tolerance=1e-3)


def _graded(power):
    """Matrices of rows or columns down to 10^-power, with their eigenvalues."""
    m, d = tensor((5, 5), torch.float64), torch.logspace(0, -power, 5, dtype=torch.float64)
    rows, values = d[:, None] * m, torch.linalg.eigvals(d[:, None] * m)
    yield "rows", rows, values
    yield "columns", m * d, values
    yield "similar", rows / d, torch.linalg.eigvals(m)
    yield "triangle", (rows * d).triu(), (rows * d).diagonal()
    yield "lower triangle", (rows * d).tril(), (rows * d).diagonal()
    turn, small = torch.tensor([[1.0, 2.0], [-3.0, 1.0]], dtype=torch.float64), 10.0**-power
    pair = torch.tensor([complex(1, 6**0.5), complex(1, -(6**0.5))], dtype=torch.complex128)
    yield "turns", torch.block_diag(turn, small * turn), torch.cat([pair, small * pair])


@pytest.mark.parametrize("power", [5, 10, 20, 30])
def test_small_values_beside_large_ones_have_digits_of_their_own(driver, power):
    for name, x, expected in _graded(power):
        result = _run(driver, x, temp_bytes=1 << 16)
        assert result.error == 0, name
        values, vectors = result.outputs
        left = expected.tolist()
        for value in values.tolist():
            nearest = min(left, key=lambda other: abs(other - value))
            assert abs(nearest - value) <= 1e-8 * abs(nearest), (name, value, nearest)
            left.remove(nearest)
        rest = (x.to(vectors.dtype) @ vectors - vectors * values).abs()
        terms = x.abs() @ vectors.abs() + (vectors * values).abs()
        assert (rest <= 1e-9 * terms).all(), name


@pytest.mark.parametrize("n", [3, 4, 40])
@pytest.mark.parametrize("small", [1e-5, 1e-10, 1e-20])
def test_what_stands_beside_a_graded_block_does_not_grow(driver, n, small):
    """Its vectors would lose the small elements that a rotation meets it with."""
    chain = torch.diag(torch.arange(n) / 10).double()
    chain += torch.diag(torch.ones(n - 1).double(), 1) + torch.diag(torch.full((n - 1,), small).double(), -1)
    for beside in (torch.zeros(n), torch.ones(n)):
        row = torch.cat([beside.double(), torch.tensor([2.0]).double()])
        x = torch.cat([torch.nn.functional.pad(chain, [0, 1]), row[None]])
        for matrix in (x, x.mT.contiguous()):
            result = _run(driver, matrix, temp_bytes=1 << 17)
            assert result.error == 0
            values, vectors = result.outputs
            rest = (matrix.to(vectors.dtype) @ vectors - vectors * values).abs()
            assert float(rest.max()) <= 1e-12, (n, small)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_what_is_no_number_fails(driver, bad):
    x = torch.eye(5)
    x[4, 1] = bad
    with pytest.raises(RuntimeError, match="infs or NaNs"):
        torch.linalg.eig(x)
    assert _run(driver, x, like=torch.eye(5), temp_bytes=1 << 16).error == _INVALID_ARGUMENT


def test_bad_arguments_fail(driver):
    good = torch.eye(4)
    for x in (
        torch.ones(4),
        torch.ones(4, 5),
        torch.ones(4, 4).int(),
        good.double(),
        good.to(torch.complex128),
    ):
        assert _run(driver, x, like=good, temp_bytes=1 << 16).error == _INVALID_ARGUMENT
    assert _run(driver, good).error == _NO_MEMORY
    assert _run(driver, good[None][:0]).error == 0
