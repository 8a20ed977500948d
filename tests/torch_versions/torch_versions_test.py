"""A representative part of the tree's Python tests against another torch than the locked one.

EXECUTORCH_TORCH is what pip installs for it, without it the last release that the wheels allow; EXECUTORCH_TORCH_SITE is a directory
that has one already. The wheels declare the range that this was run for.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).absolute().parents[2]
WANTED = os.environ.get("EXECUTORCH_TORCH", "torch==2.14.1")
SITE = os.environ.get("EXECUTORCH_TORCH_SITE")

#: Every stage from capture to a run of the file, and the documented paths as users import them.
DIRECTORIES = ["dialects", "ir", "passes", "partitioner", "memory_planning", "emitter", "exir", "export"]
FILES = [
    f"tests/usage/{name}_test.py" for name in ("imports", "lowering", "quantization", "runtime", "vision")
] + ["backends/xnnpack/partition", "runtime/python/torch_test.py", "runtime/python/export_test.py"]

#: It imports a runtime of its own, which others in its process would have too.
ALONE = "partitioner/test/mixed_backends_test.py"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    if SITE:
        return SITE
    target = tmp_path_factory.mktemp("torch")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", target, WANTED]
    subprocess.run(command, check=True)
    return str(target)


def environment(site):
    """The other torch stands before what this test runs with."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([site, *filter(None, sys.path)])}


def version(site):
    code = "import torch; print(torch.__version__)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(site), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("what", [*DIRECTORIES, *FILES, ALONE])
def test_with_the_other_torch(what, site):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    others = [] if what == ALONE else [f"--ignore={ALONE}"]
    done = subprocess.run(
        [*command, *others, what], cwd=ROOT, env=environment(site), capture_output=True, text=True
    )
    last = done.stdout.strip().splitlines()[-1:]
    print(f"torch {version(site)}: {what}: {last}")
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    assert re.search(r"\d+ passed", last[0]), "nothing ran"
