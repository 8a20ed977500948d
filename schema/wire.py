"""Writing and reading FlatBuffers in time linear in their size, for the generated schema modules.

The generated module of a schema knows its tables; this module knows the wire format. Writing goes from the
end of the buffer to its beginning, as the format asks for, as a list of chunks: a payload of bytes is
referred to, never copied, and a table is packed with one precompiled `struct` per set of present fields.

Reading treats the buffer as hostile. A position outside the buffer, an unknown enum value or union member and
text that is not UTF-8 raise `FormatError`, and a budget proportional to the size of the buffer stops files
that refer to the same bytes over and over.

Source of the wire format: the FlatBuffers documentation, "FlatBuffer Internals".
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import copysign
from typing import Any, NoReturn, TypeVar

E = TypeVar("E", bound=IntEnum)
BytesLike = bytes | bytearray | memoryview

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_U16X2 = struct.Struct("<HH")
_MAX_BYTES = 2**31 - 1
_ZEROS = bytes(64)
_LARGE = 1 << 14
REFERENCE = "O"
"""Format character of a field that refers to a table, a vector or a string."""


class FormatError(ValueError):
    """A buffer is not what its schema says, or a value does not fit its field. The message names the place."""


class NewerFormatError(FormatError, NotImplementedError):
    """A file has a version of its schema that only a later release knows; also a ``NotImplementedError``."""

    def __init__(self, version: int, newest: int) -> None:
        super().__init__(
            f"the file has version {version} of the format, newer than {newest}, the last one that this release "
            "knows. Way out: use the release that the version comes from"
        )


def padding(size: int, alignment: int) -> int:
    """Number of bytes that bring `size` to a multiple of `alignment`."""
    return -size % alignment


# --- Writing ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to pack a table for one set of present fields."""

    packer: struct.Struct
    vtable: bytes
    alignment: int
    phase: int
    """Position of the table's first byte modulo `alignment`."""
    scalars: tuple[int, ...]
    """Slots in the order in which the packer takes them."""
    references: tuple[tuple[int, int], ...]
    """(position in the packer's arguments, byte offset in the table) of each reference."""


class TableLayout:
    """The scalar types and defaults of a table's fields, by slot."""

    def __init__(self, name: str, fields: Sequence[tuple[str, str, Any]]) -> None:
        """`fields`: (name, `struct` format character or `REFERENCE`, default) for each slot."""
        self.name = name
        self.fields = tuple(fields)
        self.defaults = tuple(0 if kind == REFERENCE else default for _, kind, default in fields)
        self.float_slots = tuple(i for i, (_, kind, _) in enumerate(fields) if kind in "fd")
        self.plans: dict[tuple[int, ...], _Plan] = {}

    def plan(self, present: tuple[int, ...]) -> _Plan:
        """The plan for the given slots, made on first use."""
        found = self.plans.get(present)
        if found is None:
            found = self.plans[present] = self._make_plan(present)
        return found

    def _make_plan(self, present: tuple[int, ...]) -> _Plan:
        kinds = {slot: self.fields[slot][1] for slot in present}
        width = {slot: 4 if kind == REFERENCE else struct.calcsize(kind) for slot, kind in kinds.items()}
        # Widest first: after the four bytes that point to the vtable there is no gap if the table begins four
        # bytes before a multiple of eight.
        order = sorted(present, key=lambda slot: -width[slot])
        fmt, position, references = "<i", 4, []
        offsets: dict[int, int] = {}
        for slot in order:
            fmt += "I" if kinds[slot] == REFERENCE else kinds[slot]
            offsets[slot] = position
            if kinds[slot] == REFERENCE:
                references.append((len(offsets), position))
            position += width[slot]
        packer = struct.Struct(fmt)
        slots = max(present, default=-1) + 1
        vtable = struct.pack(
            f"<{2 + slots}H", 4 + 2 * slots, packer.size, *(offsets.get(slot, 0) for slot in range(slots))
        )
        alignment = max([4, *width.values()])
        return _Plan(packer, vtable, alignment, 4 if alignment == 8 else 0, tuple(order), tuple(references))

    def blame(self, values: Sequence[Any], error: Exception) -> NoReturn:
        """Raises `FormatError` for the first field whose value does not fit."""
        for (name, kind, _), value in zip(self.fields, values, strict=True):
            try:
                struct.pack("I" if kind == REFERENCE else kind, value)
            except (struct.error, TypeError) as reason:
                raise FormatError(
                    f"{self.name}.{name}: {value!r} does not fit the field ({reason})"
                ) from None
        raise FormatError(f"{self.name}: {error}") from error


@dataclass(frozen=True, slots=True)
class Message:
    """A finished buffer as chunks in file order, without the eight bytes at the front."""

    identifier: bytes
    root: int
    """Position of the root table, counted from the first byte of the file, when there is no header."""
    body: list[BytesLike]
    nbytes: int
    """Size of the file, when there is no header."""
    alignment: int
    """What the file's first byte must be aligned to; a header must be padded to a multiple of it."""

    def chunks(self, header: bytes = b"") -> list[BytesLike]:
        """The file as chunks, with `header` between the identifier and the body."""
        if len(header) % self.alignment:
            raise ValueError(f"a header of {len(header)} bytes breaks the alignment to {self.alignment}")
        return [_U32.pack(self.root + len(header)) + self.identifier + header, *self.body]

    def tobytes(self) -> bytes:
        """The file in one piece."""
        return b"".join(self.chunks())


@dataclass(slots=True)
class Writer:
    """Collects a buffer from its end to its beginning.

    References are counted in bytes from the end of the buffer; 0 stands for "absent", which is no valid
    reference because nothing begins at the end.
    """

    alignments: Mapping[str, int] = field(default_factory=dict)
    """Overrides of the schema's force_align by field, such as `{"Buffer.storage": 64}`."""
    _chunks: list[BytesLike] = field(default_factory=list)
    _size: int = 0
    _alignment: int = 4
    _vtables: dict[bytes, int] = field(default_factory=dict)

    def _push(self, chunk: BytesLike, alignment: int, phase: int = 0) -> int:
        """Puts `chunk` in front with its first byte at `phase` modulo `alignment`; returns its reference."""
        pad = -(self._size + len(chunk) + phase) % alignment
        if pad:
            self._chunks.append(_ZEROS[:pad] if pad <= 64 else bytes(pad))
        self._chunks.append(chunk)
        self._size += pad + len(chunk)
        if alignment > self._alignment:
            self._alignment = alignment
        return self._size

    def table(self, layout: TableLayout, values: Sequence[Any]) -> int:
        """Writes a table. `values` has one entry for each slot; references are given as references."""
        present = tuple(i for i, default in enumerate(layout.defaults) if values[i] != default)
        for slot in layout.float_slots:
            # -0.0 equals the default 0.0 but is another number.
            if values[slot] == 0 and copysign(1, values[slot]) < 0:
                present = tuple(sorted({*present, slot}))
        plan = layout.plan(present)
        size = self._size + plan.packer.size
        start = size + -(size + plan.phase) % plan.alignment
        vtable_at = self._vtables.get(plan.vtable)
        is_new = vtable_at is None
        if vtable_at is None:
            vtable_at = start + len(plan.vtable)
        arguments = [vtable_at - start, *(values[slot] for slot in plan.scalars)]
        for argument, offset in plan.references:
            arguments[argument] = start - offset - arguments[argument]
        try:
            chunk = plan.packer.pack(*arguments)
        except (struct.error, TypeError) as error:
            layout.blame(values, error)
        self._push(chunk, plan.alignment, plan.phase)
        if is_new:
            self._vtables[plan.vtable] = self._push(plan.vtable, 2)
        return start

    def string(self, text: str | None) -> int:
        """Writes a string."""
        if text is None:
            return 0
        data = text.encode()
        return self._push(_U32.pack(len(data)) + data + b"\0" * (1 + padding(len(data) + 1, 4)), 4)

    def scalars(self, kind: str, items: Sequence[Any] | None, name: str) -> int:
        """Writes a vector of scalars; `kind` is a `struct` format character."""
        if items is None:
            return 0
        try:
            data = struct.pack(f"<{len(items)}{kind}", *items)
        except (struct.error, TypeError) as error:
            raise FormatError(f"{name}: the elements do not fit the vector ({error})") from None
        self._push(data, max(4, struct.calcsize(kind)))
        return self._push(_U32.pack(len(items)), 4)

    def blob(self, data: BytesLike | None, alignment: int, name: str) -> int:
        """Writes a vector of bytes by reference; its first byte is aligned in the file."""
        if data is None:
            return 0
        view = memoryview(data).cast("B")
        self._push(view, max(4, self.alignments.get(name, alignment)))
        return self._push(_U32.pack(len(view)), 4)

    def tables(self, write: Callable[[Writer, Any], int], items: Sequence[Any] | None) -> int:
        """Writes a vector of tables (or strings), each with `write`."""
        if items is None:
            return 0
        # Back to front, so that the first element also comes first in the file.
        references = [write(self, item) for item in reversed(items)]
        end = self._size + padding(self._size, 4)
        references = [end + 4 * (i + 1) - reference for i, reference in enumerate(references)]
        references.reverse()
        return self._push(struct.pack(f"<{1 + len(references)}I", len(references), *references), 4)

    def finish(self, root: int, identifier: str) -> Message:
        """Closes the buffer.

        Raises:
            FormatError: the buffer exceeds the 2 GiB that the format can address.
        """
        front = 4 + len(identifier)
        pad = padding(self._size + front, self._alignment)
        if pad:
            self._chunks.append(bytes(pad))
        total = self._size + pad + front
        if total > _MAX_BYTES:
            raise FormatError(
                f"{total} bytes exceed the 2 GiB of a flatbuffer; move large data into segments"
            )
        return Message(identifier.encode(), total - root, _joined(self._chunks[::-1]), total, self._alignment)


def _joined(chunks: Sequence[BytesLike]) -> list[BytesLike]:
    """The chunks with runs of small ones put together; large payloads stay by themselves."""
    result: list[BytesLike] = []
    run: list[BytesLike] = []
    for chunk in chunks:
        if len(chunk) < _LARGE:
            run.append(chunk)
            continue
        if run:
            result.append(b"".join(run))
            run = []
        result.append(chunk)
    return [*result, b"".join(run)] if run else result


# --- Reading ----------------------------------------------------------------------------------------------


class Reader:
    """Cursor-free access to a buffer; positions count from its first byte, 0 stands for "absent"."""

    def __init__(self, data: BytesLike) -> None:
        self.data = memoryview(data).cast("B")
        # Each byte is normally read once; a vtable or a string may be shared.
        self._budget = 64 * len(self.data) + 4096

    def _fail(self, what: str, at: int) -> NoReturn:
        raise FormatError(
            f"{what} at byte {at} reaches beyond the end of the buffer ({len(self.data)} bytes)"
        )

    def _spend(self, amount: int) -> None:
        self._budget -= amount
        if self._budget < 0:
            raise FormatError("the buffer refers to the same bytes over and over")

    def _u32(self, at: int, what: str) -> int:
        try:
            value: int = _U32.unpack_from(self.data, at)[0]
        except struct.error:
            self._fail(what, at)
        return value

    def root(self, identifier: str) -> int:
        """Position of the root table, after a check of the file identifier."""
        found = bytes(self.data[4:8])
        if found != identifier.encode():
            raise FormatError(
                f"expected the file identifier {identifier!r} at byte 4, found {found!r}"
                + ("" if len(self.data) >= 8 else f" (the buffer has {len(self.data)} bytes)")
            )
        return self._u32(0, "the root offset")

    def fields(self, table: int, slots: int) -> tuple[int, ...]:
        """Position of each field of a table, one entry for each of `slots`."""
        try:
            vtable = table - _I32.unpack_from(self.data, table)[0]
            if vtable < 0:
                raise FormatError(f"the table at byte {table} has its vtable before the buffer ({vtable})")
            vtable_size, table_size = _U16X2.unpack_from(self.data, vtable)
            count = min(slots, max(0, vtable_size // 2 - 2))
            offsets = struct.unpack_from(f"<{count}H", self.data, vtable + 4)
        except struct.error:
            self._fail("the table", table)
        if table + table_size > len(self.data):
            self._fail(f"the table of {table_size} bytes", table)
        self._spend(8 + 2 * count)
        positions = tuple(table + offset if offset else 0 for offset in offsets)
        return positions + (0,) * (slots - count)

    def scalar(self, kind: struct.Struct, at: int, default: Any) -> Any:
        """A scalar field."""
        if not at:
            return default
        try:
            return kind.unpack_from(self.data, at)[0]
        except struct.error:
            self._fail("a field", at)

    def enum(self, kind: struct.Struct, at: int, cls: type[E], default: E) -> E:
        """A field of an enum type."""
        if not at:
            return default
        value = self.scalar(kind, at, default)
        try:
            return cls(value)
        except ValueError:
            raise FormatError(f"unknown value {value} of enum {cls.__name__} at byte {at}") from None

    def follow(self, at: int) -> int:
        """Where the reference at a position leads; 0 for an absent one."""
        return at + self._u32(at, "a reference") if at else 0

    def string(self, at: int) -> str | None:
        """The string that the field at a position refers to."""
        data = self.blob(at)
        if data is None:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"the string at byte {self.follow(at)} is not UTF-8 ({error.reason})") from None

    def _vector(self, at: int, width: int) -> tuple[int, int]:
        """(position of the first element, number of elements)"""
        start = self.follow(at)
        count = self._u32(start, "a vector")
        if start + 4 + count * width > len(self.data):
            self._fail(f"a vector of {count} elements of {width} bytes", start)
        self._spend(4 + count * width)
        return start + 4, count

    def scalars(self, kind: str, at: int) -> list[Any] | None:
        """The vector of scalars that the field at a position refers to."""
        if not at:
            return None
        start, count = self._vector(at, struct.calcsize(kind))
        return list(struct.unpack_from(f"<{count}{kind}", self.data, start))

    def blob(self, at: int) -> bytes | None:
        """The vector of bytes that the field at a position refers to."""
        if not at:
            return None
        start, count = self._vector(at, 1)
        return bytes(self.data[start : start + count])

    def tables(self, at: int) -> list[int]:
        """Positions of the tables in the vector that the field at a position refers to; empty if absent."""
        if not at:
            return []
        start, count = self._vector(at, 4)
        references = struct.unpack_from(f"<{count}I", self.data, start)
        return [start + 4 * i + reference for i, reference in enumerate(references)]
