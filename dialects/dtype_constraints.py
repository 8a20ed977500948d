"""The table of element types that edge operators accept and return.

The table is ``edge.yaml`` beside this module, one entry per operator overload::

    - func: sigmoid
      namespace: edge
      inherits: aten::sigmoid
      type_alias:
        T0: [Bool, Byte, Char, Int, Long, Short]
        T1: [Double, Float]
        T2: [Float]
      type_constraint:
      - self: T0
        __ret_0: T2
      - self: T1
        __ret_0: T1

Each row of ``type_constraint`` maps every tensor argument, and ``__ret_<i>`` for the results, to an alias; a
combination of types is allowed when at least one row allows it. In a row where an argument and a result share
an alias with several types they need not be of the same type, so tables use one row per type where that matters.
The table knows the eight types below; tensors of other types (half, bfloat16 ...) are not judged by it.

``gen_dtype_table`` writes and checks the table by running every operator on every combination of types.
"""

import functools
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

#: Names of element types in the table.
DTYPE_NAMES: dict[str, torch.dtype] = {
    name: getattr(torch, f"{name}Tensor").dtype
    for name in ("Bool", "Byte", "Char", "Short", "Int", "Long", "Float", "Double")
}

#: The types that the table judges.
ALL_DTYPES: frozenset[torch.dtype] = frozenset(DTYPE_NAMES.values())

TABLE_PATH = pathlib.Path(__file__).with_name("edge.yaml")


@dataclass(frozen=True)
class DtypeConstraint:
    """Which combinations of element types one operator accepts.

    Attributes:
        name: ``aten::sigmoid`` or ``aten::add.Tensor``.
        rows: allowed combinations, each a mapping of argument (or ``__ret_<i>``) to the set of its types.
        aliases: for each row, arguments to what those of one type have in common; empty where rows are the whole truth.
    """

    name: str
    rows: tuple[Mapping[str, frozenset[torch.dtype]], ...]
    aliases: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], one_type: bool = False) -> "DtypeConstraint":
        """Reads one entry of the table.

        Args:
            entry: as above.
            one_type: arguments of a row that share an alias are of one type.

        Raises:
            ValueError: an alias is used but not defined, or names an unknown type.
        """
        name = entry["inherits"]
        aliases: dict[str, frozenset[torch.dtype]] = {}
        for alias, names in entry["type_alias"].items():
            unknown = [item for item in names if item not in DTYPE_NAMES]
            if unknown:
                raise ValueError(
                    f"{name}: alias {alias} names unknown types {unknown}; known: {list(DTYPE_NAMES)}"
                )
            aliases[alias] = frozenset(DTYPE_NAMES[item] for item in names)
        rows = []
        for row in entry["type_constraint"]:
            undefined = [alias for alias in row.values() if alias not in aliases]
            if undefined:
                raise ValueError(f"{name}: type_constraint uses undefined aliases {undefined}")
            rows.append({argument: aliases[alias] for argument, alias in row.items()})
        return cls(name, tuple(rows), tuple(entry["type_constraint"]) if one_type else ())

    def allowed(self, argument: str) -> set[torch.dtype]:
        """All types ``argument`` may have in any combination; every type when no row mentions it."""
        found: set[torch.dtype] = set()
        mentioned = False
        for row in self.rows:
            if argument in row:
                mentioned = True
                found |= row[argument]
        return found if mentioned else set(ALL_DTYPES)

    def alias_types(self) -> dict[str, frozenset[torch.dtype]]:
        """What each of :attr:`aliases` may stand for."""
        pairs = zip(self.aliases, self.rows, strict=False)
        return {alias: row[name] for aliases, row in pairs for name, alias in aliases.items()}

    def accepts(self, dtypes: Mapping[str, torch.dtype]) -> bool:
        """True when some row allows all the given types; types outside the table count as allowed."""
        judged = {name: dtype for name, dtype in dtypes.items() if dtype in ALL_DTYPES}
        if len(judged) != len(dtypes):
            return True
        return any(
            all(name not in row or dtype in row[name] for name, dtype in judged.items())
            and (not self.aliases or _agree(judged, self.aliases[number]))
            for number, row in enumerate(self.rows)
        )


def _agree(dtypes: Mapping[str, torch.dtype], aliases: Mapping[str, str]) -> bool:
    chosen: dict[str, torch.dtype] = {}
    pairs = ((aliases[name], dtype) for name, dtype in dtypes.items() if name in aliases)
    return all(chosen.setdefault(alias, dtype) == dtype for alias, dtype in pairs)


class _OwnEntry(dict[str, Any]):
    """An entry of ``edge.yaml``, whose rows are the whole truth."""


def read_entries(text: str) -> list[dict[str, Any]]:
    """The entries of a table as they are written."""
    import yaml  # read on the first question about types, so that importing the dialect stays cheap

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text, Loader=loader) or []


def read_table(text: str) -> dict[str, DtypeConstraint]:
    """Parses a table; keys are ``aten::op`` (overload ``default``) and ``aten::op.overload``."""
    constraints = (DtypeConstraint.from_entry(entry) for entry in read_entries(text))
    return {constraint.name: constraint for constraint in constraints}


@functools.cache
def entries() -> dict[str, dict[str, Any]]:
    """The entries of ``edge.yaml`` by operator, read once.

    Whoever has operators of their own adds entries here, before anybody asks for those operators' types. In these,
    arguments of a row that share an alias are of one type, as in released versions.
    """
    found = read_entries(TABLE_PATH.read_text(encoding="utf-8"))
    return {entry["inherits"]: _OwnEntry(entry) for entry in found}


#: Name of an operator to the entry that was read, and what it says.
_read: dict[str, tuple[Mapping[str, Any], DtypeConstraint]] = {}


def _constraint_of(name: str, entry: Mapping[str, Any]) -> DtypeConstraint:
    known = _read.get(name)
    if known is None or known[0] is not entry:  # an entry that a user has exchanged counts
        one_type = not isinstance(entry, _OwnEntry)
        known = _read[name] = entry, DtypeConstraint.from_entry(entry, one_type)
    return known[1]


def table() -> dict[str, DtypeConstraint]:
    """The constraints of all entries."""
    return {name: _constraint_of(name, entry) for name, entry in entries().items()}


def find(qualified_name: str, overload: str) -> "DtypeConstraint | None":
    """The constraint of ``aten::add`` with overload ``Tensor`` (``""`` or ``default`` for the default one)."""
    name = qualified_name if overload in ("", "default") else f"{qualified_name}.{overload}"
    entry = entries().get(name)
    return None if entry is None else _constraint_of(name, entry)
