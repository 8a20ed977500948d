"""Public faces: what is part of one, and which changes break its users."""

import io
import tarfile
import zipfile

import pytest

from executorch.bazel.release import surface
from executorch.toolchains.binaries_test import SECTIONS, elf, member


def test_a_wheel(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("executorch/lib/__init__.py", "from executorch.lib._own import g\ndef f(): ...")
        wheel.writestr("executorch/lib/_own.py", "def g(): ...")
        wheel.writestr("executorch/lib/part.py", "def h(x): ...")
    assert surface.of_wheel(tmp_path / "a.whl") == {
        "py:executorch.lib.f": "",
        "py:executorch.lib.g": "",
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
        ("a, b", "import", True),
        ("value", "class", True),
    ],
)
def test_calls_that_still_fit(before, now, fits):
    found = surface.breaks({"py:m.f": before}, {"py:m.f": now})
    assert found == ([] if fits else [f"m.f took ({before}) and takes ({now})"])


def test_what_is_gone():
    before, now = {"h:a.h": "", "py:m.f": "", "py:m.g": ""}, {"h:b.h": "", "py:m.g": ""}
    assert surface.breaks(before, now) == ["the header a.h is gone", "m.f is gone"]


def test_what_a_cpp_function_takes_is_part_of_its_name():
    before, now = {"cc:_ZN10executorch3runEi": ""}, {"cc:_ZN10executorch3runEl": ""}
    # Readable where the machine has a C++ library, the symbol itself elsewhere.
    assert surface.breaks(before, now) in (
        ["the C++ symbol executorch::run(int) is gone"],
        ["the C++ symbol _ZN10executorch3runEi is gone"],
    )
    assert surface.readable("cc:et_pal_init") == "the C++ symbol et_pal_init"


def test_members_of_a_class_that_another_library_defines_now():
    before = {"py:m.C": "class", "py:m.C.run": "self", "py:m.D.run": "self"}
    assert surface.breaks(before, {"py:m.C": "import"}) == ["m.D.run is gone"]


def test_a_class_that_is_gone_is_named_once():
    assert surface.breaks({"py:m.C": "class", "py:m.C.run": "self", "py:m.C.stop": "self"}, {}) == [
        "m.C is gone"
    ]
