"""The tree obeys the design: only its edges, in BUILD files, Python imports and C++ includes."""

import pathlib
import re

import pytest

from executorch.tests.architecture import (
    build_graph,
    cc_includes,
    declared,
    generated,
    import_graph,
    measures,
    python_imports,
)
from executorch.tests.architecture.edges import FREE, Table, is_test, load_edges, source_files

# Not resolved: in Bazel's runfiles this is the tree of what the test declares, not the checkout.
ROOT = pathlib.Path(__file__).absolute().parents[2]

#: The design's layers for Python and for C++, lowest first; an edge leads from a layer to a lower one.
PYTHON_LAYERS = [
    {"schema", "dialects", "runtime", "version", "extension/llm/tokenizers"},
    {"ir"},
    {"passes", "partitioner", "memory_planning", "codegen", "kernels", "extension"},
    {"emitter", "backends", "backends/openvino", "backends/xnnpack", "extension/llm/cache"},
    {"backends/apple", "backends/arm", "backends/cadence", "backends/vulkan", "extension/llm/models"},
    {"exir", "backends/cortex_m", "examples/models", "extension/flat_tensor"},
    {
        "devtools",
        "devtools/intermediate_output_tap",
        "export",
        "extension/audio",
        "extension/export_util",
        "extension/training/examples",
        "util",
        "backends/test",
        "backends/xnnpack/partition/graphs",
        "backends/xnnpack/utils",
    },
    {
        "backends/apple/coreml/recipes",
        "backends/apple/mps/recipes",
        "backends/arm/recipes",
        "backends/cadence/aot",
        "backends/openvino/recipes",
        "backends/vulkan/recipes",
        "backends/xnnpack/recipes",
        "examples/openvino",
        "examples/vulkan",
        "examples/apple",
        "examples/xnnpack",
        "extension/android",
        "extension/apple",
        "extension/llm/export",
        "extension/wasm",
    },
    {"examples/models/llama"},
]
CC_LAYERS = [
    {"runtime/platform"},
    {"runtime/core"},
    {"schema", "runtime/kernel", "runtime/backend"},
    {"runtime/executor", "runtime"},
    {"extension/flat_tensor"},
    {"kernels", "extension", "backends", "backends/test", "backends/vk", "codegen/templates", "devtools"},
    {
        "backends/apple",
        "backends/arm",
        "backends/cadence",
        "backends/cortex_m",
        "backends/openvino",
        "backends/vulkan",
        "backends/xnnpack",
        "extension/llm/custom_ops",
    },
    {
        "runtime/python",
        "examples/models",
        "examples/models/llama",
        "extension/android",
        "extension/apple",
        "extension/executor_runner",
        "extension/module/bundled",
        "extension/wasm",
    },
    {"extension/llm/tokenizers"},
]


@pytest.fixture(scope="module")
def table():
    return Table(load_edges(ROOT))


def report(violations):
    assert not violations, "\n" + "\n".join(map(str, violations))


def test_python_imports(table):
    report(python_imports.violations(ROOT, table))


def test_cc_includes(table):
    report(cc_includes.violations(ROOT, table))


def test_build_graph(table):
    report(build_graph.violations(ROOT, table))


#: Imports by a name that comes from elsewhere, each with where from. No other production file may have any.
OPEN_IMPORTS = {
    "backends/arm/__init__.py": "a package's own modules, asked for as attributes",
    "exir/__init__.py": "a package's own modules, asked for as attributes",
    "exir/command_line.py": "the module that the user names on the command line",
    "export/quantization.py": "parts of torchao, listed in the file",
    "ir/former_paths.py": "a package's own modules, in folders that the package lists",
}


def test_imports_by_name_can_be_seen():
    found = {
        path: python_imports.open_imports(ROOT, path)
        for path in source_files(ROOT, (".py",))
        if measures.is_production(path)
    }
    assert {path for path, some in found.items() if some} == set(OPEN_IMPORTS), "\n".join(
        str(one) for some in found.values() for one in some
    )


#: Types of torch that an upgrade may move, and the one room that production code has them from.
PRIVATE_TYPES = re.compile(
    r"^ *from (torch\._ops|torch\._subclasses\S*|torch\._export\.verifier|torch\._higher_order_ops\S*) import (?!_)"
    r"|(?<!`)torch\.(_ops|_subclasses)\.[A-Z]",
    re.MULTILINE,
)
PRIVATE_TYPES_ROOM = "dialects/torch_types.py"


def test_private_types_of_torch_come_from_one_room():
    libraries = ("dialects/", "ir/", "passes/", "partitioner/", "memory_planning/", "emitter/", "devtools/")
    found = {
        path
        for path in source_files(ROOT, (".py",))
        if path.startswith(libraries)
        and measures.is_production(path)
        and PRIVATE_TYPES.search((ROOT / path).read_text())
    }
    assert found == {PRIVATE_TYPES_ROOM}


def test_no_circle_of_imports_between_modules():
    assert [str(circle) for circle in import_graph.circles(ROOT)] == []


def test_imports_stand_among_the_dependencies():
    report(declared.undeclared(ROOT))


#: A library's face hands on what stands in its rooms, the one for published names too.
FACES = {"exir/__init__.py", "exir/capture/__init__.py"}


def test_what_does_the_work_imports_no_published_names():
    wrong = []
    for path in source_files(ROOT, (".py",)):
        if path in FACES or not measures.is_production(path) or "published" in path.split("/"):
            continue
        for one in python_imports.detailed_imports(ROOT, path):
            if generated.is_published(ROOT, one.target):
                wrong.append(f"{path}:{one.line}: {one.target} is there for published code only")
    assert wrong == []


def test_the_table_is_consistent(table):
    assert table.problems() == []


@pytest.mark.parametrize(("kind", "layers"), [("py", PYTHON_LAYERS), ("cc", CC_LAYERS)])
def test_the_tables_edges_lead_down_the_designs_layers(table, kind, layers):
    level = {row: index for index, rows in enumerate(layers) for row in rows}
    wrong = []
    for row, edges in table.edges.items():
        for edge in edges[kind]:
            inside_one_wheel = kind == "py" and row.split("/")[0] == edge.split("/")[0]
            if not inside_one_wheel and level[edge] >= level[row]:
                wrong.append(f"{row} -> {edge}")
    assert wrong == []


def test_python_edges_that_stand_in_the_table_are_used(table):
    """A wheel requires its row's libraries: one that it does not import would be a false requirement."""
    used: dict[str, set[str]] = {}
    for path in source_files(ROOT, (".py",)):
        library = path.split("/")[0]
        targets = {target.split("/")[0] for _, target in python_imports.imports(ROOT, path)}
        if not is_test(path):
            used.setdefault(library, set()).update(targets)
    unused = [
        f"{row} -> {edge}"
        for row, edges in table.edges.items()
        for edge in edges["py"]
        if row in used and edge not in used[row]
    ]
    assert unused == []


def test_nothing_below_exir_imports_exir():
    below = (
        "schema",
        "dialects",
        "ir",
        "passes",
        "partitioner",
        "memory_planning",
        "emitter",
        "runtime",
        "kernels",
        "extension",
    )
    # Some rooms of a library stand above the front door, with rows of their own.
    front = next(level for level, layer in enumerate(PYTHON_LAYERS) if "exir" in layer)
    above = tuple(f"{row}/" for layer in PYTHON_LAYERS[front + 1 :] for row in layer)
    importers = {
        f"{path}:{line}"
        for path in source_files(ROOT, (".py", ".pyi"))
        if path.split("/")[0] in below and not path.endswith("_test.py") and not path.startswith(above)
        for line, target in python_imports.imports(ROOT, path)
        if target.split("/")[0] == "exir"
    }
    assert importers == set()


def test_the_runtime_knows_nothing_of_the_compiler():
    compiler = {"dialects", "ir", "passes", "partitioner", "memory_planning", "emitter", "exir", "devtools"}
    # What is linked last may record what happens, with the C++ half of the developer tools.
    binaries = (
        "runtime/python/",
        "extension/android/",
        "extension/executor_runner/",
        "extension/module/bundled/",
    )
    for path in source_files(ROOT, cc_includes.SUFFIXES):
        unknown = compiler - {"devtools"} if path.startswith(binaries) else compiler
        for line, target in cc_includes.includes(ROOT, path):
            if path.split("/")[0] in ("runtime", "kernels", "extension"):
                assert target.split("/")[0] not in unknown, f"{path}:{line}"


def test_every_source_belongs_to_a_row_of_the_table(table):
    homeless = sorted(
        {path for path in source_files(ROOT, (".py", *cc_includes.SUFFIXES)) if table.row(path) is None}
    )
    assert homeless == [], f"add a row to bazel/edges.bzl, or move these (free directories: {sorted(FREE)})"


def test_there_is_something_to_check():
    """Guards against a run in which the sources are missing, which would pass for the wrong reason."""
    tops = {path.split("/")[0] for path in source_files(ROOT, (".py", *cc_includes.SUFFIXES))}
    assert {
        "schema",
        "dialects",
        "ir",
        "passes",
        "partitioner",
        "exir",
        "runtime",
        "kernels",
        "extension",
    } <= tops
