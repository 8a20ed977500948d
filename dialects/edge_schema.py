"""Schemas of edge operators: the ATen schema plus the element types that each tensor may have."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from executorch.dialects import dtype_constraints
from executorch.dialects.dtype_constraints import ALL_DTYPES, DtypeConstraint
from executorch.dialects.dtype_sets import SHORT_FLOATS, FunctionDtypeConstraint, TableDtypeConstraint

_TENSOR_TYPES = ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]")


class EdgeArgument:
    """An argument or a return value of an edge operator.

    Behaves like the ``torch.Argument`` it wraps (``name``, ``type``, ``default_value``, ``kwarg_only`` ...).

    Attributes:
        allowed_types: element types a tensor in this place may have; for an operator without an entry in the
            constraint table, all of them. None for values that are not tensors.
    """

    def __init__(self, argument: torch.Argument, allowed_types: "set[torch.dtype] | None") -> None:
        self._argument = argument
        self.allowed_types = allowed_types

    def __getattr__(self, name: str) -> Any:
        if name == "_argument":
            raise AttributeError(name)
        return getattr(self._argument, name)

    def __repr__(self) -> str:
        return f"EdgeArgument({self._argument!r}, allowed_types={self.allowed_types})"


class EdgeFunctionSchema:
    """Schema of an edge operator; prints as the ATen schema.

    Attributes:
        arguments: :class:`EdgeArgument` of every argument, in order.
        returns: the same for the returns.
        constraint: the operator's :class:`~executorch.dialects.dtype_constraints.DtypeConstraint`, None when the
            table has no entry for it.
    """

    def __init__(self, schema: torch._C.FunctionSchema) -> None:
        self._schema = schema
        # Passes ask for the name, the overload or mutability of thousands of operators; none of that needs the
        # constraint table, so it is read on the first question about types only.
        self._typed: tuple[list[EdgeArgument], list[EdgeArgument], DtypeConstraint | None] | None = None

    def _resolve(self) -> tuple[list[EdgeArgument], list[EdgeArgument], "DtypeConstraint | None"]:
        if self._typed is None:
            constraint = dtype_constraints.find(self._schema.name, self._schema.overload_name)
            arguments = [
                EdgeArgument(arg, _allowed(arg, arg.name, constraint)) for arg in self._schema.arguments
            ]
            returns = [
                EdgeArgument(ret, _allowed(ret, f"__ret_{index}", constraint))
                for index, ret in enumerate(self._schema.returns)
            ]
            self._typed = (arguments, returns, constraint)
        return self._typed

    @property
    def arguments(self) -> list[EdgeArgument]:
        return self._resolve()[0]

    @property
    def returns(self) -> list[EdgeArgument]:
        return self._resolve()[1]

    @property
    def constraint(self) -> "DtypeConstraint | None":
        return self._resolve()[2]

    @functools.cached_property
    def dtype_constraint(self) -> FunctionDtypeConstraint:
        """What may be asked whether a call's element types are allowed, also without an entry in the table."""
        optional = {
            arg.name
            for arg in self.arguments
            if isinstance(arg.type, torch.OptionalType) and arg.allowed_types
        }
        names = list(self.tensor_names())
        essential = [name for name in names if name not in optional]
        left_out = [name for name in names if name in optional]
        if self.constraint is not None and self.constraint.aliases:
            return FunctionDtypeConstraint(
                essential, left_out, self.constraint.alias_types(), self.constraint.aliases
            )
        return TableDtypeConstraint(essential, left_out, self.constraint)

    @property
    def schema(self) -> torch._C.FunctionSchema:
        """The torch schema behind this one."""
        return self._schema

    @property
    def args(self) -> list[EdgeArgument]:
        """The arguments that may be passed by position."""
        return [arg for arg in self.arguments if not arg.kwarg_only]

    @property
    def kwargs(self) -> list[EdgeArgument]:
        """The keyword-only arguments."""
        return [arg for arg in self.arguments if arg.kwarg_only]

    def tensor_names(self) -> Iterator[str]:
        """Names of the tensor arguments, then ``__ret_0`` ... for the tensor returns."""
        for arg in self.arguments:
            if arg.allowed_types is not None:
                yield arg.name
        for index, ret in enumerate(self.returns):
            if ret.allowed_types is not None:
                yield f"__ret_{index}"

    def accepts(self, dtypes: Mapping[str, torch.dtype]) -> bool:
        """True when the element types (by argument name or ``__ret_<i>``) satisfy the operator's constraint."""
        constraint = self.constraint
        return constraint is None or constraint.accepts(dtypes)

    def __getattr__(self, name: str) -> Any:
        if name == "_schema":
            raise AttributeError(name)
        return getattr(self._schema, name)

    def __str__(self) -> str:
        return str(self._schema)

    __repr__ = __str__


def _allowed(
    argument: torch.Argument, name: str, constraint: "DtypeConstraint | None"
) -> "set[torch.dtype] | None":
    if str(argument.type) not in _TENSOR_TYPES:
        return None
    allowed = set(ALL_DTYPES) if constraint is None else constraint.allowed(name)
    # The table has no rows for the short floating-point types: they may stand wherever float does.
    return allowed | SHORT_FLOATS if torch.float32 in allowed else allowed
