"""pip installs the wheels into empty environments of several Pythons, and a program runs there, without torch.

Which Pythons: those of EXECUTORCH_PYTHONS (paths, separated by colons), else every `python3.N` from 3.10 on that PATH or
pyenv has. In those of EXECUTORCH_PYTHONS_WITH_TORCH, by default the one that runs this test, the whole distribution is
installed with torch (EXECUTORCH_TORCH chooses another than the locked one) and the quickstart runs from it. Both ask the
machine's package index. Without Bazel, EXECUTORCH_WHEELS is the directory with the wheels.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import torch

from executorch.exir import to_edge

ROOT = pathlib.Path(__file__).absolute().parents[3]
WHEELS = pathlib.Path(os.environ.get("EXECUTORCH_WHEELS", ROOT / "bazel" / "distribution" / "wheels"))
QUICKSTART = ROOT / "examples" / "quickstart"

pytestmark = pytest.mark.skipif(not WHEELS.is_dir(), reason="the wheels are built by Bazel")

#: Without torch: arrays are NumPy's.
RUN = """
import sys
import numpy
from executorch.runtime import Runtime

assert "torch" not in sys.modules
method = Runtime.get().load_program("model.pte").load_method("forward")
x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
(sum_, ) = method.execute([x, x])
assert isinstance(sum_, numpy.ndarray), type(sum_)
numpy.testing.assert_array_equal(sum_, x + x)
try:
    method.execute([x.astype("float64"), x])
except ValueError as error:
    assert "float64" in str(error), error
else:
    raise AssertionError("float64 was taken for float32")
print("ran", sys.version_info[:2], numpy.__version__)
"""

LEARN = """
import pathlib
import torch
from executorch.examples.quickstart.export import export
from executorch.examples.quickstart.run import run_bindings, run_eager
from executorch.examples.quickstart.train import load_data, train

data = load_data()
model = train(data, epochs=4, progress=False)
path = pathlib.Path("digits.pte")
path.write_bytes(export(model, data.test_images[:1]).pte)
eager, ours = run_eager(model, data.test_images, False), run_bindings(path, data.test_images, False)
torch.testing.assert_close(ours.scores, eager.scores, rtol=1e-4, atol=1e-4)
right = (ours.scores.argmax(dim=1) == data.test_labels).float().mean().item()
assert right > 0.9, right
print("learned", torch.__version__, round(right, 3), path.stat().st_size)
"""


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def _named(variable):
    return [pathlib.Path(path) for path in os.environ.get(variable, "").split(":") if path]


def _pythons():
    """Interpreters by version, one each."""
    named = _named("EXECUTORCH_PYTHONS")
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path(os.environ.get("HOME", "/"), ".pyenv")))
    candidates = named or [
        *(pathlib.Path(path) for n in range(10, 16) if (path := shutil.which(f"python3.{n}"))),
        *sorted(pyenv.glob("versions/3.*/bin/python3")),
    ]
    found: dict[str, pathlib.Path] = {}
    for path in candidates:
        done = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2], sep='.')"], capture_output=True, text=True
        )
        version = done.stdout.strip()
        if re.fullmatch(r"3\.\d\d", version):
            found.setdefault(version, path)
    return found


PYTHONS = _pythons()
TORCH = os.environ.get("EXECUTORCH_TORCH", "torch==2.13.0")
WITH_TORCH = _named("EXECUTORCH_PYTHONS_WITH_TORCH") or [pathlib.Path(sys.executable)]


def run(command, directory, **environment):
    kept = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}
    done = subprocess.run(
        command,
        cwd=directory,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), **kept, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def environment(python, directory, *requirements):
    """The interpreter of a fresh environment with what pip makes of the requirements."""
    run([python, "-m", "venv", directory], directory.parent)
    program = directory / "bin" / "python"
    command = [program, "-m", "pip", "install", "--quiet", "--find-links", WHEELS, "--no-compile"]
    run([*command, *requirements], directory)
    return program


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "model.pte"
    example = (torch.zeros(2, 3), torch.zeros(2, 3))
    path.write_bytes(to_edge(torch.export.export(Add(), example)).to_executorch().buffer)
    return path


@pytest.mark.parametrize("version", PYTHONS)
def test_the_runtime_alone(version, program, tmp_path):
    python = environment(PYTHONS[version], tmp_path / "environment", "executorch-runtime")
    shutil.copy(program, tmp_path / "model.pte")
    said = run([python, "-c", RUN], tmp_path)
    assert said.startswith("ran"), said
    print(said)


@pytest.mark.parametrize("python", WITH_TORCH, ids=str)
def test_the_distribution_and_the_quickstart(python, program, tmp_path):
    # By file: the index may have a package of that name, built for just this machine, which pip would prefer.
    (front,) = WHEELS.glob("executorch-[0-9]*.whl")
    wanted = [f"{front}[cpp]", "scikit-learn", "tqdm", "pillow", TORCH]
    installed = environment(python, tmp_path / "environment", *wanted)
    target = tmp_path / "checkout" / "executorch" / "examples" / "quickstart"
    shutil.copytree(QUICKSTART, target)
    said = run([installed, "-c", LEARN], tmp_path, PYTHONPATH=str(tmp_path / "checkout"))
    assert said.startswith("learned"), said
    print(said)
    where = pathlib.Path(run([installed, "-m", "executorch.cpp"], tmp_path).strip())
    assert (where / "lib" / "cmake" / "executorch" / "executorch-config.cmake").is_file()


def test_more_than_one_python_was_found():
    assert len(PYTHONS) > 1, f"only {list(PYTHONS)}: name interpreters in EXECUTORCH_PYTHONS"
