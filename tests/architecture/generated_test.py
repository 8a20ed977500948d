"""Modules that the build makes of published names are read as if they were sources."""

import pytest

from executorch.tests.architecture import declared, generated, import_graph, python_imports
from executorch.tests.architecture.edges import Table, load_edges

FILES = {
    "bazel/edges.bzl": '\nEDGES = {"lib": {"py": ["low"], "cc": []}, "low": {"py": [], "cc": []}, "other": {"py": [], "cc": []}}\n',
    "bazel/published/lib_names.bzl": 'LIB = {"lib/old/a": {"executorch.low.x": "f"}, "lib/old/b": {"published": "g"}}\n',
    "lib/BUILD.bazel": 'published_modules(name = "old", deps = ["//low:x"])\n',
    "low/BUILD.bazel": 'py_lib(name = "x", srcs = ["x.py"])\n',
    "low/x.py": "def f(): ...\n",
    "lib/published/old/b.py": "def g(): ...\n",
    "lib/work.py": "from executorch.low.x import f\n",
}


@pytest.fixture
def write(tmp_path):
    def tree(**changed):
        for path, text in (FILES | {name.replace("__", "/"): text for name, text in changed.items()}).items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return tree


def test_what_is_made(write):
    root = write()
    assert set(generated.modules(root)) == {"lib/old/a.py", "lib/old/b.py"}
    assert generated.is_module(root, "lib/old/a.py") and generated.is_module(root, "lib/work.py")
    assert not generated.is_module(root, "lib/old/c.py")
    assert "from executorch.lib.published.old.b import g" in generated.text(root, "lib/old/b.py")
    assert generated.modules_in(root, "lib") == ["old/a.py", "old/b.py"]
    assert generated.modules_in(root, "low") == []


@pytest.mark.parametrize(
    ("target", "expected"),
    {
        "lib/old/a": True,
        "lib/old/a/f": True,
        "lib/published/old/b/g": True,
        "lib/work/f": False,
        "low/x": False,
    }.items(),
)
def test_what_is_there_for_published_code(write, target, expected):
    assert generated.is_published(write(), target) is expected


def test_a_row_is_an_edge(write):
    root = write(**{"bazel__published__lib_names.bzl": 'LIB = {"lib/old/a": {"executorch.other.y": "f"}}\n'})
    (found,) = python_imports.violations(root, Table(load_edges(root)))
    assert (found.path, found.target) == ("lib/old/a.py", "other")


def test_a_row_is_part_of_a_circle(write):
    root = write(**{"low__x.py": "from executorch.lib.old.a import f\n"})
    (circle,) = import_graph.circles(root)
    assert circle.members == ("lib.old.a", "low.x")


def test_a_row_needs_a_dependency(write):
    root = write(**{"lib__BUILD.bazel": 'published_modules(name = "old", deps = [])\n'})
    assert str(declared.undeclared(root)[0]).endswith("//lib:old does not depend on low/x.py")


def test_who_imports_it_needs_one_too(write):
    root = write(
        **{
            "low__BUILD.bazel": 'py_lib(name = "y", srcs = ["y.py"])\n',
            "low__y.py": "from executorch.lib.old.b import g\n",
        }
    )
    assert [one.imported for one in declared.undeclared(root)] == ["lib/old/b.py"]
