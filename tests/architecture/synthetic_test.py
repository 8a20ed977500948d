"""The checks themselves: in a small tree where everything is allowed, each added edge must be reported."""

import pytest

from executorch.tests.architecture import build_graph, cc_includes, declared, python_imports
from executorch.tests.architecture.edges import Table, is_test, load_edges, source_files

EDGES = """
EDGES = {
    "low": {"py": [], "cc": []},
    "side": {"py": [], "cc": []},
    "mid": {"py": ["low"], "cc": ["low"], "tests": ["top"]},
    "top": {"py": ["low", "mid"], "cc": ["low", "mid"]},
    "low/inner": {"py": [], "cc": ["low"]},
    "asks": {"py": [], "cc": [], "by_name": ["top"]},
    "low/bindings": {"py": [], "cc": ["low", "mid"]},
    "backends": {"py": ["low"], "cc": ["low"]},
}
"""

FILES = {
    "bazel/edges.bzl": EDGES,
    "low/a.py": "import os\nfrom executorch.low.b import x\n",
    "low/b.py": "x = 1\n",
    "low/a.h": "#pragma once\n#include <executorch/low/b.h>\n#include <vector>\n",
    "low/inner/c.h": "#include <executorch/low/a.h>\n",
    "low/BUILD.bazel": 'py_lib(name = "a", srcs = ["a.py"], deps = [":b", "//third-party:torch"])\n',
    "side/a.py": "",
    "mid/a.py": "from executorch.low import a\nfrom executorch.low.b import x\n",
    "mid/a.cc": '#include "a.h"\n#include <executorch/low/a.h>\n',
    "mid/a.h": "",
    "mid/a_test.py": "import executorch.top.a\n",
    "mid/BUILD.bazel": (
        'load("//bazel:defs.bzl", "py_lib")\n'
        'py_lib(name = "a", srcs = ["a.py"], deps = ["//low:a"])\n'
        'py_unit_test(name = "a_test", srcs = ["a_test.py"], deps = ["//top:a"])\n'
        'py_lib(name = "help", testonly = True, srcs = ["help_for_tests.py"], deps = ["//top:a"])\n'
        'cc_lib(name = "c", srcs = ["a.cc"], deps = ["//low:h"])\n'
    ),
    "top/a.py": "import executorch.mid.a as m\n",
    "asks/a.py": "import importlib\ndef f():\n    return importlib.import_module('executorch.top.a')\n",
    "examples/free.py": "import executorch.top.a, executorch.side.a\n",
}


@pytest.fixture
def tree(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def check(root):
    table = Table(load_edges(root))
    modules = (python_imports, cc_includes, build_graph)
    return [str(v) for module in modules for v in module.violations(root, table)]


def test_the_allowed_tree_is_clean(tree):
    assert check(tree) == []
    assert Table(load_edges(tree)).problems() == []


PYTHON = {
    "plain": "import executorch.side.a\n",
    "from the package": "from executorch import side\n",
    "renamed": "import executorch.side.a as harmless\n",
    "inside a function": "def f():\n    from executorch.side.a import x\n",
    "for types only": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import executorch.side.a\n",
    "by name": "import importlib\nm = importlib.import_module('executorch.side.a')\n",
    "by the name in a variable": "import importlib\n_SIDE = 'executorch.side.a'\nm = importlib.import_module(_SIDE)\n",
    "by the name in a table": "import importlib\nT = {0: 'executorch.side.a'}\nm = importlib.import_module(T[0])\n",
    "relative": "from ..side import a\n",
    "upwards": "from executorch.top.a import x\n",
    "free directory": "from executorch.examples import free\n",
}


@pytest.mark.parametrize("text", PYTHON.values(), ids=PYTHON.keys())
def test_an_added_python_import_is_reported(tree, text):
    (tree / "mid" / "a.py").write_text(text)
    (found,) = check(tree)
    assert found.startswith("mid/a.py:") and "mid has no py edge to" in found


@pytest.mark.parametrize(
    "text",
    [
        "#include <executorch/side/x.h>\n",
        '  #  include "executorch/side/x.h"  // comment\n',
        '#include "../side/x.h"\n',
        "#include <executorch/top/x.h>\n",
        "#include <executorch/low/bindings/x.h>\n",
    ],
)
def test_an_added_include_is_reported(tree, text):
    (tree / "mid" / "a.cc").write_text("\n" + text)
    (found,) = check(tree)
    assert found.startswith("mid/a.cc:2: mid has no cc edge to")


def test_what_may_be_imported_by_name_may_not_be_by_statement(tree):
    (tree / "asks" / "a.py").write_text("import executorch.top.a\n")
    (found,) = check(tree)
    assert found.startswith("asks/a.py:1: asks has no py edge to top")


def test_rooms_are_finer_than_their_library(tree):
    (tree / "low" / "a.h").write_text("#include <executorch/low/inner/c.h>\n")
    (found,) = check(tree)
    assert "low has no cc edge to low/inner" in found


@pytest.mark.parametrize(
    "text",
    [
        'py_lib(name = "a", deps = ["//side:a"])\n',
        'py_lib(name = "a", deps = ["//low:a"] + ["//side"])\n',
        'cc_lib(name = "a", implementation_deps = select({"//x:y": ["//side:h"], "//conditions:default": []}))\n',
        'DEPS = ["//side:a"]\npy_lib(name = "a", deps = DEPS)\n',
        '[py_lib(name = n, deps = ["//side:" + n]) for n in ["a", "b"]]\n',
        'py_lib(name = "a", srcs = ["//side:a.py"])\n',
        'py_lib(name = "a", deps = ["@executorch//side:a"])\n',
        'py_lib(name = "a", deps = ["//top:a"])\n',
        'py_lib(name = "a", testonly = False, deps = ["//top:a"])\n',
        'py_unit_test(name = "a_test", deps = ["//side:a"])\n',
        'py_lib(name = "a", deps = ["//tests/helpers"])\n',
    ],
)
def test_an_added_build_edge_is_reported(tree, text):
    (tree / "mid" / "BUILD.bazel").write_text(text)
    (found,) = check(tree)
    assert found.startswith("mid/BUILD.bazel:") and "edge to" in found


def test_an_edge_in_a_macro_of_the_library_is_reported(tree):
    (tree / "mid" / "ops.bzl").write_text(
        'load("//side:x.bzl", "y")\ndef op(name):\n    cc_lib(name = name, deps = ["//side:h"])\n'
    )
    (found,) = check(tree)
    assert found.startswith("mid/ops.bzl:3")


@pytest.mark.parametrize(
    ("files", "build", "reported"),
    [
        ({"a.py": "from executorch.side import a"}, 'py_lib(name = "a", srcs = ["a.py"])', 1),
        ({"a.py": "def f():\n    from executorch.side import a"}, 'py_lib(name = "a", srcs = ["a.py"])', 0),
        (
            {"a_test.py": "def f():\n    import executorch.side.a"},
            'py_unit_test(name = "t", srcs = ["a_test.py"])',
            1,
        ),
        (
            {"a.py": "import executorch.side.a"},
            'DEPS = [":b"]\npy_lib(name = "a", srcs = ["a.py"], deps = DEPS)',
            1,
        ),
        (
            {"a.py": "import executorch.side.a"},
            'py_lib(name = "a", srcs = ["a.py"], deps = [":b"])\npy_lib(name = "b", deps = ["//side"])',
            0,
        ),
        (
            {
                "a_test.py": 'x = "```python"',
                "README.md": "```python\nfrom executorch.side.a import f\n```\n",
            },
            'py_unit_test(name = "t", srcs = ["a_test.py"], data = ["README.md"])',
            1,
        ),
    ],
)
def test_an_import_that_no_dependency_brings_is_reported(tmp_path, files, build, reported):
    for path, text in {
        "side/a.py": "",
        "side/BUILD.bazel": 'py_lib(name = "side", srcs = ["a.py"])',
        "mid/BUILD.bazel": build,
        **{f"mid/{name}": text for name, text in files.items()},
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert len(declared.undeclared(tmp_path)) == reported


def test_no_backend_knows_another(tree):
    for name, text in (
        ("one", "import executorch.backends.two.a\n"),
        ("two", "import executorch.backends.two.b\n"),
    ):
        (tree / "backends" / name).mkdir(parents=True)
        (tree / "backends" / name / "a.py").write_text(text)
    (found,) = check(tree)
    assert found.startswith("backends/one/a.py:1")


def test_a_table_with_cycles_or_holes_is_refused():
    table = Table({"a": {"py": ["b"], "cc": []}, "b": {"py": ["a", "c"], "cc": []}, "d": {"py": []}})
    problems = table.problems()
    assert "a: is on a cycle of py edges" in problems
    assert "b: edge to c, which has no row" in problems
    assert "d: no cc list" in problems


def test_what_counts_as_a_test_and_what_is_scanned(tree):
    assert all(
        map(is_test, ["x/a_test.py", "x/test/a.cc", "x/testing/u.h", "x/conftest.py", "x/demo_for_tests.py"])
    )
    assert not any(map(is_test, ["x/a.py", "x/latest.py", "tests.py", "x/contest.cc"]))
    (tree / "bazel-bin" / "mid").mkdir(parents=True)
    (tree / "bazel-bin" / "mid" / "a.py").write_text("import executorch.side.a\n")
    assert not any(path.startswith(("bazel", "examples")) for path in source_files(tree, (".py",)))
