"""Static libraries for one phone and one board, read back: format, processor and system of every member."""

import json
import os
import pathlib

import pytest

from executorch.tests.cross import wildcards
from executorch.toolchains.binaries import members

HERE = pathlib.Path(__file__).absolute().parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize("row", ["ios_arm64", "cortex_m55"])
def test_archives(row):
    if row.upper() not in os.environ:
        pytest.skip("Bazel makes the archives: ./bazelw test //tests/cross:archives_test")
    rows = json.loads((HERE / "rows.json").read_text())
    (platform,) = wildcards.chosen(wildcards.platforms("", rows), [row])
    archives = [pathlib.Path(path) for path in os.environ[row.upper()].split()]
    assert len(archives) > 20
    read = {path: path.read_bytes() for path in archives}
    assert not [said for path, raw in read.items() if (said := wildcards.problem(platform, path, raw))]
    # Libraries of headers alone have none; most have one.
    assert sum(len(members(raw)) for raw in read.values()) > 20
