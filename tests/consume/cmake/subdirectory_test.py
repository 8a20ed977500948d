"""The checkout as a directory of a CMake project, and by itself: Bazel builds it with the options, and programs use what it built."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import torch

from executorch.exir import to_edge
from executorch.tests.consume.cmake.native_tools import build_with_cmake, compiler, run, tool

# Not where the links of Bazel's sandbox stand: the checkout itself.
HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]
ASKED = ("aten::add.out", "aten::mm.out", "aten::mul.out", "executorch_prim::add.Scalar")

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:subdirectory_test",
)


class Product(torch.nn.Module):
    def forward(self, x):
        return x * x


@pytest.fixture(scope="module")
def bazel():
    """What CMake is told of Bazel: one of its own, since the one that runs this test is busy, stopped and removed at the end.

    By hand, EXECUTORCH_STARTUP_OPTIONS stands for it; empty, it is the checkout's usual Bazel.
    """
    named = os.environ.get("EXECUTORCH_STARTUP_OPTIONS")
    cache = pathlib.Path(os.environ.get("HOME", "/var/tmp")) / ".cache" / "executorch-bazel"
    base = cache / f"subdirectory-{os.getpid()}"
    startup = f"--output_base={base}" if named is None else named
    yield {"EXECUTORCH_BAZEL_OPTIONS": "--jobs=2", "EXECUTORCH_BAZEL_STARTUP_OPTIONS": startup}
    if named is None:
        subprocess.run([CHECKOUT / "bazelw", startup, "shutdown"], cwd=CHECKOUT, check=True)
        run(["chmod", "-R", "u+w", base])
        shutil.rmtree(base)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "product.pte"
    path.write_bytes(to_edge(torch.export.export(Product(), (torch.ones(2),))).to_executorch().buffer)
    return path


def test_a_project_has_the_checkout_as_a_directory(bazel, tmp_path):
    build_with_cmake(
        HERE / "subdirectory",
        tmp_path / "build",
        compiler(tmp_path),
        tmp_path / "none",
        EXECUTORCH=str(CHECKOUT),
        PROGRAMS=str(HERE.parent / "programs"),
        **bazel,
    )
    assert run([tmp_path / "build" / "my_target"]) == "kernels: 21 42\n"


@pytest.mark.parametrize(
    ("option", "registered", "added"),
    [
        ("LIST", {"aten::add.out", "aten::mm.out"}, 21),
        ("YAML", {"aten::add.out"}, 21),
        ("MODEL", {"aten::mul.out"}, 0),
    ],
)
def test_an_option_selects_operators(option, registered, added, bazel, model, tmp_path):
    yaml = tmp_path / "operators.yaml"
    yaml.write_text(
        "- op: add.out\n  kernels:\n    - arg_meta: null\n      kernel_name: torch::executor::add_out\n"
    )
    chosen = {"LIST": "aten::add.out,aten::mm.out", "YAML": str(yaml), "MODEL": str(model)}[option]
    build_with_cmake(
        HERE / "subdirectory" / "selected",
        tmp_path / "build",
        compiler(tmp_path),
        tmp_path / "none",
        EXECUTORCH=str(CHECKOUT),
        EXECUTORCH_PYTHONPATH=os.pathsep.join(
            str(pathlib.Path(path).absolute()) for path in sys.path if path
        ),
        PYTHON_EXECUTABLE=sys.executable,
        SOURCES=str(HERE / "selected"),
        **{f"EXECUTORCH_SELECT_OPS_{option}": chosen},
        **bazel,
    )
    *operators, last = run([tmp_path / "build" / "selected", *ASKED]).splitlines()
    assert set(operators) == registered | {"executorch_prim::add.Scalar"}
    assert last == f"add {added}"


def test_a_preset_is_built_and_installed(bazel, model, tmp_path):
    out, prefix = tmp_path / "out", tmp_path / "prefix"
    settings = {
        "CMAKE_INSTALL_PREFIX": str(prefix),
        "CMAKE_MAKE_PROGRAM": tool("NINJA"),
        "EXECUTORCH_ENABLE_LOGGING": "ON",
        **bazel,
    }
    given = [f"-D{name}={value}" for name, value in settings.items()]
    run([tool("CMAKE"), "-S", CHECKOUT, "-B", out, "-G", "Ninja", "--preset", "profiling", *given])
    run([tool("CMAKE"), "--build", out, "--target", "install"])
    libraries = (
        "xnnpack_backend",
        "etdump",
        "extension_module_static",
        "portable_ops_lib",
        "executorch_core",
    )
    assert {f"lib{library}.a" for library in libraries} <= {path.name for path in (prefix / "lib").iterdir()}
    assert (prefix / "lib/cmake/executorch/executorch-config.cmake").is_file()
    etdump = tmp_path / "product.etdump"
    run([prefix / "bin" / "executor_runner", f"--model_path={model}", f"--etdump_path={etdump}"])
    assert etdump.stat().st_size > 0


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("EXECUTORCH_BUILD_VULKAN=ON", "the Vulkan backend is built by Bazel only"),
        ("EXECUTORCH_LOG_LEVEL=loud", "one of debug, info, error, fatal"),
    ],
)
def test_what_is_not_here_is_said(setting, said, tmp_path):
    asked = subprocess.run(
        [tool("CMAKE"), "-S", CHECKOUT, "-B", tmp_path, f"-D{setting}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode and said in " ".join(asked.stderr.split())
