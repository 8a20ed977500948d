"""What the README says of developing, in a fresh clone: one build, and plain `python` and `pytest` work.

    ./bazelw test //bazel:dev_clone_test

The clone has an output directory of its own and shares the caches of this machine, which is where generated modules were
once missing: they are nobody's output, and Bazel leaves such files in its cache.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

from executorch.bazel.release import builds

#: Light tests of what stands on generated modules: the schema, the bindings, XNNPACK ahead of time and at run time.
TESTS = [
    "backends/xnnpack/linear_test.py",
    "backends/xnnpack/serialization/blob_test.py",
    "runtime/python/api_test.py",
    "schema/slots_test.py",
    "schema/wire_test.py",
]

#: In a process of its own, which has one set of bindings: those with the demo backends.
OTHER_BINDINGS = "partitioner/test/mixed_backends_test.py"

PROGRAM = """\
import torch
from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

model, x = torch.nn.Linear(4, 3).eval(), torch.ones(2, 4)
lowered = to_edge_transform_and_lower(torch.export.export(model, (x,)), partitioner=[XnnpackPartitioner()])
program = Runtime.get().load_program(lowered.to_executorch().buffer)
torch.testing.assert_close(program.load_method("forward").execute([x])[0], model(x))
"""


def environment(clone):
    """Of a shell in which the packages of third-party/python.lock.json are installed."""
    installed = [path for path in sys.path if pathlib.Path(path).name.startswith("site")]
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "USER") if name in os.environ}
    return kept | {"PYTHONPATH": os.pathsep.join([*installed, str(clone / "bazel" / "import_root")])}


@pytest.fixture(scope="module")
def clone():
    """A clone of this checkout's HEAD after the documented step."""
    here = pathlib.Path(__file__).resolve().parents[1]
    # Not below /tmp, which Bazel's sandbox hides.
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="executorch-clone-", dir="/var/tmp"))
    bazel = builds.Bazel(scratch / "checkout", (f"--output_base={scratch}/output",))
    try:
        subprocess.run(["git", "clone", "--quiet", str(here), str(bazel.root)], check=True)
        try:
            bazel.run("build", "//bazel:dev")
        finally:
            bazel.run("shutdown")
        yield bazel.root
    finally:
        builds.remove(scratch)


def run(clone, *arguments):
    return subprocess.run([sys.executable, *arguments], cwd=clone, env=environment(clone)).returncode


def test_plain_python(clone):
    assert run(clone, "-c", PROGRAM) == 0


def test_plain_pytest(clone):
    assert run(clone, "-m", "pytest", "-q", *TESTS) == 0


def test_other_bindings(clone):
    assert run(clone, "-m", "pytest", "-q", OTHER_BINDINGS) == 0
