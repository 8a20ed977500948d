"""Text that every machine with Python has: the language's reference, and the docstrings of its standard library (PSF licence)."""

from __future__ import annotations

import ast
import importlib
import itertools
import pathlib
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass

#: Every so many documents one is held out.
_HELD_OUT = 20

#: The least characters of a document out of the reference, whose topics are long.
_PART = 600

#: Not documentation: tests, what was installed beside the library, tools with words of their own.
_LEFT_OUT = {
    "__pycache__",
    "test",
    "tests",
    "site-packages",
    "dist-packages",
    "idlelib",
    "lib2to3",
    "ensurepip",
}

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from, and those that are held out."""

    train: list[str]
    test: list[str]


def load_corpus(most_characters: int) -> Corpus:
    """As much of the text as is wanted, in an order that is the same for each release of Python.

    Raises:
        RuntimeError: there is too little, as where Python comes without its sources.
    """
    documents, characters = [], 0
    for document in itertools.chain(_reference(), _docstrings()):
        if characters >= most_characters:
            break
        documents.append(document)
        characters += len(document)
    if len(documents) < 2 * _HELD_OUT:
        raise RuntimeError(
            f"{len(documents)} documents are too few to learn from. Way out: ask for more than {most_characters} characters; or, "
            f"if there are no more, run with a Python whose library has its sources ({sysconfig.get_paths()['stdlib']} is this one's)"
        )
    return Corpus(
        [text for number, text in enumerate(documents) if number % _HELD_OUT],
        [text for number, text in enumerate(documents) if number % _HELD_OUT == 0],
    )


def _reference() -> Iterator[str]:
    """The language's reference by topics; some distributions leave it out."""
    try:
        topics: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    except ImportError:
        return
    for name in sorted(topics):
        yield from _parts(topics[name])


def _parts(text: str) -> Iterator[str]:
    """Whole paragraphs, together at least a page's fourth."""
    held = ""
    for paragraph in text.split("\n\n"):
        held = f"{held}\n\n{paragraph}" if held else paragraph
        if len(held) >= _PART:
            yield held
            held = ""
    if held.strip():
        yield held


def _docstrings() -> Iterator[str]:
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if _LEFT_OUT.intersection(path.relative_to(root).parts):
            continue
        try:
            tree = ast.parse(path.read_text("utf-8"))
        except (SyntaxError, UnicodeDecodeError):  # such files are there to be refused
            continue
        for node in ast.walk(tree):
            text = ast.get_docstring(node) if isinstance(node, _DOCUMENTED) else None
            if text:
                yield text
