"""Concepts that the house writes once, and where they are defined: a table of patterns, read by the report.

A definition is a function, a method, a class, or a value that a module or a class assigns. It is one of a concept when its
name and its source match the concept's two patterns. Definitions in different files count as different; several in one file
are one room's. Tests and rooms for published names are not read.

What a pattern cannot know: a second implementation under a name that says something else. Whoever finds one adds its
pattern here, with a line in ``concepts_test.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Concept:
    """One thing to write once.

    Attributes:
        name: the field's term.
        named: what the definition's name matches, from its beginning.
        has: what its source matches somewhere; empty for anything.
        kinds: of definitions that count: ``function``, ``class``, ``value``.
        decided: file -> why its definition stands beside the one; these do not count as a second.
    """

    name: str
    named: str
    has: str = ""
    kinds: tuple[str, ...] = ("function",)
    decided: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Definition:
    """Where something is defined."""

    path: str
    line: int
    name: str
    kind: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}"


CONCEPTS = (
    Concept("program clone", r"_?(clone|copy)_(graph_module|(exported_)?program)$"),
    Concept(
        "what is mutated",
        r"(?!create_)\w*",
        # Sets and mappings made of the signature's mutations.
        r"\{[^{}]*\bfor \w+ in (state_)?mutations\(|\.\w+s_to_mutate\b",
    ),
    Concept("what is trained", r"\w*", r"\bis OutputKind\.GRADIENT_TO_PARAMETER|\.gradients_to_parameters"),
    Concept(
        "what is constant",
        r"\w*(STATE|CONSTANT|state|constant|param|buffer)\w*",
        r"InputKind\.PARAMETER, InputKind\.BUFFER|inputs_to_lifted_tensor_constants",
        ("function", "value"),
    ),
    Concept(
        "adding a constant", r"\w*", r"InputSpec\(\s*(kind|InputKind\.(PARAMETER|BUFFER|CONSTANT_TENSOR))\b"
    ),
    Concept("value refresh", r"_?(refresh|update|recompute)_(values?|vals?)$"),
    Concept(
        "batch-norm folding",
        r"\w*(fuse|fold|compute_w)\w*",
        r"fuse_conv_bn_weights\(|\br?sqrt\((running_)?var(iance)?\b",
    ),
    Concept(
        "linear recovery", r"_?(to_linear|fuse\w*|recover_linear\w*)$", r"\b_LINEAR\b|aten\.linear\.default"
    ),
    Concept(
        "clone removal",
        r"\w*RemoveClone\w*$|RemoveNoopPass$",
        r"def (call|rewrite(_node|_graph)?)\b",
        ("class",),
    ),
    Concept(
        "pass bases",
        # Not what is a face of `GraphPass` under a name that published code derives from, nor `ExportPass`, the documented
        # base for users' passes, which builds a graph anew instead of editing it.
        r"(\w*PassBase|NodePass|GraphPass|Graph\w*Rewrite|XNNPACKPass|\w+PassInterface)$",
        r"\Aclass \w+\((?![^)]*(GraphPass|PassInterface)\b)",
        ("class",),
    ),
    Concept(
        "serializers of edge programs",
        r"_?(serialize|save|write|pack)\w*$",
        r"serde\.serialize\(|export\.save\(",
    ),
    Concept(
        "code generators' schema models",
        r"parse_(schema|et_yaml|native_functions?)$",
        decided={"kernels/codegen/schema.py": "docs/decisions/functions-yaml.md"},
    ),
    Concept(
        "ScalarType tables",
        r"(?!\w*TENSOR_DTYPES)_?[A-Z_]+$|ScalarType$",
        r"""(?s)(?=.*\b(Short|SHORT|int16)[\"']?(:| =|,\n))(?=.*\b(Double|DOUBLE|float64)\b)(?=.*\b(Bool|BOOL|bool)\b)""",
        ("value", "class"),
        decided={
            "kernels/coverage.py": "headings of the types that the tool measures, which are torch's",
            "runtime/python/api.py": "its wheel has no schema; api_test holds it to the schema's table",
        },
    ),
    Concept("reshape tables", r"_?\w*(RESHAPES|VIEWS|VIEW_TO_COPY|SQUEEZES)$", r"view|squeeze", ("value",)),
)


def definitions(path: str, text: str) -> Iterator[Definition]:
    """The definitions of a Python file: of the module and of its classes, not those inside functions."""

    def walk(body: Iterable[ast.stmt]) -> Iterator[Definition]:
        for node in body:
            kind, names = _named(node)
            source = ast.get_source_segment(text, node) or "" if names else ""
            for name in names:
                yield Definition(path, node.lineno, name, kind, source)
            if isinstance(node, ast.ClassDef):
                yield from walk(node.body)

    yield from walk(ast.parse(text, path).body)


def _named(node: ast.stmt) -> tuple[str, list[str]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return "function", [node.name]
    if isinstance(node, ast.ClassDef):
        return "class", [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return "value", [target.id for target in targets if isinstance(target, ast.Name)]


def is_one(concept: Concept, definition: Definition) -> bool:
    """Whether the definition is one of the concept."""
    return (
        definition.kind in concept.kinds
        and re.match(concept.named, definition.name) is not None
        and re.search(concept.has, definition.source) is not None
    )


def find(files: Iterable[tuple[str, str]]) -> dict[str, list[Definition]]:
    """The definitions of each concept.

    Args:
        files: path and text of Python files.
    """
    found: dict[str, list[Definition]] = {concept.name: [] for concept in CONCEPTS}
    for path, text in files:
        for definition in definitions(path, text):
            for concept in CONCEPTS:
                if is_one(concept, definition):
                    found[concept.name].append(definition)
    return found


def defined_twice(found: dict[str, list[Definition]]) -> list[str]:
    """The concepts that more than one file defines, those not counted that were decided on."""
    decided = {concept.name: concept.decided for concept in CONCEPTS}
    return [
        name
        for name, places in found.items()
        if len({place.path for place in places} - decided[name].keys()) > 1
    ]
