"""What Python modules offer: definitions, fields, constants, and what is handed on from elsewhere."""

import pytest

from executorch.bazel.release.python_surface import of_modules

MODULE = """
LIMIT = 3
_own = 4
def run(a, b=1, *, c, d=2): ...
def _hidden(): ...
class Box:
    size: int
    kind = 1
    def __init__(self, size): ...
    async def fill(self, *items, **options): ...
    def _inside(self): ...
class _Own:
    def method(self): ...
"""

HIDDEN = """
def make(a): ...
class Box:
    def open(self): ...
"""


def test_a_module():
    assert of_modules({"m": MODULE}) == {
        "py:m.LIMIT": "value",
        "py:m.run": "a, b=, *, c, d=",
        "py:m.Box": "class",
        "py:m.Box.size": "value",
        "py:m.Box.kind": "value",
        "py:m.Box.__init__": "self, size",
        "py:m.Box.fill": "self, *items, **options",
    }


@pytest.mark.parametrize(
    "decorator, made",
    [
        ("@dataclass", "self, a, b=, c="),
        ("@dataclasses.dataclass(frozen=True, kw_only=True)", "self, *, a, b=, c="),
    ],
)
def test_fields_are_what_a_dataclass_takes(decorator, made):
    fields = ["a: int", "b: int = 1", "c: list = field(default_factory=list)"]
    fields += ["d: ClassVar[int] = 2", "e: int = field(init=False)"]
    source = "\n    ".join([f"{decorator}\nclass C:", *fields])
    assert of_modules({"m": source})["py:m.C.__init__"] == made


def test_a_room_for_published_names_counts_where_they_are_published():
    sources = {
        "lib.old": 'from lib.published.old import f\n__all__ = ["f"]',
        "lib.published.old": "def f(x): ...",
    }
    assert of_modules(sources) == {"py:lib.old.f": "x"}


def test_a_package_hands_on_what_it_imports_from_its_own():
    modules = {
        "p": "import os\nfrom torch import nn\nfrom p._hidden import Box, make as build\nfrom p.other import thing",
        "p._hidden": HIDDEN,
    }
    assert of_modules(modules, frozenset({"p"})) == {
        "py:p.Box": "class",
        "py:p.Box.open": "self",
        "py:p.build": "a",
        "py:p.thing": "import",
    }


@pytest.mark.parametrize(
    "source, handed_on",
    [
        ("from p._hidden import make", False),
        ("from p._hidden import make as make", True),
        ("from ._hidden import make\n__all__ = ['make']", True),
    ],
)
def test_a_module_hands_on_what_it_says(source, handed_on):
    found = of_modules({"p.m": source, "p._hidden": HIDDEN})
    assert found.get("py:p.m.make") == ("a" if handed_on else None)
