"""Factorizations of matrices against eager; where only their product is defined, the product and what the factors must be."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out, Result
from executorch.kernels.test.oracle import as_list, assert_same, bind, call_out, resolve
from executorch.kernels.test.samples import tensor

_FLOATS = [torch.float32, torch.float64]
# Eager factorizes in the matrices' own type, the kernels in double.
_TOLERANCE = {torch.float32: (1e-4, 1e-4), torch.float64: (1e-10, 1e-10)}
_INVALID_ARGUMENT, _NO_MEMORY = 0x12, 0x21
_SHAPES = [(1, 1), (4, 4), (17, 17), (2, 3, 5, 5), (3, 0, 0), (0, 4, 4)]


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _matrices(shape, dtype, seed=0):
    """Well conditioned ones."""
    x = tensor(shape, torch.float64, seed=seed)
    rows, columns = shape[-2:]
    return (x / (1 + x.abs().amax() if x.numel() else 1) + 2 * torch.eye(rows, columns)).to(dtype)


def _positive(shape, dtype):
    x = _matrices(shape, torch.float64)
    return (x @ x.mT).to(dtype)


def _run(driver, functional, out_variant, args, kwargs=None) -> tuple[Result, list[torch.Tensor]]:
    op = resolve(functional)
    expected = as_list(op(*args, **(kwargs or {})))
    outs = [Out(like=torch.empty_like(t, memory_format=torch.contiguous_format)) for t in expected]
    bound = bind(op, args, kwargs or {})
    return call_out(driver, resolve(out_variant), bound, outs, temp_bytes=1 << 20), expected


def _results(driver, functional, out_variant, args, kwargs=None) -> list[torch.Tensor]:
    result, expected = _run(driver, functional, out_variant, args, kwargs)
    assert result.error == 0, f"{out_variant} failed with 0x{result.error:x}"
    assert [(t.shape, t.dtype) for t in result.outputs] == [(t.shape, t.dtype) for t in expected]
    return result.outputs


def _check(driver, functional, out_variant, args, kwargs=None, compared=slice(None)) -> None:
    """The outputs that `compared` takes are eager's."""
    expected = as_list(resolve(functional)(*args, **(kwargs or {})))
    actual = _results(driver, functional, out_variant, args, kwargs)
    for one, other in zip(actual[compared], expected[compared], strict=True):
        assert_same(one, other, _TOLERANCE[args[0].dtype])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", _SHAPES, ids=str)
def test_what_follows_from_lu(driver, shape, dtype):
    x = _matrices(shape, dtype)
    for a in (x, x.mT.contiguous(), -x, x.flip(-2)):
        _check(driver, "linalg_inv_ex", "linalg_inv_ex.inverse", [a])
        _check(driver, "linalg_lu_factor_ex", "linalg_lu_factor_ex.out", [a])
        _check(driver, "_linalg_det", "_linalg_det.result", [a])
        _check(driver, "_linalg_slogdet", "_linalg_slogdet.sign", [a])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize(
    ("a", "b", "left"),
    [
        ((5, 5), (5, 3), True),
        ((5, 5), (5,), True),
        ((5, 5), (3, 5), False),
        ((2, 3, 5, 5), (2, 3, 5), True),
        ((2, 1, 5, 5), (3, 5, 2), True),
        ((2, 1, 5, 5), (3, 2, 5), False),
        ((4, 4), (2, 4, 4), True),
        ((0, 0), (0, 3), True),
        ((4, 4), (4, 0), True),
        ((0, 3, 3), (0, 3, 2), True),
        ((3, 3), (0, 3, 2), True),
        ((2, 3, 3), (3, 2, 3, 2), True),
    ],
)
def test_equations(driver, a, b, left, dtype):
    x, y = _matrices(a, dtype), tensor(b, dtype, seed=1)
    kwargs = {"left": left}
    _check(driver, "_linalg_solve_ex", "_linalg_solve_ex.result", [x, y], kwargs, compared=slice(1))
    if len(b) == 1 or b == a[:-1]:  # vectors
        return
    name = "linalg_solve_triangular"
    for upper in (False, True):
        for unit in (False, True):
            t = x.triu() if upper else x.tril()
            kwargs = {"upper": upper, "left": left, "unitriangular": unit}
            _check(driver, name, f"{name}.out", [t, y], kwargs)


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize(
    ("a", "b"), [((5, 5), (5, 5)), ((2, 1, 5, 5), (3, 5, 5)), ((3, 3), (2, 3, 3)), ((0, 0), (0, 0))], ids=str
)
def test_equations_by_factors(driver, a, b, dtype):
    lu, pivots = torch.linalg.lu_factor(_matrices(a, dtype).flip(-2))
    assert lu.numel() == 0 or (pivots != torch.arange(1, a[-1] + 1)).any()
    for left in (False, True):
        for adjoint in (False, True):
            args, kwargs = [lu, pivots, tensor(b, dtype, seed=1)], {"left": left, "adjoint": adjoint}
            _check(driver, "linalg_lu_solve", "linalg_lu_solve.out", args, kwargs)
    for bad in (pivots + 5, pivots - 5, pivots[..., :-1], pivots[None]):
        op, x = resolve("linalg_lu_solve"), tensor(b, dtype)
        outs = [Out(like=op(*args))]
        bound = bind(op, [lu, bad, x], {})
        outcome = call_out(driver, resolve("linalg_lu_solve.out"), bound, outs, temp_bytes=1 << 20)
        assert lu.numel() == 0 or outcome.error == _INVALID_ARGUMENT


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", _SHAPES, ids=str)
def test_matrix_exponential(driver, shape, dtype):
    x = _matrices(shape, dtype)
    tiny = torch.zeros_like(x) + (1e-8 if dtype == torch.float32 else 1e-30)
    for a in (x, -x, x.triu(1), tiny, (x - x.mT) * 9):
        _check(driver, "linalg_matrix_exp", "linalg_matrix_exp.out", [a])


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_exponentials_of_no_number(driver, bad):
    x = torch.full((3, 3), bad)
    op, outs = resolve("linalg_matrix_exp"), [Out(like=x)]
    outcome = call_out(driver, resolve("linalg_matrix_exp.out"), bind(op, [x], {}), outs, temp_bytes=4096)
    assert outcome.error == 0 and not torch.isfinite(outcome.outputs[0]).any()


def test_the_other_triangle_does_not_count(driver):
    a, b = _matrices((4, 4), torch.float32) + torch.ones(4, 4).triu(1) * torch.nan, torch.ones(4, 2)
    kwargs = {"upper": False}
    _check(driver, "linalg_solve_triangular", "linalg_solve_triangular.out", [a, b], kwargs)
    a = _positive((4, 4), torch.float32) + torch.ones(4, 4).triu(1) * 7
    _check(driver, "linalg_cholesky_ex", "linalg_cholesky_ex.L", [a])
    values = _results(driver, "_linalg_eigh", "_linalg_eigh.eigenvalues", [a])[0]
    assert_same(values, torch.linalg.eigvalsh(a), _TOLERANCE[torch.float32])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", _SHAPES, ids=str)
def test_cholesky(driver, shape, dtype):
    for upper in (False, True):
        _check(
            driver, "linalg_cholesky_ex", "linalg_cholesky_ex.L", [_positive(shape, dtype)], {"upper": upper}
        )


def test_a_state_says_what_a_matrix_lacks(driver):
    singular = torch.tensor([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]])
    for functional, out_variant in [
        ("linalg_inv_ex", "linalg_inv_ex.inverse"),
        ("linalg_lu_factor_ex", "linalg_lu_factor_ex.out"),
        ("linalg_cholesky_ex", "linalg_cholesky_ex.L"),
        ("_linalg_solve_ex", "_linalg_solve_ex.result"),
    ]:
        args = [singular - 3 if "cholesky" in functional else singular]
        args += [torch.ones(2, 2, 1)] if "solve" in functional else []
        result, expected = _run(driver, functional, out_variant, args)
        assert result.error == 0
        assert torch.equal(result.outputs[-1], expected[-1]) and expected[-1].any()
        bound = {**bind(resolve(functional), args, {}), "check_errors": True}
        outs = [Out(like=t.contiguous()) for t in expected]
        outcome = call_out(driver, resolve(out_variant), bound, outs, temp_bytes=4096)
        assert outcome.error == _INVALID_ARGUMENT
    sign, logarithm = _results(driver, "_linalg_slogdet", "_linalg_slogdet.sign", [singular])[:2]
    assert sign.tolist() == [0, -1] and logarithm[0] == -torch.inf


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", [*_SHAPES, (7, 3), (2, 3, 7), (3, 1, 6), (4, 0), (0, 3)], ids=str)
def test_qr(driver, shape, dtype):
    for x in (_matrices(shape, dtype), torch.zeros(shape, dtype=dtype)):
        for mode in ("reduced", "complete", "r"):
            _check(driver, "linalg_qr", "linalg_qr.out", [x, mode])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", [*_SHAPES, (7, 3), (2, 3, 7), (3, 1, 6), (4, 0), (0, 3)], ids=str)
def test_factors_taken_apart(driver, shape, dtype):
    lu, pivots, _ = torch.linalg.lu_factor_ex(_matrices(shape, dtype).flip(-2))
    for data in (False, True):
        for permutation in (False, True):
            _check(driver, "lu_unpack", "lu_unpack.out", [lu, pivots, data, permutation])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", [*_SHAPES, (7, 3), (2, 3, 7), (3, 1, 6), (4, 0), (0, 3)], ids=str)
def test_reflections(driver, shape, dtype):
    x = _matrices(shape, dtype)
    for a in (x, torch.zeros_like(x)):
        _check(driver, "geqrf", "geqrf.a", [a])
    if shape[-2] < shape[-1]:
        return
    vectors, factors = torch.geqrf(x)
    name = "linalg_householder_product"
    for count in {0, shape[-1] // 2, shape[-1]}:
        _check(driver, name, f"{name}.out", [vectors, factors[..., :count].contiguous()])
    _check(driver, name, f"{name}.out", [x, tensor(factors.shape, dtype)])


def test_factors_that_do_not_belong_together_fail(driver):
    def error(name, out_variant, args, likes):
        outs = [Out(like=torch.empty(shape)) for shape in likes]
        return call_out(
            driver, resolve(out_variant), bind(resolve(name), args, {}), outs, temp_bytes=4096
        ).error

    lu, pivots, _ = torch.linalg.lu_factor_ex(torch.rand(4, 3))
    likes = [(4, 4), (4, 3), (3, 3)]
    assert error("lu_unpack", "lu_unpack.out", [lu, pivots], likes) == 0
    for bad in (pivots + 4, pivots - 4, pivots[:2], pivots[None], pivots.long()):
        assert error("lu_unpack", "lu_unpack.out", [lu, bad], likes) == _INVALID_ARGUMENT
    x, tau, name = torch.rand(4, 3), torch.rand(3), "linalg_householder_product"
    assert error(name, f"{name}.out", [x, tau], [(4, 3)]) == 0
    for args in (
        [x, torch.rand(4)],
        [x, tau[None]],
        [x, tau.double()],
        [x.mT.contiguous(), tau],
        [x[0], tau[0]],
    ):
        assert error(name, f"{name}.out", args, [args[0].shape]) == _INVALID_ARGUMENT


def _orthonormal(rows, dtype) -> None:
    identity = torch.eye(rows.shape[-2], dtype=dtype).expand(*rows.shape[:-2], -1, -1)
    assert_same(rows @ rows.mT, identity, _TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", [*_SHAPES, (7, 3), (2, 3, 7), (3, 1, 6), (4, 0), (0, 3)], ids=str)
def test_svd(driver, shape, dtype):
    low_rank = _matrices(shape, dtype)
    low_rank[..., 1:, :] = low_rank[..., :1, :]
    for x in (_matrices(shape, dtype), low_rank, torch.zeros(shape, dtype=dtype), tensor(shape, dtype)):
        for full in (False, True):
            u, s, vh = _results(driver, "_linalg_svd", "_linalg_svd.U", [x, full])
            atol = _TOLERANCE[dtype][0] * (1 + float(x.abs().sum()))
            assert_same(s, torch.linalg.svdvals(x), (atol, 0))
            few = s.shape[-1]
            assert_same((u[..., :few] * s[..., None, :]) @ vh[..., :few, :], x, (atol, 0))
            _orthonormal(u.mT, dtype)
            _orthonormal(vh, dtype)
        _check(driver, "_linalg_svd", "_linalg_svd.U", [_matrices(shape, dtype), False, False])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", _SHAPES, ids=str)
def test_eigh(driver, shape, dtype):
    x = tensor(shape, dtype)
    symmetric = x + x.mT
    for a in (symmetric, _positive(shape, dtype), torch.zeros_like(x), torch.ones_like(x)):
        for triangle in ("L", "U"):
            values, vectors = _results(driver, "_linalg_eigh", "_linalg_eigh.eigenvalues", [a, triangle])
            atol = _TOLERANCE[dtype][0] * (1 + float(a.abs().sum()))
            assert_same(values, torch.linalg.eigvalsh(a), (atol, 0))
            assert_same((vectors * values[..., None, :]) @ vectors.mT, a, (atol, 0))
            _orthonormal(vectors.mT, dtype)
    values = _results(driver, "_linalg_eigh", "_linalg_eigh.eigenvalues", [symmetric, "L", False])[0]
    assert_same(values, torch.linalg.eigvalsh(symmetric), (1e-4 * (1 + float(x.abs().sum())), 0))


@pytest.mark.parametrize("size", [1e200, 1e-170, 5e-324, 1e308])
def test_sizes_whose_squares_are_no_numbers(driver, size):
    x = torch.tensor([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]], dtype=torch.float64)
    for a in (x, torch.ones_like(x) / 4):
        if size < 1e-300:
            a = a.ceil()  # what is half of the smallest number is none
        u, s, vh = _results(driver, "_linalg_svd", "_linalg_svd.U", [a * size, True])
        values, vectors = _results(driver, "_linalg_eigh", "_linalg_eigh.eigenvalues", [a * size])
        _orthonormal(u.mT, torch.float64)
        _orthonormal(vh, torch.float64)
        _orthonormal(vectors.mT, torch.float64)
        if size > 1e-300:
            # In two steps, that no number of the reference's becomes infinite.
            assert_same(s / size, torch.linalg.svdvals(a))
            assert_same(values / size, torch.linalg.eigvalsh(a))
        else:
            assert s[0] >= size and values[-1] >= size


def test_an_element_that_is_no_number_leaves_no_eigenvalue(driver):
    for bad in (torch.inf, -torch.inf, torch.nan):
        x = torch.tensor([[1.0, bad], [bad, 2.0]])
        outs = [Out(like=torch.empty(2)), Out(like=torch.empty(2, 2))]
        bound = bind(resolve("_linalg_eigh"), [x], {})
        result = call_out(driver, resolve("_linalg_eigh.eigenvalues"), bound, outs, temp_bytes=4096)
        assert result.error == 0 and all(t.isnan().all() for t in result.outputs)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_what_is_no_number_comes_to_an_end(driver, bad):
    one = torch.eye(9)
    one[8, 2] = bad
    for x in (torch.full((9, 9), bad), one):
        for name, out_variant, args in [
            ("_linalg_svd", "_linalg_svd.U", [x, True, True]),
            ("_linalg_eigh", "_linalg_eigh.eigenvalues", [x, "L", True]),
        ]:
            op = resolve(name)
            outs = [Out(like=t) for t in op(torch.eye(9), *args[1:])]
            result = call_out(driver, resolve(out_variant), bind(op, args, {}), outs, temp_bytes=1 << 16)
            if name == "_linalg_svd" and bad == torch.inf:
                assert result.error == 0 and not torch.isfinite(result.outputs[1]).all()
                continue
            with pytest.raises(RuntimeError):
                op(*args)
            assert result.error == _INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("functional", "out_variant", "extra"),
    [
        ("linalg_inv_ex", "linalg_inv_ex.inverse", []),
        ("_linalg_det", "_linalg_det.result", []),
        ("_linalg_slogdet", "_linalg_slogdet.sign", []),
        ("_linalg_solve_ex", "_linalg_solve_ex.result", [torch.ones(4)]),
        ("linalg_cholesky_ex", "linalg_cholesky_ex.L", []),
        ("linalg_lu_factor_ex", "linalg_lu_factor_ex.out", []),
        ("linalg_lu_solve", "linalg_lu_solve.out", [torch.arange(1, 5).int(), torch.ones(4, 2)]),
        ("linalg_solve_triangular", "linalg_solve_triangular.out", [torch.ones(4, 2)]),
        ("linalg_matrix_exp", "linalg_matrix_exp.out", []),
        ("linalg_qr", "linalg_qr.out", []),
        ("_linalg_svd", "_linalg_svd.U", []),
        ("_linalg_eigh", "_linalg_eigh.eigenvalues", []),
    ],
)
def test_bad_arguments_fail(driver, functional, out_variant, extra):
    op, kwargs = resolve(functional), {"upper": True} if "triangular" in functional else {}
    good = torch.eye(4)
    results = as_list(op(good, *extra, **kwargs))
    bad = [torch.ones(4), torch.tensor(1.0), torch.ones(4, 4, dtype=torch.int64), good.double()]
    bad += [] if any(word in functional for word in ("svd", "qr", "lu_factor")) else [torch.ones(4, 5)]
    for x in bad:
        outs = [Out(like=t.contiguous()) for t in results]
        bound = bind(op, [x, *extra], kwargs)
        outcome = call_out(driver, resolve(out_variant), bound, outs, temp_bytes=4096)
        assert outcome.error == _INVALID_ARGUMENT
    outs = [Out(like=t.contiguous()) for t in results]
    bound = bind(op, [good, *extra], kwargs)
    assert call_out(driver, resolve(out_variant), bound, outs).error == _NO_MEMORY
    # None is needed where there is no matrix.
    bound = {k: v[None][:0] if isinstance(v, torch.Tensor) else v for k, v in bound.items()}
    outs = [Out(like=t.contiguous()) for t in as_list(op(**bound))]
    assert call_out(driver, resolve(out_variant), bound, outs).error == 0
