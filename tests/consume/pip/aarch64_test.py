"""The wheel for aarch64: what auditwheel says of it, and a program in Debian's Python of that machine, under an emulator."""

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import numpy
import pytest
import torch

from executorch.exir import to_edge

ROOT = pathlib.Path(__file__).absolute().parents[3]
WHEELS = list((ROOT / "runtime" / "wheel_aarch64").glob("*.whl"))

pytestmark = pytest.mark.skipif(not WHEELS, reason="the wheel is built by Bazel")

RUN = """
import platform
import numpy
from executorch.runtime import Runtime

runtime = Runtime.get()
assert "XnnpackBackend" in runtime.backend_registry.registered_backend_names
method = runtime.load_program("model.pte").load_method("forward")
x = numpy.linspace(-1, 1, 24, dtype=numpy.float32).reshape(2, 12)
(y,) = method.execute([x])
numpy.save("y.npy", y)
print("ran on", platform.machine(), platform.python_version(), numpy.__version__)
"""


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(12, 5)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)


def tree(name):
    return (ROOT / os.environ[name]).resolve()


def emulated(directory, *arguments):
    """Runs the Python of that machine; absolute paths are looked up in its tree first."""
    python = tree("AARCH64_PYTHON")
    qemu = tree("AARCH64_QEMU") / "usr/bin/qemu-aarch64-static"
    done = subprocess.run(
        [qemu, "-L", python, python / "usr/bin/python3.11", "-S", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        env={
            "PYTHONPATH": f"{directory / 'site'}:{tree('AARCH64_NUMPY')}",
            "PYTHONHOME": str(python / "usr"),
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_tag():
    (path,) = WHEELS
    assert path.name.endswith("-cp310-abi3-manylinux_2_28_aarch64.whl")
    done = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True
    )
    said = " ".join(done.stdout.split())
    found = re.search(r'platform tag: "manylinux_2_(\d+)_aarch64"', said)
    assert found and int(found[1]) <= 28, done.stdout + done.stderr


def test_a_program_runs_there(tmp_path):
    with zipfile.ZipFile(WHEELS[0]) as wheel:
        wheel.extractall(tmp_path / "site")
    torch.manual_seed(0)
    net, x = Net().eval(), torch.linspace(-1, 1, 24).reshape(2, 12)
    program = to_edge(torch.export.export(net, (x,))).to_executorch()
    (tmp_path / "model.pte").write_bytes(program.buffer)
    said = emulated(tmp_path, "-c", RUN)
    assert said.startswith("ran on aarch64 3.11"), said
    print(said)
    numpy.testing.assert_allclose(numpy.load(tmp_path / "y.npy"), net(x).detach().numpy(), rtol=1e-5)
