"""Public faces: what is part of one, and which changes break its users."""

import io
import tarfile
import zipfile

import pytest

from executorch.bazel.release import surface
from executorch.toolchains.binaries_test import SECTIONS, elf, member

MODULE = """
def run(a, b=1, *, c, d=2): ...
def _hidden(): ...
class Box:
    def __init__(self, size): ...
    async def fill(self, *items, **options): ...
    def _inside(self): ...
class _Own:
    def method(self): ...
"""


def test_a_module():
    assert surface.of_module("m", MODULE) == {
        "py:m.run": "a, b=, *, c, d=",
        "py:m.Box": "class",
        "py:m.Box.__init__": "self, size",
        "py:m.Box.fill": "self, *items, **options",
    }


def test_a_wheel(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("executorch/lib/__init__.py", "def f(): ...")
        wheel.writestr("executorch/lib/_own.py", "def g(): ...")
        wheel.writestr("executorch/lib/part.py", "def h(x): ...")
    assert surface.of_wheel(tmp_path / "a.whl") == {
        "py:executorch.lib.f": "",
        "py:executorch.lib.part.h": "x",
    }


def test_a_dist(tmp_path):
    names = ("_ZN10executorch7runtime3runEv", "_ZN10executorch8internal3runEv", "_ZSt4move", "et_pal_init")
    library = elf(True, 62, 1, SECTIONS, [(name, 1, 1) for name in names])
    files = {
        "include/executorch/a.h": b"",
        "include/executorch/internal/b.h": b"",
        "lib/liba.a": b"!<arch>\n" + member("a.o/", library),
    }
    with tarfile.open(tmp_path / "dist.tar.gz", "w:gz") as packed:
        for name, body in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            packed.addfile(entry, io.BytesIO(body))
    assert set(surface.of_dist(tmp_path / "dist.tar.gz")) == {
        "h:executorch/a.h",
        "cc:_ZN10executorch7runtime3runEv",
        "cc:et_pal_init",
    }


@pytest.mark.parametrize(
    "before, now, fits",
    [
        ("a, b=", "a, b=", True),
        ("a, b=", "a, b=, c=", True),
        ("a", "a, *, c=", True),
        ("a", "a, **rest", True),
        ("a, b", "a, b=", True),
        ("a, *, c=", "a, c=", True),
        ("a, b=", "a", False),
        ("a, b=", "b=, a=", False),
        ("a", "a, b", False),
        ("a", "a, *, c", False),
        ("a", "x", False),
        ("a, b=", "a, *, b=", False),
        ("", "class", False),
    ],
)
def test_calls_that_still_fit(before, now, fits):
    found = surface.breaks({"py:m.f": before}, {"py:m.f": now})
    assert found == ([] if fits else [f"py:m.f took ({before}) and takes ({now})"])


def test_what_is_gone():
    assert surface.breaks({"h:a.h": "", "cc:x": ""}, {"h:a.h": "", "cc:y": ""}) == ["cc:x is gone"]
