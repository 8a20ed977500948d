"""Constraints on element types in the form that tools of other releases build: aliases, sets that shrink."""

from collections.abc import Iterable, Mapping, Sequence

import torch

from executorch.dialects.dtype_constraints import ALL_DTYPES, DtypeConstraint

SHORT_FLOATS = {torch.float16, torch.bfloat16}


class AllowedDtypeSet:
    """Element types that an alias may still stand for; choosing one leaves that one.

    Args:
        types: all it may stand for.
    """

    def __init__(self, types: Iterable[torch.dtype]) -> None:
        self.types = set(types)
        self._chosen: torch.dtype | None = None

    def __contains__(self, dtype: torch.dtype) -> bool:
        return dtype in self.types if self._chosen is None else dtype == self._chosen

    def reduce_to(self, t: torch.dtype) -> bool:
        """Chooses ``t``; False, and nothing happens, when it is not among what is left."""
        if t not in self:
            return False
        self._chosen = t
        return True

    def clear(self) -> None:
        """Forgets what was chosen."""
        self._chosen = None


class FunctionDtypeConstraint:
    """The combinations of element types that one operator allows. Arguments of a row with the same alias have the same
    type.

    Args:
        essential_tensor_io_names: tensors that every call has: arguments by name, results as ``__ret_<i>``.
        optional_tensor_io_names: tensors that a call may leave out.
        type_alias: alias to the types it may stand for.
        type_constraint: rows of argument to alias, one of which a call must satisfy.

    Raises:
        RuntimeError: a row leaves a tensor out, or names something else.
    """

    def __init__(
        self,
        essential_tensor_io_names: Sequence[str],
        optional_tensor_io_names: Sequence[str],
        type_alias: Mapping[str, Iterable[torch.dtype]],
        type_constraint: Sequence[Mapping[str, str]],
    ) -> None:
        self.essential_tensor_io_names = list(essential_tensor_io_names)
        self.optional_tensor_io_names = list(optional_tensor_io_names)
        self.type_alias = {alias: AllowedDtypeSet(types) for alias, types in type_alias.items()}
        self.type_constraint = [dict(row) for row in type_constraint]
        names = {*self.essential_tensor_io_names, *self.optional_tensor_io_names}
        for row in self.type_constraint:
            if set(row) != names:
                raise RuntimeError(
                    f"a row of a constraint must name all tensors; {sorted(set(row) ^ names)} is in one only"
                )

    def validate(self, types: Mapping[str, "torch.dtype | None"]) -> bool:
        """True when some row allows ``types``; None stands for a tensor that was left out.

        A tensor that the constraint does not know, or an essential one that is missing, is never allowed.
        """
        known = {*self.essential_tensor_io_names, *self.optional_tensor_io_names}
        if set(types) - known or set(self.essential_tensor_io_names) - set(types):
            return False
        return any(self._allows(row, types) for row in self.type_constraint)

    def _allows(self, row: Mapping[str, str], types: Mapping[str, "torch.dtype | None"]) -> bool:
        for allowed in self.type_alias.values():
            allowed.clear()
        try:
            return all(
                dtype is None or self.type_alias[row[name]].reduce_to(dtype) for name, dtype in types.items()
            )
        finally:
            for allowed in self.type_alias.values():
                allowed.clear()


class TableDtypeConstraint(FunctionDtypeConstraint):
    """The combinations that the table of element types allows an operator; all, if the table does not know it.

    Args:
        essential_tensor_io_names, optional_tensor_io_names: as above.
        constraint: the operator's entry, or None.
    """

    def __init__(
        self,
        essential_tensor_io_names: Sequence[str],
        optional_tensor_io_names: Sequence[str],
        constraint: "DtypeConstraint | None",
    ) -> None:
        names = [*essential_tensor_io_names, *optional_tensor_io_names]
        rows = constraint.rows if constraint is not None else ({},)
        # Rows of the table name sets of types, tensor by tensor; sets that are equal within a row are no one type.
        aliases = {
            f"{name}{number}": row.get(name, ALL_DTYPES) for number, row in enumerate(rows) for name in names
        }
        super().__init__(
            essential_tensor_io_names,
            optional_tensor_io_names,
            aliases,
            [{name: f"{name}{number}" for name in names} for number in range(len(rows))],
        )
        self._constraint = constraint

    def _allows(self, row: Mapping[str, str], types: Mapping[str, "torch.dtype | None"]) -> bool:
        given = {name: dtype for name, dtype in types.items() if dtype is not None}
        if self._constraint is None:
            return True
        # The table has no rows for the short floating-point types: they may stand where float does, not beside it.
        short = SHORT_FLOATS & set(given.values())
        if len(short) > 1 or (short and torch.float32 in given.values()):
            return False
        given = {name: torch.float32 if dtype in short else dtype for name, dtype in given.items()}
        return ALL_DTYPES.issuperset(given.values()) and self._constraint.accepts(given)


__all__ = ["AllowedDtypeSet", "FunctionDtypeConstraint", "TableDtypeConstraint"]
