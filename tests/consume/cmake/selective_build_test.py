"""The documented functions of CMake: what a project selects, and what it brings itself, is registered, and nothing else."""

import os
import pathlib
import re
import sys
import tarfile

import pytest
import torch

from executorch.exir import to_edge
from executorch.tests.consume.cmake.native_tools import ROOT, build_with_cmake, compiler, run

HERE = pathlib.Path(__file__).absolute().parent
ASKED = ("aten::add.out", "aten::mm.out", "aten::mul.out", "my_ops::scale.out", "executorch_prim::add.Scalar")

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


class Product(torch.nn.Module):
    def forward(self, x):
        return x * x


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    directory = tmp_path_factory.mktemp("selected")
    with tarfile.open(ROOT / "bazel" / "distribution" / "dist.tar.gz") as packed:
        packed.extractall(directory / "prefix")
    model = directory / "product.pte"
    model.write_bytes(to_edge(torch.export.export(Product(), (torch.ones(2),))).to_executorch().buffer)
    settings = {
        "EXECUTORCH_PYTHONPATH": os.pathsep.join(
            str(pathlib.Path(path).absolute()) for path in sys.path if path
        ),
        "MODEL": str(model),
        "PYTHON_EXECUTABLE": sys.executable,
    }
    build_with_cmake(
        HERE / "selected", directory / "build", compiler(directory), directory / "prefix", **settings
    )
    return directory / "build"


@pytest.mark.parametrize(
    ("program", "registered", "added"),
    [
        ("listed", {"aten::add.out", "aten::mm.out"}, 21),
        ("modelled", {"aten::mul.out"}, 0),
        ("custom", {"aten::add.out", "aten::mm.out", "aten::mul.out", "my_ops::scale.out"}, 21),
        ("merged", {"aten::add.out", "aten::mul.out"}, -1),
    ],
)
def test_what_is_selected_is_registered(program, registered, added, build):
    *operators, last = run([build / program, *ASKED]).splitlines()
    assert set(operators) == registered | {"executorch_prim::add.Scalar"}
    assert last == f"add {added}"


def test_a_model_selects_its_dtypes(build):
    said = (build / "model_ops" / "selected_op_variants.h").read_text()
    assert re.findall(r"ScalarType::(\w+)\b", said.split("return", 1)[1]) == ["Float"]
