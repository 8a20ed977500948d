"""Operators on complex numbers by way of their real and imaginary parts, for which there are kernels."""

from collections.abc import Callable
from typing import Any, Final

import torch

from executorch.dialects.torch_types import OpOverload
from executorch.passes.decomposition.complex_functions import FUNCTIONS, power

_aten = torch.ops.aten


def _is_complex(given: Any) -> bool:
    return given.is_complex() if isinstance(given, torch.Tensor) else isinstance(given, complex)


def _parts(given: Any) -> "tuple[Any, Any]":
    """The real and the imaginary part of a tensor or of a number."""
    if not isinstance(given, torch.Tensor):
        number = complex(given)
        return number.real, number.imag
    if not given.is_complex():
        return given, torch.zeros_like(given)
    parts = torch.view_as_real(given)
    return parts[..., 0], parts[..., 1]


def _full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, **_: Any) -> Any:
    """What spectra are collected in: ``torch.zeros(n, dtype=torch.cfloat)``."""
    wanted = dtype or (torch.get_default_dtype().to_complex() if isinstance(fill_value, complex) else None)
    if wanted is None or not wanted.is_complex:
        return NotImplemented
    real, imaginary = (
        _aten.full.default(size, part, dtype=wanted.to_real(), device=device) for part in _parts(fill_value)
    )
    return _aten.complex.default(real, imaginary)


def _full_like(
    self: torch.Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, **_: Any
) -> Any:
    return _full(list(self.shape), fill_value, dtype=dtype or self.dtype, device=device or self.device)


def _constant_pad(self: torch.Tensor, pad: Any, value: Any = 0) -> Any:
    if not self.is_complex():
        return NotImplemented
    padded = (
        _aten.constant_pad_nd.default(part, pad, number)
        for part, number in zip(_parts(self), _parts(value), strict=True)
    )
    return _aten.complex.default(*padded)


def _of_function(function: Callable[..., Any]) -> Callable[..., Any]:
    def decomposition(self: torch.Tensor) -> Any:
        return _aten.complex.default(*function(*_parts(self))) if self.is_complex() else NotImplemented

    return decomposition


def _power(self: Any, exponent: Any) -> Any:
    if not _is_complex(self) and not _is_complex(exponent):
        return NotImplemented
    if isinstance(exponent, (int, float)) and exponent in (2, 3):
        return self * self if exponent == 2 else self * self * self
    if not isinstance(self, torch.Tensor):
        self = _full([], self, dtype=exponent.dtype, device=exponent.device)
    return _aten.complex.default(*power(_parts(self), _parts(exponent), is_real=not _is_complex(exponent)))


def _multiply(self: torch.Tensor, other: Any) -> Any:
    """A complex number beside a tensor becomes a tensor: a program holds no such number."""
    if not isinstance(other, complex):
        return NotImplemented
    number = _full([], other, dtype=torch.result_type(self, other), device=self.device)
    return _aten.mul.Tensor(self, number)


def _by_parts(
    op: OpOverload, *places: int, join: Callable[..., Any] = _aten.complex.default
) -> Callable[..., Any]:
    """What ``join`` makes of ``op`` on the real parts of the arguments at ``places``, and on the imaginary ones."""

    def decomposition(*args: Any, **options: Any) -> Any:
        if not any(_is_complex(args[place]) for place in places):
            return NotImplemented
        real, imaginary = list(args), list(args)
        for place in places:
            real[place], imaginary[place] = _parts(args[place])
        return join(op(*real, **options), op(*imaginary, **options))

    return decomposition


def _reduction(op: OpOverload, *, has_kernel: bool = False) -> Callable[..., Any]:
    """``op`` on the parts, which are first of the type that is asked for, if one is.

    Args:
        has_kernel: what is complex and remains of its type is the kernel's.
    """

    def decomposition(
        self: torch.Tensor, *args: Any, dtype: torch.dtype | None = None, **options: Any
    ) -> Any:
        becomes = dtype or self.dtype
        if not (self.is_complex() or becomes.is_complex) or (has_kernel and becomes == self.dtype):
            return NotImplemented
        real, imaginary = _parts(self)
        if becomes.is_complex:
            wanted = {} if dtype is None else {"dtype": dtype.to_real()}
            return _aten.complex.default(
                *(op(part, *args, **wanted, **options) for part in (real, imaginary))
            )
        # Truths ask for both parts; of other types, numbers have the real part alone.
        kept = torch.logical_or(real != 0, imaginary != 0) if becomes is torch.bool else real
        return op(kept, *args, dtype=becomes, **options)

    return decomposition


def _of_truths(op: OpOverload, operands: int = 1) -> Callable[..., Any]:
    """An operator that asks of its operands only whether they are zero."""

    def decomposition(*args: Any) -> Any:
        if not any(map(_is_complex, args[:operands])):
            return NotImplemented
        truths = (torch.logical_or(*(part != 0 for part in _parts(arg))) for arg in args[:operands])
        return op(*truths, *args[operands:])

    return decomposition


def _product(self: torch.Tensor, mat2: torch.Tensor) -> Any:
    if not self.is_complex():
        return NotImplemented
    return _aten.bmm.default(self.unsqueeze(0), mat2.unsqueeze(0)).squeeze(0)


def _sum_and_product(
    self: torch.Tensor, mat1: torch.Tensor, mat2: torch.Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Any:
    if not self.is_complex():
        return NotImplemented
    return self * beta + _product(mat1, mat2) * alpha


COMPLEX_NUMBERS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _of_function(function) for name, function in FUNCTIONS.items()},
    "aten::addmm": _sum_and_product,
    "aten::all": _of_truths(_aten.all.default),
    "aten::all.dim": _of_truths(_aten.all.dim),
    "aten::any": _of_truths(_aten.any.default),
    "aten::any.dim": _of_truths(_aten.any.dim),
    "aten::any.dims": _of_truths(_aten.any.dims),
    "aten::constant_pad_nd": _constant_pad,
    "aten::cumsum": _reduction(_aten.cumsum.default),
    "aten::diag_embed": _by_parts(_aten.diag_embed.default, 0),
    "aten::eq.Scalar": _by_parts(_aten.eq.Scalar, 0, 1, join=torch.logical_and),
    "aten::eq.Tensor": _by_parts(_aten.eq.Tensor, 0, 1, join=torch.logical_and),
    "aten::full": _full,
    "aten::full_like": _full_like,
    "aten::index_put": _by_parts(_aten.index_put.default, 0, 2),
    "aten::isinf": _by_parts(_aten.isinf.default, 0, join=torch.logical_or),
    "aten::isnan": _by_parts(_aten.isnan.default, 0, join=torch.logical_or),
    "aten::logical_and": _of_truths(_aten.logical_and.default, 2),
    "aten::logical_not": _of_truths(_aten.logical_not.default),
    "aten::logical_or": _of_truths(_aten.logical_or.default, 2),
    "aten::logical_xor": _of_truths(_aten.logical_xor.default, 2),
    "aten::masked_fill.Scalar": _by_parts(_aten.masked_fill.Scalar, 0, 2),
    "aten::masked_fill.Tensor": _by_parts(_aten.masked_fill.Tensor, 0, 2),
    "aten::mean": _reduction(_aten.mean.default),
    "aten::mean.dim": _reduction(_aten.mean.dim),
    "aten::mm": _product,
    "aten::mul.Scalar": _multiply,
    "aten::ne.Scalar": _by_parts(_aten.ne.Scalar, 0, 1, join=torch.logical_or),
    "aten::ne.Tensor": _by_parts(_aten.ne.Tensor, 0, 1, join=torch.logical_or),
    "aten::nonzero": _of_truths(_aten.nonzero.default),
    "aten::pow.Scalar": _power,
    "aten::pow.Tensor_Scalar": _power,
    "aten::pow.Tensor_Tensor": _power,
    "aten::scatter.value": _by_parts(_aten.scatter.value, 0, 3),
    "aten::scatter_add": _by_parts(_aten.scatter_add.default, 0, 3),
    "aten::select_scatter": _by_parts(_aten.select_scatter.default, 0, 1),
    "aten::sum": _reduction(_aten.sum.default, has_kernel=True),
    "aten::sum.dim_IntList": _reduction(_aten.sum.dim_IntList, has_kernel=True),
    "aten::tril": _by_parts(_aten.tril.default, 0),
    "aten::triu": _by_parts(_aten.triu.default, 0),
    "aten::var.correction": _by_parts(_aten.var.correction, 0, join=torch.add),
    "aten::where.self": _by_parts(_aten.where.self, 1, 2),
}

__all__ = ["COMPLEX_NUMBERS"]
