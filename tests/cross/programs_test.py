"""The list of tests that are run on other platforms is the list of tests there are."""

import ast
import pathlib
import re

HERE = pathlib.Path(__file__).absolute().parent
ROOT = HERE.parents[1]
#: Of files and their owners, which boards and WebAssembly have not.
_POSIX_ALONE = {("runtime/backend", "private_file_test")}
_ROOMS = ("runtime", "schema", "kernels/portable", "kernels/prim_ops")


def test_every_test_of_the_core_and_the_portable_kernels_is_listed():
    tree = ast.parse((HERE / "programs.bzl").read_text())
    (table,) = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "_TESTS"
    )
    listed = {(package, name) for package, names in ast.literal_eval(table).items() for name in names}
    there = {
        (str(path.parent.relative_to(ROOT)), name)
        for room in _ROOMS
        for path in (ROOT / room).rglob("BUILD.bazel")
        for name in re.findall(r'^cc_unit_test\(\n    name = "(\w+)"', path.read_text(), re.MULTILINE)
    }
    assert len(there) > 50
    assert listed == there - _POSIX_ALONE
