"""Reads a compiled schema (`flatc -b --schema`, file extension .bfbs) into plain objects.

Source: the layout of flatbuffers' own `reflection.fbs`, as documented with the FlatBuffers compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from flatbuffers import encode, number_types, packer
from flatbuffers.table import Table

T = TypeVar("T")

SCALARS = {
    2: ("bool", "?"),
    3: ("byte", "b"),
    4: ("ubyte", "B"),
    5: ("short", "h"),
    6: ("ushort", "H"),
    7: ("int", "i"),
    8: ("uint", "I"),
    9: ("long", "q"),
    10: ("ulong", "Q"),
    11: ("float", "f"),
    12: ("double", "d"),
}
"""Base type number -> (name in the schema language, `struct` format character)."""
UTYPE, STRING, VECTOR, OBJECT, UNION = 1, 13, 14, 15, 16


@dataclass(frozen=True)
class Type:
    """Type of a field: a base type, the element's base type for a vector, and which object or enum."""

    base: int
    element: int
    index: int


@dataclass(frozen=True)
class Field:
    """A field of a table."""

    name: str
    type: Type
    slot: int
    default_integer: int
    default_real: float
    attributes: dict[str, str]
    comment: str


@dataclass(frozen=True)
class Object:
    """A table."""

    name: str
    fields: list[Field]
    comment: str
    file: str


@dataclass(frozen=True)
class EnumValue:
    """A value of an enum or a member of a union; `index` is the member's object."""

    name: str
    value: int
    index: int
    comment: str


@dataclass(frozen=True)
class Enum:
    """An enum or a union."""

    name: str
    values: list[EnumValue]
    is_union: bool
    base: int
    comment: str
    file: str


@dataclass(frozen=True)
class Schema:
    """A compiled schema with everything that it includes."""

    objects: list[Object]
    enums: list[Enum]
    identifier: str
    extension: str
    root: Object | None


class _View:
    """A table of the compiled schema, with its fields by slot."""

    def __init__(self, buffer: bytes, position: int) -> None:
        self.table = Table(buffer, position)

    @classmethod
    def root(cls, buffer: bytes) -> _View:
        return cls(buffer, encode.Get(packer.uoffset, buffer, 0))

    def _at(self, slot: int) -> int:
        offset: int = self.table.Offset(4 + 2 * slot)
        return offset and offset + self.table.Pos

    def number(self, slot: int, flags: object, default: Any = 0) -> Any:
        at = self._at(slot)
        return self.table.Get(flags, at) if at else default

    def text(self, slot: int) -> str:
        at = self._at(slot)
        return self.table.String(at).decode() if at else ""

    def child(self, slot: int) -> _View | None:
        at = self._at(slot)
        return _View(self.table.Bytes, self.table.Indirect(at)) if at else None

    def _elements(self, slot: int) -> Iterator[int]:
        at = self._at(slot)
        if at:
            start, count = self.table.Vector(at - self.table.Pos), self.table.VectorLen(at - self.table.Pos)
            yield from (start + 4 * i for i in range(count))

    def children(self, slot: int, make: Callable[[_View], T]) -> list[T]:
        return [make(_View(self.table.Bytes, self.table.Indirect(at))) for at in self._elements(slot)]

    def comment(self, slot: int) -> str:
        lines = [self.table.String(at).decode() for at in self._elements(slot)]
        return "\n".join(line.removeprefix(" ") for line in lines).strip()


def _type(view: _View | None) -> Type:
    if view is None:
        return Type(0, 0, -1)
    byte = number_types.Int8Flags
    return Type(view.number(0, byte), view.number(1, byte), view.number(2, number_types.Int32Flags, -1))


def _field(view: _View) -> Field:
    attributes = dict(view.children(9, lambda pair: (pair.text(0), pair.text(1))))
    return Field(
        name=view.text(0),
        type=_type(view.child(1)),
        slot=view.number(2, number_types.Uint16Flags),
        default_integer=view.number(4, number_types.Int64Flags),
        default_real=view.number(5, number_types.Float64Flags, 0.0),
        attributes=attributes,
        comment=view.comment(10),
    )


def _object(view: _View) -> Object:
    fields = sorted(view.children(1, _field), key=lambda field: field.slot)
    return Object(view.text(0), fields, view.comment(6), view.text(7))


def _enum_value(view: _View) -> EnumValue:
    value = view.number(1, number_types.Int64Flags)
    return EnumValue(view.text(0), value, _type(view.child(3)).index, view.comment(4))


def _enum(view: _View) -> Enum:
    return Enum(
        name=view.text(0),
        values=view.children(1, _enum_value),
        is_union=bool(view.number(2, number_types.BoolFlags)),
        base=_type(view.child(3)).base,
        comment=view.comment(5),
        file=view.text(6),
    )


def load(data: bytes) -> Schema:
    """Reads a compiled schema.

    Raises:
        ValueError: `data` is no compiled schema.
    """
    if data[4:8] != b"BFBS":
        raise ValueError(f"expected a compiled schema (identifier b'BFBS'), found {data[4:8]!r}")
    view = _View.root(data)
    root = view.child(4)
    return Schema(
        objects=view.children(0, _object),
        enums=view.children(1, _enum),
        identifier=view.text(2),
        extension=view.text(3),
        root=None if root is None else _object(root),
    )
