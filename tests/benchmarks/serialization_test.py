"""The benchmark of serialization, on a small program."""

import json
import os
import pathlib
import subprocess
import sys

from executorch.tests.benchmarks import serialization


def test_memory_stays_below_the_target(tmp_path):
    command = [sys.executable, str(pathlib.Path(serialization.__file__)), "--megabytes=32", "--rounds=1"]
    done = subprocess.run(
        [*command, f"--directory={tmp_path}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    line = done.stdout.splitlines()[-1]
    assert line.startswith("RESULT ")
    result = json.loads(line.removeprefix("RESULT "))
    assert result["rewritten_is_same"] and result["file_mb"] < 1.01 * result["weights_mb"]
    # Of small weights, whatever else a process needs is a larger part.
    assert result["peak_ratio"] < 1.5 and result["write_mb_s"] > 0


def test_models_have_the_size_asked_for():
    for megabytes in (1, 16, 40):
        weights = sum(value.nbytes for value in serialization.model(megabytes).parameters())
        assert weights == megabytes << 20
