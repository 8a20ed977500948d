"""How operators of the dialect ``tosa`` are declared, and what their checks say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import torch
from torch.library import Library

from executorch.backends.arm.tosa.specification import TosaSpecification, get_context_spec
from executorch.dialects.backend_ops import BackendOpOverload, backend_op
from executorch.dialects.torch_types import FakeTensor

#: Keeps the operators alive.
LIBRARY: Final = Library("tosa", "DEF")
#: Operator -> the profiles that have it.
_PROFILES: dict[str, tuple[str, ...]] = {}

INT: Final = ("INT",)
FP: Final = ("FP",)
ALL: Final = ("INT", "FP")

Function = TypeVar("Function", bound=Callable[..., Any])


class TosaValueError(ValueError):
    """An operator of the dialect was given what the specification does not have.

    Args:
        message: what and why.
        op: the operator.
    """

    def __init__(self, message: str, op: str = "") -> None:
        super().__init__(f"{op}: {message}" if op else message)
        self.op = op


def operator(
    schema: str, profiles: tuple[str, ...] = ALL, compute: Callable[..., Any] | None = None
) -> Callable[[Function], Function]:
    """Declares the decorated function, which checks and gives empty results, as an operator.

    Args:
        schema: in torch's language, without the namespace.
        profiles: that have the operator, whatever types they have it for.
        compute: what the operator makes of real tensors that pass the checks. Without it only shapes are known.
    """
    name = schema.partition("(")[0]

    def declare(function: Function) -> Function:
        def run(*args: Any, **kwargs: Any) -> Any:
            empty = function(*args, **kwargs)
            if compute is not None and not isinstance(empty, FakeTensor):
                return compute(*args, **kwargs)
            if compute is None and any(isinstance(one, torch.Tensor) for one in args):
                raise NotImplementedError(
                    f"tosa::{name} has shapes only; the reference model of tosa-tools calculates it"
                )
            return empty

        LIBRARY.define(schema)
        LIBRARY.impl(name, run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"tosa::{name}", function, lib=LIBRARY)
        _PROFILES[name] = profiles
        return function

    return declare


def registered(spec: TosaSpecification) -> set[BackendOpOverload]:
    """The operators that one of the specification's profiles has."""
    return {
        backend_op(getattr(torch.ops.tosa, name).default)
        for name, profiles in _PROFILES.items()
        if set(profiles) & set(spec.profiles)
    }


def known(size: Any) -> bool:
    """Whether a size is a number, not a symbol."""
    return isinstance(size, int)


def supported(
    integers: Sequence[torch.dtype] = (),
    floats: Sequence[torch.dtype] = (),
    always: Sequence[torch.dtype] = (),
    **extensions: Sequence[torch.dtype] | torch.dtype,
) -> set[torch.dtype]:
    """The types that the specification of the context has: of its profiles, and of its extensions by name."""
    spec = get_context_spec()
    found = set(always)
    if spec.support_integer():
        found.update(integers)
    if spec.support_float():
        found.update(floats)
    for name, types in extensions.items():
        if spec.support_extension(name):
            found.update([types] if isinstance(types, torch.dtype) else types)
    return found


def require_dtype(op: str, dtype: torch.dtype, allowed: set[torch.dtype]) -> None:
    """Raises:
    TosaValueError: the type is not among those that are allowed.
    """
    if dtype not in allowed:
        short = str(dtype).removeprefix("torch.")
        names = ", ".join(sorted(map(str, allowed))) or "none"
        raise TosaValueError(
            f"Unsupported dtype {dtype}: {get_context_spec()} doesn't support {short} here; it has {names}",
            op,
        )


def require_same_dtype(op: str, *tensors: torch.Tensor) -> None:
    """Raises:
    TosaValueError: the tensors have several types.
    """
    kinds = {one.dtype for one in tensors}
    if len(kinds) > 1:
        raise TosaValueError(f"Expected matching dtypes, got {sorted(map(str, kinds))}", op)


def require_rank(op: str, tensor: torch.Tensor, rank: int, what: str = "input") -> None:
    """Raises:
    TosaValueError: the tensor has another number of dimensions.
    """
    if tensor.dim() != rank:
        raise TosaValueError(f"{what} of {tensor.dim()} dimensions; it takes {rank}", op)


def require_axis(op: str, axis: int, rank: int) -> None:
    """Raises:
    TosaValueError: there is no such dimension.
    """
    if not 0 <= axis < rank:
        raise TosaValueError(f"axis {axis} out of range for {rank} dimensions", op)


def require_extension(op: str, name: str) -> None:
    """Raises:
    TosaValueError: the specification of the context lacks the extension.
    """
    spec = get_context_spec()
    if not spec.support_extension(name):
        raise TosaValueError(f"{spec} doesn't support {op}, which is of the {name} extension", op)


def require_length(op: str, what: str, values: Sequence[Any], length: int) -> None:
    """Raises:
    TosaValueError: the list has another length.
    """
    if len(values) != length:
        raise TosaValueError(f"{op} expects {what} of length {length}, got {list(values)}", op)


def require_positive(op: str, what: str, values: Sequence[Any], least: int = 1) -> None:
    """Raises:
    TosaValueError: a number that is known is below ``least``.
    """
    if any(known(one) and one < least for one in values):
        said = "positive" if least == 1 else "non-negative"
        raise TosaValueError(f"{what} must be {said}, got {list(values)}", op)


def empty(
    like: torch.Tensor, shape: Sequence[Any] | None = None, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """A result without values."""
    sizes = like.shape if shape is None else shape
    return like.new_empty(tuple(sizes), dtype=like.dtype if dtype is None else dtype)
