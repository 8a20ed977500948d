"""The graph of imports between modules: what is an edge, and which circles are found."""

import pytest

from executorch.tests.architecture import import_graph, python_imports


def write(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


IMPORT = "from executorch.room.{} import x\n"
ONE_WAY = {"room/a.py": IMPORT.format("b"), "room/b.py": IMPORT.format("c"), "room/c.py": "x = 1\n"}


def test_a_tree_without_a_circle(tmp_path):
    assert import_graph.circles(write(tmp_path, ONE_WAY)) == []


BACK = {
    "statement": IMPORT.format("a"),
    "module": "import executorch.room.a\n",
    "of the package": "from executorch.room import a\n",
    "relative": "from . import a\n",
    "in a function": f"def f():\n    {IMPORT.format('a')}",
    "by name": "import importlib\nimportlib.import_module('executorch.room.a')\n",
    "by the name in a variable": "from importlib import import_module\n_A = 'executorch.room.a'\nimport_module(_A)\n",
    "by __import__": "__import__('executorch.room.a')\n",
}


@pytest.mark.parametrize("text", BACK.values(), ids=BACK.keys())
def test_an_import_back_closes_a_circle(tmp_path, text):
    (circle,) = import_graph.circles(write(tmp_path, {**ONE_WAY, "room/c.py": text}))
    assert circle.members == ("room.a", "room.b", "room.c") and not circle.for_types_only
    assert str(circle).startswith("3 modules: room.a:1 -> room.b:1 -> room.c:")


def test_a_circle_for_types_is_told_from_others(tmp_path):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from executorch.room.a import x\n"
    (circle,) = import_graph.circles(write(tmp_path, {**ONE_WAY, "room/c.py": text}))
    assert circle.for_types_only and "with imports for types" in str(circle)
    (circle,) = import_graph.circles(write(tmp_path, {"room/c.py": text + "import executorch.room.a\n"}))
    assert not circle.for_types_only


def test_the_shortest_way_round_is_told(tmp_path):
    back = IMPORT.format("a") + IMPORT.format("b")
    (circle,) = import_graph.circles(write(tmp_path, {**ONE_WAY, "room/c.py": back}))
    assert circle.way == (("room.b", 1), ("room.c", 2))


def test_circles_in_the_free_directories_count(tmp_path):
    files = {"tests/a.py": "import executorch.tests.b\n", "tests/b.py": "import executorch.tests.a\n"}
    (circle,) = import_graph.circles(write(tmp_path, files))
    assert circle.members == ("tests.a", "tests.b")


def test_a_provider_of_another_library_is_no_edge(tmp_path):
    """What is looked up by name across libraries stands in the table of edges."""
    files = {
        "low/a.py": "import importlib\nimportlib.import_module('executorch.high.b')\n",
        "high/b.py": "import executorch.low.a\n",
    }
    assert import_graph.circles(write(tmp_path, files)) == []


def test_two_circles_are_two(tmp_path):
    pairs = {f"room/{a}.py": IMPORT.format(b) for a, b in ("ab", "ba", "cd", "dc")}
    found = import_graph.circles(
        write(tmp_path, {**pairs, "room/e.py": IMPORT.format("a") + IMPORT.format("c")})
    )
    assert [circle.members for circle in found] == [("room.a", "room.b"), ("room.c", "room.d")]


def test_libraries_that_reach_each_other():
    assert import_graph.library_circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == [["b", "c"]]


OPEN = {
    "an argument": "import importlib\ndef load(name):\n    return importlib.import_module(name)\n",
    "part of an argument": "import importlib\ndef load(x):\n    return importlib.import_module(f'executorch.{x}')\n",
    "taken from an argument": (
        "from importlib import import_module\n"
        "name = 'executorch.a'\n"
        "def load(path):\n    module, _, name = path.partition(':')\n    import_module(module)\n"
    ),
    "from a file": "__import__(open('x').read())\n",
}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN.keys())
def test_an_import_whose_name_comes_from_elsewhere_is_open(tmp_path, text):
    write(tmp_path, {"room/a.py": text})
    (found,) = python_imports.open_imports(tmp_path, "room/a.py")
    assert str(found).startswith("room/a.py:")


CLOSED = {
    "text": "__import__('executorch.room.b')\n",
    "constant": "_B: str = 'executorch.room.b'\n__import__(_B)\n",
    "mapping": "_BY = {'key': 'executorch.room.b'}\ndef load(key):\n    return __import__(_BY[key])\n",
    "mapping of pairs": (
        "_BY = {'key': ('executorch.room.b', 'x')}\n"
        "def load(key):\n    module, name = _BY[key]\n    return getattr(__import__(module), name)\n"
    ),
    "one of two": "import sys\n_B = 'executorch.room.b' if sys else 'torch'\n__import__(_B)\n",
}


@pytest.mark.parametrize("text", CLOSED.values(), ids=CLOSED.keys())
def test_a_name_that_stands_in_the_file_is_seen(tmp_path, text):
    write(tmp_path, {"room/a.py": text})
    assert python_imports.open_imports(tmp_path, "room/a.py") == []
    assert "room/b" in {one.target for one in python_imports.detailed_imports(tmp_path, "room/a.py")}
