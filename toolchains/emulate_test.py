"""Counts of programs that ran elsewhere: googletest's summary is read, and a silent death is a failure."""

import json
import subprocess
import sys

import pytest

from executorch.toolchains import emulate

PASSED = """[==========] Running 3 tests from 1 test suite.
[==========] 3 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test, listed below:
"""
FAILED = """[==========] 3 tests from 2 test suites ran. (0 ms total)
[  PASSED  ] 2 tests.
[  FAILED  ] 1 test, listed below:
"""
DIED = "[==========] Running 3 tests from 1 test suite.\n[ RUN      ] A.b\nSegmentation fault\n"


@pytest.mark.parametrize(
    "output, status, expected",
    [
        (PASSED, 0, (2, 0, 1)),
        (FAILED, 1, (2, 1, 0)),
        (PASSED, 1, (2, 1, 1)),
        (DIED, 139, (0, 1, 0)),
        (DIED, 0, (0, 1, 0)),
        ("RESULT {}\n", 0, (1, 0, 0)),
        ("", 1, (0, 1, 0)),
    ],
)
def test_counts(output, status, expected):
    outcome = emulate.judge(output, status)
    assert (outcome.passed, outcome.failed, outcome.skipped) == expected


@pytest.mark.parametrize("status, code", [(0, 0), (3, 1)])
def test_a_run(tmp_path, status, code):
    (tmp_path / "program").write_text("import os, sys\nsys.exit(int(os.environ['STATUS']))\n")
    program = {"path": str(tmp_path / "program"), "environment": {"STATUS": str(status)}}
    (tmp_path / "manifest.json").write_text(
        json.dumps({"platform": "here", "command": [sys.executable], "programs": [program]})
    )
    command = [sys.executable, emulate.__file__, str(tmp_path / "manifest.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    result = json.loads(done.stdout.splitlines()[-1].removeprefix("RESULT "))
    assert result == {"cross": {"here": {"programs": 1, "passed": 1 - code, "failed": code, "skipped": 0}}}
