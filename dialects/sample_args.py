"""Example arguments of operators, described so that they can be made in any element type.

Tools that find out which element types an operator takes describe a call once and make its arguments again and again.
Documented import paths: ``executorch.exir.dialects.edge.arg.model`` and ``executorch.exir.dialects.edge.arg.type``.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import torch

_RANDOM_RANGE = 100
_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16)


class ArgType(str, Enum):
    """Kind of an argument, written as schemas write it; ``Param`` is everything that has no element type."""

    Tensor = "Tensor"
    TensorOpt = "Tensor?"
    TensorList = "Tensor[]"
    TensorOptList = "Tensor?[]"
    Scalar = "Scalar"
    ScalarOpt = "Scalar?"
    ScalarType = "ScalarType"
    ScalarTypeOpt = "ScalarType?"
    Param = "Param"

    def is_tensor(self) -> bool:
        return self in (ArgType.Tensor, ArgType.TensorOpt)

    def is_tensor_list(self) -> bool:
        return self in (ArgType.TensorList, ArgType.TensorOptList)

    def is_scalar(self) -> bool:
        return self in (ArgType.Scalar, ArgType.ScalarOpt)

    def is_scalar_type(self) -> bool:
        return self in (ArgType.ScalarType, ArgType.ScalarTypeOpt)

    def is_optional(self) -> bool:
        return self in (ArgType.TensorOpt, ArgType.ScalarOpt, ArgType.ScalarTypeOpt)

    def has_dtype(self) -> bool:
        return self is not ArgType.Param


class ArgMode(Enum):
    """What fills tensors that have no value of their own."""

    ONES = 0
    RANDOM = 1


class BaseArg:
    """One argument.

    Args:
        argtype: its kind.
        value: what it is: numbers in nested lists for tensors, a list of :class:`BaseArg` for lists of tensors.
        size: of a tensor without a value; default ``(2, 2)``.
        fill: the number in a tensor without a value; default 1.
        dtype: element type that :meth:`get_val` uses; default float.
        nonzero, nonneg, bounded: random values are never 0, never negative, between -1 and 1.
    """

    _kw = False
    _out = False

    def __init__(
        self,
        argtype: ArgType,
        *,
        value: Any = None,
        size: "Sequence[int] | None" = None,
        fill: "float | None" = None,
        dtype: "torch.dtype | None" = None,
        nonzero: bool = False,
        nonneg: bool = False,
        bounded: bool = False,
    ) -> None:
        self.type = argtype
        self.value_given, self.size_given = value is not None, size is not None
        self.fill_given, self.dtype_given = fill is not None, dtype is not None
        self.value = value
        self.size = (2, 2) if size is None else tuple(size)
        self.fill = 1 if fill is None else fill
        self.dtype = torch.float32 if dtype is None else dtype
        self.nonzero, self.nonneg, self.bounded = nonzero, nonneg, bounded
        self._mode = ArgMode.ONES

    @property
    def mode(self) -> ArgMode:
        """What fills a tensor without a value."""
        return self._mode

    @mode.setter
    def mode(self, mode: ArgMode) -> None:
        self._mode = mode

    @property
    def kw(self) -> bool:
        """Whether it is passed by keyword."""
        return self._kw

    @property
    def out(self) -> bool:
        """Whether the operator writes it."""
        return self._out

    def get_random_tensor(self, size: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """Random values of a type; floating-point ones are multiples of 1/8, which sums leave exact."""
        if dtype == torch.bool:
            return torch.full(tuple(size), True) if self.nonzero else torch.randint(0, 2, tuple(size)).bool()
        low = 0 if self.nonneg or dtype in (torch.uint8, torch.uint16) else -_RANDOM_RANGE
        high = _RANDOM_RANGE
        if self.bounded:
            low, high = max(low, -1), 2 if dtype in _INTEGERS else 1
        if dtype in _INTEGERS:
            values = torch.randint(low, high, tuple(size))
        else:
            values = torch.randint(low * 8, high * 8, tuple(size)) / 8
        if self.nonzero:
            values = torch.where(values == 0, torch.ones_like(values), values)
        return values.to(dtype)

    def get_random_scalar(self, dtype: torch.dtype) -> "bool | int | float":
        """A random number of a type."""
        return self.get_converted_scalar(self.get_random_tensor((), dtype).item(), dtype)

    def get_converted_scalar(self, value: Any, dtype: torch.dtype) -> "bool | int | float":
        """A number in the Python type for an element type.

        Raises:
            ValueError: Python has none for it.
        """
        if dtype == torch.bool:
            return bool(value)
        if dtype in _INTEGERS:
            return int(value)
        if isinstance(dtype, torch.dtype) and dtype.is_floating_point:
            return float(value)
        raise ValueError(f"Unsupported Dtype: {dtype}")

    def get_scalar_val_with_dtype(self, dtype: torch.dtype) -> "bool | int | float":
        """The number in a type; 1 without a value."""
        if self.value_given:
            return self.get_converted_scalar(self.value, dtype)
        return (
            self.get_converted_scalar(1, dtype)
            if self._mode is ArgMode.ONES
            else self.get_random_scalar(dtype)
        )

    def get_tensor_val_with_dtype(self, dtype: torch.dtype) -> torch.Tensor:
        """The tensor in a type."""
        if self.value_given:
            return torch.tensor(self.value, dtype=dtype)
        if self.fill_given or self._mode is ArgMode.ONES:
            return torch.full(self.size, self.fill, dtype=dtype)
        return self.get_random_tensor(self.size, dtype)

    def get_val_with_dtype(self, dtype: "torch.dtype | None") -> Any:
        """The argument in an element type; None stands for an argument that is left out.

        Raises:
            ValueError: an argument of its kind has no element type.
        """
        if dtype is None:
            return None
        if self.type.is_tensor():
            return self.get_tensor_val_with_dtype(dtype)
        if self.type.is_tensor_list():
            return [item.get_val_with_dtype(dtype) for item in self.value or ()]
        if self.type.is_scalar():
            return self.get_scalar_val_with_dtype(dtype)
        if self.type.is_scalar_type():
            return dtype
        raise ValueError(f"Unsupported Type: {self.type}")

    def get_val(self) -> Any:
        """The argument in its own element type."""
        return self.get_val_with_dtype(self.dtype) if self.type.has_dtype() else self.value


class BaseKwarg(BaseArg):
    """An argument with a name.

    Args:
        argtype: its kind.
        argname: its name.
        **kwargs: as for :class:`BaseArg`.
    """

    _kw = True

    def __init__(self, argtype: ArgType, argname: str, **kwargs: Any) -> None:
        super().__init__(argtype, **kwargs)
        self.argname = argname


class InArg(BaseArg):
    """An argument that is passed by position."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class InKwarg(BaseKwarg, InArg):
    """An argument that is passed by keyword."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class OutArg(BaseKwarg):
    """An argument that the operator writes."""

    _out = True

    def __init__(self, argtype: ArgType, *, argname: str = "out", fill: float = 0, **kwargs: Any) -> None:
        super().__init__(argtype, argname, fill=fill, **kwargs)


class Return(BaseKwarg):
    """A result."""

    RETURN_NAME_PREFIX = "__ret"

    def __init__(self, argtype: ArgType, *, argname: str = "__ret", fill: float = 0, **kwargs: Any) -> None:
        super().__init__(argtype, argname, fill=fill, **kwargs)

    def is_expected(self, result: Any) -> bool:
        """Whether a tensor, or a list of tensors, is what it describes: in type, shape and values.

        Raises:
            NotImplementedError: ``result`` is something else.
        """
        if isinstance(result, torch.Tensor):
            wanted = self.get_val()
            same_kind = result.dtype == wanted.dtype and result.shape == wanted.shape
            return same_kind and torch.allclose(result, wanted, rtol=1e-3, atol=1e-3, equal_nan=True)
        if isinstance(result, (list, tuple)):
            wanted = self.get_val()
            return len(result) == len(wanted) and all(
                item.is_expected(value) for item, value in zip(self.value or (), result, strict=True)
            )
        raise NotImplementedError(f"Not implemented for {type(result)}")

    def to_out(self, *, name: "str | None" = None) -> OutArg:
        """The out argument of the same kind, size and value."""
        return OutArg(
            self.type,
            argname=name or self.argname,
            value=self.value,
            size=self.size,
            fill=self.fill,
            dtype=self.dtype,
        )


__all__ = ["ArgMode", "ArgType", "BaseArg", "BaseKwarg", "InArg", "InKwarg", "OutArg", "Return"]
