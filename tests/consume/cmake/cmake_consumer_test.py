"""A CMake project finds the unpacked distributions, builds against them, and runs the quickstart's program."""

import os
import pathlib
import stat
import subprocess
import tarfile

import pytest
import torch

from executorch.examples.quickstart.export import export
from executorch.examples.quickstart.train import load_data, train

ROOT = pathlib.Path.cwd()
HERE = pathlib.Path(__file__).absolute().parent
LIBRARIES = ("runtime", "kernels", "extension")
ARCHIVES = [ROOT / library / "dist.tar.gz" for library in LIBRARIES]

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


def tool(name):
    return str(ROOT / os.environ[f"CONSUME_{name}"])


def run(command, **keywords):
    done = subprocess.run(command, capture_output=True, text=True, **keywords)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiler(directory):
    """The hermetic compiler under a single name, as CMake wants it."""
    program = directory / "c++"
    program.write_text(f'#!/bin/sh\nexec "{tool("ZIG")}" c++ "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    directory = tmp_path_factory.mktemp("prefix")
    for archive in ARCHIVES:
        with tarfile.open(archive) as packed:
            # Early releases of Python 3.11 do not have filters; what is unpacked was made by this build.
            packed.extractall(directory, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return directory


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A trained network, one image, and its program as a file."""
    data = load_data()
    model = train(data, epochs=2, progress=False)
    image = data.test_images[:1]
    path = tmp_path_factory.mktemp("digits") / "digits.pte"
    path.write_bytes(export(model, image).pte)
    return model, image, path


def test_the_consumer_builds_and_agrees_with_eager(prefix, digits, tmp_path):
    model, image, pte = digits
    environment = {**os.environ, "HOME": str(tmp_path), "ZIG_GLOBAL_CACHE_DIR": str(tmp_path / "zig")}
    configure = [tool("CMAKE"), "-S", HERE, "-B", tmp_path / "build", "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('NINJA')}", f"-DCMAKE_CXX_COMPILER={compiler(tmp_path)}"]
    configure += [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    run(configure, env=environment)
    run([tool("CMAKE"), "--build", tmp_path / "build"], env=environment)
    (tmp_path / "image.bin").write_bytes(image.numpy().tobytes())
    said = run([tmp_path / "build" / "run_program", pte, tmp_path / "image.bin"])
    scores = torch.tensor([[float(line) for line in said.split()]])
    torch.testing.assert_close(scores, model(image).detach(), rtol=1e-4, atol=1e-5)


def test_pkg_config_files_name_what_is_there(prefix):
    for library in LIBRARIES:
        text = (prefix / "lib" / "pkgconfig" / f"executorch_{library}.pc").read_text()
        (libs,) = (line for line in text.splitlines() if line.startswith("Libs:"))
        names = [word[2:] for word in libs.split() if word.startswith("-l")]
        assert names and all((prefix / "lib" / f"lib{name}.a").is_file() for name in names)


def test_the_runtime_alone_needs_no_sibling(prefix):
    config = prefix / "lib" / "cmake" / "executorch_runtime" / "executorch_runtimeConfig.cmake"
    assert "find_dependency" not in config.read_text()
