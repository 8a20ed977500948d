"""Operators of linear algebra by way of those that have kernels: Cholesky factors, triangles and singular values."""

from collections.abc import Callable
from typing import Any, Final

import torch

_aten = torch.ops.aten


def _cholesky(self: torch.Tensor, upper: bool = False) -> torch.Tensor:
    return _aten.linalg_cholesky_ex.default(self, upper=upper, check_errors=True)[0]


def _linalg_cholesky(self: torch.Tensor, *, upper: bool = False) -> torch.Tensor:
    return _cholesky(self, upper)


def _inverse(A: torch.Tensor) -> torch.Tensor:
    return _aten.linalg_inv_ex.default(A, check_errors=True)[0]


def _solve(A: torch.Tensor, B: torch.Tensor, *, left: bool = True) -> torch.Tensor:
    return _aten._linalg_solve_ex.default(A, B, left=left, check_errors=True)[0]


def _lu_factor(A: torch.Tensor, *, pivot: bool = True) -> "tuple[torch.Tensor, torch.Tensor]":
    factors, pivots, _ = _aten.linalg_lu_factor_ex.default(A, pivot=pivot, check_errors=True)
    return factors, pivots


def _lu(A: torch.Tensor, *, pivot: bool = True) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
    """Eager has factors of singular matrices, too."""
    factors, pivots, _ = _aten.linalg_lu_factor_ex.default(A, pivot=pivot)
    return _aten.lu_unpack.default(factors, pivots)


def _solve_by_factor(b: torch.Tensor, factor: torch.Tensor, upper: bool) -> torch.Tensor:
    """x in a x = b, where a is ``factor`` times its transpose, or the other way around if ``upper``."""
    if upper:
        factor = factor.mT
    half = _aten.linalg_solve_triangular.default(factor, b, upper=False)
    return _aten.linalg_solve_triangular.default(factor.mT, half, upper=True)


def _cholesky_solve(self: torch.Tensor, input2: torch.Tensor, upper: bool = False) -> torch.Tensor:
    return _solve_by_factor(self, input2, upper)


def _cholesky_inverse(self: torch.Tensor, upper: bool = False) -> torch.Tensor:
    identity = torch.eye(self.shape[-1], dtype=self.dtype, device=self.device)
    return _solve_by_factor(identity.expand(self.shape), self, upper)


def _triangular_solve(
    self: torch.Tensor,
    A: torch.Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> "tuple[torch.Tensor, torch.Tensor]":
    matrices = A.mT if transpose else A
    solution = _aten.linalg_solve_triangular.default(
        matrices, self, upper=upper != transpose, unitriangular=unitriangular
    )
    return solution, A.expand(*solution.shape[:-2], *A.shape[-2:]).clone()


def _pinv(self: torch.Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """By singular values, those left out that a tolerance calls zero; eager's default of it is by the type's precision."""
    if self.numel() == 0:
        return self.new_empty((*self.shape[:-2], self.shape[-1], self.shape[-2]))
    if hermitian:
        values, vectors = _aten._linalg_eigh.default(self)
        left, right, sizes = vectors, vectors.mT, values.abs()
    else:
        left, values, right = _aten._linalg_svd.default(self, False, True)
        sizes = values
    if rtol is None:
        precision = torch.finfo(self.dtype).eps * max(self.shape[-2:])
        rtol = torch.full([], precision, dtype=self.dtype, device=self.device)
        # An absolute tolerance alone is the whole of it.
        rtol = rtol if atol is None else torch.where(atol > 0, torch.zeros_like(rtol), rtol)
    bound = sizes.amax(-1, keepdim=True) * rtol.unsqueeze(-1)
    bound = bound if atol is None else torch.maximum(bound, atol.unsqueeze(-1).to(bound.dtype))
    inverse = torch.where(sizes > bound, values.reciprocal(), 0.0)
    return (right.mT * inverse.unsqueeze(-2)) @ left.mT


def _ormqr(
    self: torch.Tensor, input2: torch.Tensor, input3: torch.Tensor, left: bool = True, transpose: bool = False
) -> torch.Tensor:
    """A product with all of the orthogonal matrix, of which ``self`` has the vectors and ``input2`` the factors."""
    missing = self.shape[-2] - self.shape[-1]
    q = _aten.linalg_householder_product.default(torch.nn.functional.pad(self, [0, missing]), input2)
    q = q.mT if transpose else q
    return q @ input3 if left else input3 @ q


# Torch's own way to take an operator apart that fails for a singular matrix leaves the check out of the program.
LINEAR_ALGEBRA: Final[dict[str, Callable[..., Any]]] = {
    "aten::cholesky": _cholesky,
    "aten::cholesky_inverse": _cholesky_inverse,
    "aten::cholesky_solve": _cholesky_solve,
    "aten::inverse": _inverse,
    "aten::linalg_cholesky": _linalg_cholesky,
    "aten::linalg_inv": _inverse,
    "aten::linalg_lu": _lu,
    "aten::linalg_lu_factor": _lu_factor,
    "aten::linalg_pinv.atol_rtol_tensor": _pinv,
    "aten::linalg_solve": _solve,
    "aten::ormqr": _ormqr,
    "aten::triangular_solve": _triangular_solve,
}

__all__ = ["LINEAR_ALGEBRA"]
