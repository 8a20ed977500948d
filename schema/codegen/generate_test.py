"""The generator: what a schema's tables, enums, unions and comments become."""

import ast

import pytest

import executorch.schema
from executorch.schema.codegen import generate, reflection


@pytest.fixture(scope="module")
def compiled():
    import pathlib

    files = [pathlib.Path(directory) / "program.bfbs" for directory in executorch.schema.__path__]
    return next(file for file in files if file.exists()).read_bytes()


def test_the_module_is_valid_and_complete(compiled):
    text = generate.generate(compiled, "program.fbs")
    tree = ast.parse(text)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    schema = reflection.load(compiled)
    tables = {item.name.rpartition(".")[2] for item in schema.objects}
    enums = {enum.name.rpartition(".")[2] for enum in schema.enums if not enum.is_union}
    assert classes == tables | (enums - {"ScalarType"})


def test_generation_is_deterministic(compiled):
    assert generate.generate(compiled, "program.fbs") == generate.generate(compiled, "program.fbs")


def test_comments_become_docstrings(compiled):
    tree = ast.parse(generate.generate(compiled, "program.fbs"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            assert ast.get_docstring(node), node.name


def test_an_unknown_source_is_refused(compiled):
    with pytest.raises(ValueError, match=r"declares nothing in other\.fbs"):
        generate.generate(compiled, "other.fbs")


def test_other_files_are_refused():
    with pytest.raises(ValueError, match="BFBS"):
        reflection.load(b"\0\0\0\0ET12")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Program", "program"), ("FlatTensor", "flat_tensor"), ("ETDump", "etdump")],
)
def test_snake(name, expected):
    assert generate.snake(name) == expected
