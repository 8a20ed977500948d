"""Generates the Python module of a schema: one dataclass for each table, readers and writers.

    python -m executorch.schema.codegen.generate program.bfbs program.py

The .bfbs comes from `flatc -b --schema --bfbs-comments --bfbs-builtins --bfbs-filenames DIRECTORY`, where
DIRECTORY holds the schemas. Runs at build time only.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator

from executorch.schema.codegen import reflection
from executorch.schema.codegen.reflection import (
    OBJECT,
    SCALARS,
    STRING,
    UNION,
    UTYPE,
    VECTOR,
    Enum,
    EnumValue,
    Field,
    Object,
    Schema,
)

KIND_NAMES = {"?": "bool"}
PYTHON_TYPES = {"bool": "bool", "float": "float", "double": "float"}
WIDTH = 110


def bare(name: str) -> str:
    """The name without its namespace."""
    return name.rpartition(".")[2]


def snake(name: str) -> str:
    """`FlatTensor` -> `flat_tensor`."""
    marked = [("_" if i and c.isupper() and name[i - 1].islower() else "") + c for i, c in enumerate(name)]
    return "".join(marked).lower()


def docstring(comment: str, indent: int) -> Iterator[str]:
    """A comment of the schema as a docstring."""
    if not comment:
        return
    space = " " * indent
    lines = comment.split("\n")
    if len(lines) == 1 and len(lines[0]) + indent + 6 <= WIDTH:
        yield f'{space}"""{lines[0]}"""'
        return
    paragraphs = [f'"""{lines[0]}', *lines[1:], '"""']
    yield from (space + line if line else "" for line in paragraphs)


class Generator:
    """Writes one module. Tables and enums of included schemas are imported from their own modules."""

    def __init__(self, schema: Schema, file: str) -> None:
        """`file`: name of the schema's source file as the compiled schema spells it, such as `//program.fbs`."""
        self.schema = schema
        self.file = file
        self.enums = [enum for enum in schema.enums if enum.file == file]
        self.objects = self._in_order([item for item in schema.objects if item.file == file])
        self._aliased = {
            schema.objects[value.index].name
            for enum in self.enums
            if enum.is_union
            for value in enum.values
            if self._is_alias(value)
        }

    def _in_order(self, objects: list[Object]) -> list[Object]:
        """Tables after the tables that they refer to, so that a default can construct them."""
        done: dict[str, Object] = {}
        mine = {item.name: item for item in objects}

        def visit(item: Object) -> None:
            if item.name in done or item.name not in mine:
                return
            for field in item.fields:
                for child in self._referred(field):
                    visit(child)
            done[item.name] = item

        for item in objects:
            visit(item)
        return list(done.values())

    def _referred(self, field: Field) -> list[Object]:
        kind = field.type
        if kind.base == UNION:
            members = self.schema.enums[kind.index].values
            return [self.schema.objects[member.index] for member in members if member.value]
        if OBJECT in (kind.base, kind.element):
            return [self.schema.objects[kind.index]]
        return []

    # Types and defaults.

    def _enum_of(self, field: Field) -> Enum | None:
        is_number = field.type.base in SCALARS
        return self.schema.enums[field.type.index] if is_number and field.type.index >= 0 else None

    def _is_blob(self, field: Field) -> bool:
        return field.type.base == VECTOR and "blob" in field.attributes

    def _fields(self, item: Object) -> list[Field]:
        """The fields a user sees: all but the type fields of unions."""
        return [field for field in item.fields if field.type.base != UTYPE]

    def _scalar_type(self, base: int) -> str:
        return PYTHON_TYPES.get(SCALARS[base][0], "int")

    def _annotation(self, field: Field) -> str:
        kind = field.type
        enum = self._enum_of(field)
        if enum is not None:
            text = bare(enum.name)
        elif kind.base in SCALARS:
            text = self._scalar_type(kind.base)
        elif kind.base == STRING:
            text = "str"
        elif kind.base == UNION:
            return bare(self.schema.enums[kind.index].name) + " | None"
        elif kind.base == OBJECT:
            text = bare(self.schema.objects[kind.index].name)
        elif self._is_blob(field):
            text = "bytes"
        else:
            text = f"list[{self._element(field)}]"
        return text + (" | None" if "nullable" in field.attributes else "")

    def _element(self, field: Field) -> str:
        if field.type.element == OBJECT:
            return bare(self.schema.objects[field.type.index].name)
        return "str" if field.type.element == STRING else self._scalar_type(field.type.element)

    def _default(self, field: Field) -> str:
        kind = field.type
        if "nullable" in field.attributes or kind.base == UNION:
            return "None"
        enum = self._enum_of(field)
        if enum is not None:
            name = next(value.name for value in enum.values if value.value == field.default_integer)
            return f"{bare(enum.name)}.{name}"
        if kind.base in SCALARS:
            python_type = self._scalar_type(kind.base)
            default = field.default_real if python_type == "float" else field.default_integer
            return repr(bool(default) if python_type == "bool" else default)
        if kind.base == STRING:
            return '""'
        if self._is_blob(field):
            return 'b""'
        factory = bare(self.schema.objects[kind.index].name) if kind.base == OBJECT else "list"
        return f"field(default_factory={factory})"

    # The module.

    def module(self) -> str:
        """The source text of the module."""
        sections = [self._head(), *(self._enum(enum) for enum in self.enums if not enum.is_union)]
        for item in self.objects:
            for field in item.fields:
                if field.type.base == UNION:
                    enum = self.schema.enums[field.type.index]
                    sections += [self._alias(value) for value in enum.values if self._is_alias(value)]
                    sections.append(self._union(enum))
            sections.append(self._dataclass(item))
        if self.objects:
            sections.append(self._aligned())
        for item in self.objects:
            for field in item.fields:
                if field.type.base == UNION:
                    sections.append(self._union_tables(self.schema.enums[field.type.index]))
            sections += [self._layout(item), self._writer(item), self._reader(item)]
        if self.schema.root is not None and self.schema.root.file == self.file:
            sections.append(self._entry_points(self.schema.root))
        return "\n\n\n".join("\n".join(section) for section in sections) + "\n"

    def _head(self) -> Iterator[str]:
        has_union = any(enum.is_union for enum in self.enums)
        has_enum = any(not enum.is_union for enum in self.enums)
        yield "# fmt: off"
        yield f'"""The objects of `{self.file.rpartition("/")[2]}`: made from it at build time, not to be edited."""'
        yield ""
        yield "from __future__ import annotations"
        yield ""
        if self.objects:
            yield "import struct"
            yield from ["from collections.abc import Callable"] if has_union else []
            yield "from dataclasses import dataclass, field"
        yield from ["from enum import IntEnum"] if has_enum else []
        yield from ["from functools import partial"] if self._aliased else []
        if not self.objects:
            return
        yield from ["from typing import Any"] if has_union else []
        yield ""
        foreign: dict[str, list[str]] = {}
        for enum in self.schema.enums:
            if enum.file != self.file:
                foreign.setdefault(enum.file, []).append(bare(enum.name))
        for file, names in sorted(foreign.items()):
            module = pathlib.PurePosixPath(file.removeprefix("//")).stem
            yield f"from executorch.schema.{module} import {', '.join(sorted(names))}"
        error = "FormatError, " if has_union else ""
        yield f"from executorch.schema.wire import BytesLike, {error}Message, Reader, TableLayout, Writer"
        yield from self._constants()

    def _constants(self) -> Iterator[str]:
        if self.schema.root is not None and self.schema.root.file == self.file:
            yield ""
            yield f'FILE_IDENTIFIER = "{self.schema.identifier}"'
            yield f'FILE_EXTENSION = "{self.schema.extension}"'
        yield ""
        bases = {field.type.base for item in self.objects for field in item.fields}
        kinds = {
            SCALARS[4 if base == UTYPE else base][1] for base in bases if base == UTYPE or base in SCALARS
        }
        for kind in sorted(kinds):
            yield f'_{KIND_NAMES.get(kind, kind)} = struct.Struct("<{kind}")'

    def _enum(self, enum: Enum) -> Iterator[str]:
        yield f"class {bare(enum.name)}(IntEnum):"
        yield from docstring(enum.comment or f"Values of `{bare(enum.name)}`.", 4)
        yield ""
        for value in enum.values:
            yield f"    {value.name} = {value.value}"
            yield from docstring(value.comment, 4)

    def _is_alias(self, value: EnumValue) -> bool:
        """Whether a member of a union has a name of its own for a table that it shares with others."""
        return bool(value.value) and value.name != bare(self.schema.objects[value.index].name)

    def _alias(self, value: EnumValue) -> Iterator[str]:
        table = bare(self.schema.objects[value.index].name)
        yield "@dataclass(slots=True)"
        yield f"class {value.name}({table}):"
        yield from docstring(value.comment or f"A `{table}` as member {value.value} of its union.", 4)

    def _union(self, enum: Enum) -> Iterator[str]:
        members = [value.name for value in enum.values if value.value]
        yield f"{bare(enum.name)} = ("
        yield f"    {members[0]}"
        yield from (f"    | {member}" for member in members[1:])
        yield ")"
        yield from docstring(enum.comment, 0)

    def _dataclass(self, item: Object) -> Iterator[str]:
        name = bare(item.name)
        yield "@dataclass(slots=True)"
        yield f"class {name}:"
        yield from docstring(item.comment or f"The table `{name}`.", 4)
        fields = self._fields(item)
        if fields:
            yield ""
        for field in fields:
            yield f"    {field.name}: {self._annotation(field)} = {self._default(field)}"
            yield from docstring(field.comment, 4)
        names = {field.name for field in fields}
        for low in sorted(names):
            stem = low.removesuffix("_low")
            if stem != low and f"{stem}_high" in names:
                yield from self._joined(stem)

    def _joined(self, stem: str) -> Iterator[str]:
        """A 64-bit number that the schema splits into halves, as one property."""
        yield ""
        yield "    @property"
        yield f"    def {stem}(self) -> int:"
        yield f'        """Both halves of the {stem.replace("_", " ")} as one number."""'
        yield f"        return self.{stem}_high << 32 | self.{stem}_low"

    def _aligned(self) -> Iterator[str]:
        yield "FORCE_ALIGN: dict[str, int] = {"
        for item in self.objects:
            for field in item.fields:
                if "force_align" in field.attributes:
                    yield f'    "{bare(item.name)}.{field.name}": {field.attributes["force_align"]},'
        yield "}"
        yield '"""Alignment in bytes of the payloads that have one; writing takes overrides by the same keys."""'

    def _union_tables(self, enum: Enum) -> Iterator[str]:
        name = bare(enum.name)
        members = [
            (value, bare(self.schema.objects[value.index].name)) for value in enum.values if value.value
        ]
        yield f"_{name}_WRITERS: dict[type, tuple[int, Callable[[Writer, Any], int]]] = {{"
        yield from (f"    {value.name}: ({value.value}, _write_{table})," for value, table in members)
        yield "}"
        yield f"_{name}_READERS: dict[int, Callable[[Reader, int], Any]] = {{"
        for value, table in members:
            made = f"partial(_read_{table}, made={value.name})" if self._is_alias(value) else f"_read_{table}"
            yield f"    {value.value}: {made},"
        yield "}"

    def _layout(self, item: Object) -> Iterator[str]:
        yield f"_{bare(item.name)}_LAYOUT = TableLayout("
        yield f'    "{bare(item.name)}",'
        yield "    ("
        for field in item.fields:
            if field.type.base == UTYPE:
                kind, default = "B", "0"
            elif field.type.base in SCALARS:
                kind = SCALARS[field.type.base][1]
                is_real = kind in "fd"
                default = repr(field.default_real if is_real else field.default_integer)
                default = repr(bool(field.default_integer)) if kind == "?" else default
            else:
                kind, default = "O", "0"
            yield f'        ("{field.name}", "{kind}", {default}),'
        yield "    ),"
        yield ")"

    def _writer(self, item: Object) -> Iterator[str]:
        name = bare(item.name)
        yield f"def _write_{name}(writer: Writer, item: {name}) -> int:"
        values = []
        for field in item.fields:
            kind, attribute = field.type, f"item.{field.name}"
            variable = f"{field.name}_at"
            values.append(attribute if kind.base in SCALARS else variable)
            label = f'"{name}.{field.name}"'
            if kind.base == UTYPE:
                values[-1] = f"{field.name}_"
            elif kind.base == UNION:
                yield from self._union_writer(field, name)
            elif kind.base == STRING:
                yield f"    {variable} = writer.string({attribute})"
            elif kind.base == OBJECT:
                child = bare(self.schema.objects[kind.index].name)
                yield f"    {variable} = 0 if {attribute} is None else _write_{child}(writer, {attribute})"
            elif self._is_blob(field):
                alignment = field.attributes.get("force_align", "1")
                yield f"    {variable} = writer.blob({attribute}, {alignment}, {label})"
            elif kind.base == VECTOR and kind.element == OBJECT:
                child = bare(self.schema.objects[kind.index].name)
                yield f"    {variable} = writer.tables(_write_{child}, {attribute})"
            elif kind.base == VECTOR and kind.element in SCALARS:
                yield f'    {variable} = writer.scalars("{SCALARS[kind.element][1]}", {attribute}, {label})'
            elif kind.base not in SCALARS:
                raise NotImplementedError(f"{label}: no writer for fields of this type")
        inner = ", ".join(values) + ("," if len(values) == 1 else "")
        yield f"    return writer.table(_{name}_LAYOUT, ({inner}))"

    def _union_writer(self, field: Field, name: str) -> Iterator[str]:
        enum = bare(self.schema.enums[field.type.index].name)
        yield f"    if item.{field.name} is None:"
        yield f"        {field.name}_type_ = {field.name}_at = 0"
        yield "    else:"
        yield f"        found = _{enum}_WRITERS.get(type(item.{field.name}))"
        yield "        if found is None:"
        yield f'            raise FormatError(f"{name}.{field.name}: no member of {enum}: {{item.{field.name}!r}}")'
        yield f"        {field.name}_type_ = found[0]"
        yield f"        {field.name}_at = found[1](writer, item.{field.name})"

    def _reader(self, item: Object) -> Iterator[str]:
        name = bare(item.name)
        made = name
        if item.name in self._aliased:
            made = "made"
            yield f"def _read_{name}(reader: Reader, at: int, made: type[{name}] = {name}) -> {name}:"
        else:
            yield f"def _read_{name}(reader: Reader, at: int) -> {name}:"
        if not self._fields(item):
            yield "    reader.fields(at, 0)"
            yield f"    return {made}()"
            return
        yield f"    fields = reader.fields(at, {max(field.slot for field in item.fields) + 1})"
        for field in item.fields:
            if field.type.base == UNION:
                yield from self._union_reader(field, name)
        yield f"    return {made}("
        for field in self._fields(item):
            yield f"        {field.name}={self._read_expression(field)},"
        yield "    )"

    def _union_reader(self, field: Field, name: str) -> Iterator[str]:
        enum = bare(self.schema.enums[field.type.index].name)
        kind, value = f"fields[{field.slot - 1}]", f"fields[{field.slot}]"
        yield f"    {field.name}_type = reader.scalar(_B, {kind}, 0)"
        yield f"    {field.name}: {enum} | None = None"
        yield f"    if {field.name}_type and {value}:"
        yield f"        if {field.name}_type not in _{enum}_READERS:"
        yield f'            raise FormatError(f"{name}.{field.name}: unknown type {{{field.name}_type}} at byte {{at}}")'
        yield f"        {field.name} = _{enum}_READERS[{field.name}_type](reader, reader.follow({value}))"

    def _read_expression(self, field: Field) -> str:
        kind, at = field.type, f"fields[{field.slot}]"
        empty = "" if "nullable" in field.attributes else f" or {self._default(field)}"
        enum = self._enum_of(field)
        if kind.base == UNION:
            return field.name
        character = SCALARS[kind.base][1] if kind.base in SCALARS else ""
        struct_name = f"_{KIND_NAMES.get(character, character)}"
        if enum is not None:
            return f"reader.enum({struct_name}, {at}, {bare(enum.name)}, {self._default(field)})"
        if kind.base in SCALARS:
            return f"reader.scalar({struct_name}, {at}, {self._default(field)})"
        if kind.base == STRING:
            return f"reader.string({at}){empty}"
        if kind.base == OBJECT:
            child = bare(self.schema.objects[kind.index].name)
            absent = "None" if "nullable" in field.attributes else f"{child}()"
            return f"_read_{child}(reader, reader.follow({at})) if {at} else {absent}"
        if self._is_blob(field):
            return f"reader.blob({at}){empty}"
        if kind.element == OBJECT:
            child = bare(self.schema.objects[kind.index].name)
            if empty:
                return f"[_read_{child}(reader, i) for i in reader.tables({at})]"
            return f"[_read_{child}(reader, i) for i in reader.tables({at})] if {at} else None"
        if empty:
            empty = " or []"
        return f'reader.scalars("{SCALARS[kind.element][1]}", {at}){empty}'

    def _entry_points(self, root: Object) -> Iterator[str]:
        name = bare(root.name)
        function = snake(name)
        yield f"def write_{function}(root: {name}, alignments: dict[str, int] | None = None) -> Message:"
        yield f'    """Writes a `{name}`. Payloads are referred to, so they must not change before the chunks are used.'
        yield ""
        yield "    Args:"
        yield "        alignments: overrides of `FORCE_ALIGN`, in bytes, powers of two."
        yield ""
        yield "    Raises:"
        yield "        FormatError: a value does not fit its field."
        yield '    """'
        yield "    writer = Writer(alignments={**FORCE_ALIGN, **(alignments or {})})"
        yield f"    return writer.finish(_write_{name}(writer, root), FILE_IDENTIFIER)"
        yield ""
        yield ""
        yield f"def read_{function}(data: BytesLike) -> {name}:"
        yield f'    """Reads a `{name}` from a buffer that begins with the root offset.'
        yield ""
        yield "    Raises:"
        yield "        FormatError: the buffer is not what the schema says; the message names the place."
        yield '    """'
        yield "    reader = Reader(data)"
        yield f"    return _read_{name}(reader, reader.root(FILE_IDENTIFIER))"


def generate(data: bytes, source: str) -> str:
    """The Python module for a compiled schema.

    Args:
        data: the compiled schema.
        source: file name of the schema, such as `program.fbs`.
    """
    schema = reflection.load(data)
    files = [item.file for item in schema.objects] + [item.file for item in schema.enums]
    file = next((name for name in files if name.rpartition("/")[2] == source), None)
    if file is None:
        raise ValueError(f"the compiled schema declares nothing in {source}")
    return Generator(schema, file).module()


def main() -> int:
    """Command line: COMPILED_SCHEMA OUTPUT."""
    compiled, output = map(pathlib.Path, sys.argv[1:])
    output.write_text(generate(compiled.read_bytes(), compiled.stem + ".fbs"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
