"""The compiled schemas have the slots, types, defaults and numbers of the published formats."""

import pathlib

import pytest

import executorch.schema
from executorch.schema.codegen import reflection
from executorch.schema.codegen.reflection import OBJECT, SCALARS, STRING, UNION, UTYPE, VECTOR

_VECTORS = pathlib.Path(__file__).parent / "testdata" / "slots.txt"
_SCHEMAS = ["scalar_type", "program", "flat_tensor", "bundled_program", "etdump"]


def compiled(name: str) -> reflection.Schema:
    """A compiled schema; Bazel puts it beside the sources or into its own tree."""
    files = [pathlib.Path(directory) / f"{name}.bfbs" for directory in executorch.schema.__path__]
    return reflection.load(next(file for file in files if file.exists()).read_bytes())


def expected(name: str) -> list[str]:
    lines = [line for line in _VECTORS.read_text().splitlines() if line and not line.startswith("#")]
    start = lines.index(f"schema {name}") + 1
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("schema ")), len(lines))
    return lines[start:end]


def bare(name: str) -> str:
    return name.rpartition(".")[2]


def field_line(schema: reflection.Schema, field: reflection.Field) -> str:
    kind, default = field.type, ""
    if kind.base in SCALARS:
        enum = schema.enums[kind.index] if kind.index >= 0 else None
        text = bare(enum.name) if enum else SCALARS[kind.base][0]
        number = field.default_real or field.default_integer
        default = f"={number}" if number else ""
    elif kind.base == STRING:
        text = "string"
    elif kind.base == OBJECT:
        text = bare(schema.objects[kind.index].name)
    elif kind.base == UNION:
        text = "union_" + bare(schema.enums[kind.index].name)
    else:
        assert kind.base == VECTOR
        element = (
            bare(schema.objects[kind.index].name) if kind.element == OBJECT else SCALARS[kind.element][0]
        )
        text = f"[{element}]"
    alignment = f"@{field.attributes['force_align']}" if "force_align" in field.attributes else ""
    return f"{field.slot}:{field.name}:{text}{default}{alignment}"


def described(name: str, schema: reflection.Schema) -> set[str]:
    lines = set()
    for enum in schema.enums:
        if enum.file.rpartition("/")[2] != f"{name}.fbs":
            continue
        head = (
            f"union {bare(enum.name)}:"
            if enum.is_union
            else f"enum {bare(enum.name)}:{SCALARS[enum.base][0]}:"
        )
        lines.add(" ".join([head, *(f"{value.name}={value.value}" for value in enum.values)]))
    for item in schema.objects:
        fields = [field_line(schema, field) for field in item.fields if field.type.base != UTYPE]
        lines.add(" ".join([f"table {bare(item.name)}:", *fields]))
    return lines


@pytest.mark.parametrize("name", _SCHEMAS)
def test_compiled_schema_matches_the_published_format(name):
    schema = compiled(name)
    file, *items = expected(name)
    assert described(name, schema) == set(items)
    namespace, identifier, extension, root = ["" if word == "-" else word for word in file.split()[1:]]
    assert (schema.identifier, schema.extension) == (identifier, extension)
    assert (schema.root.name if schema.root else "") == (f"{namespace}.{root}" if root else "")


def test_a_union_has_its_type_in_the_slot_before():
    schema = compiled("program")
    evalue = next(item for item in schema.objects if bare(item.name) == "EValue")
    assert [(field.name, field.slot, field.type.base) for field in evalue.fields] == [
        ("val_type", 0, UTYPE),
        ("val", 1, UNION),
    ]


def test_union_members_are_the_tables_of_their_names():
    schema = compiled("program")
    for enum in schema.enums:
        for value in enum.values if enum.is_union else []:
            if value.value:
                assert bare(schema.objects[value.index].name) == value.name
