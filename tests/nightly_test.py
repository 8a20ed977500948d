"""The nightly run: counts, and what fails does not stop the rest. Bazel is a script here."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from absl import app

from executorch.tests import nightly

#: Stands in for `bazelw`: two tests pass and one fails, of //bad everything does; the campaign finds a crash.
FAKE = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$1" in
  query) echo //a:slow_test; exit 3;;
  run) echo 'RESULT {"targets": {"x": {"crashes": 0, "hangs": 0}, "y": {"crashes": 1, "hangs": 0}}}'; exit 0;;
esac
for word in "$@"; do
  case "$word" in
    --build_event_json_file=*) file="${word#*=}";;
    --config=tsan) exit 1;;
  esac
done
echo '{"id": {"testSummary": {}}, "testSummary": {"overallStatus": "PASSED"}}' > "$file"
echo '{"testSummary": {"overallStatus": "FLAKY"}}' >> "$file"
echo '{"progress": {}}' >> "$file"
case "$*" in *config=asan*) echo '{"testSummary": {"overallStatus": "TIMEOUT"}}' >> "$file"; exit 3;; esac
"""


@pytest.fixture
def workspace(tmp_path):
    path = tmp_path / "bazelw"
    path.write_text(FAKE)
    path.chmod(0o755)
    return tmp_path


def test_all_suites_run_whatever_fails(workspace):
    context = nightly.Context(workspace, 7, ("--keep_going",))
    outcomes = nightly.run_all(nightly.SUITES, context)
    counts = {name: (outcome.passed, outcome.failed) for name, outcome in outcomes.items()}
    assert counts == {
        "asan": (2, 1),
        "ubsan": (2, 0),
        "tsan": (0, 1),  # Bazel itself failed.
        "fuzz": (1, 1),
        "tagged": (2, 0),
        "cross": (2, 0),
        "consume": (2, 0),
    }
    calls = (workspace / "calls").read_text()
    assert "run --keep_going //tests/fuzz:campaign -- --seconds=7" in calls
    assert re.search(r"test .*//a:slow_test", calls)
    assert len(nightly.table(outcomes).splitlines()) == 1 + len(outcomes)


def test_an_exception_is_a_failure_of_its_suite(workspace):
    def broken(context):
        raise ValueError("the campaign did not come to its end")

    outcomes = nightly.run_all({"a": broken, "b": nightly.SUITES["cross"]}, nightly.Context(workspace, 7))
    assert (outcomes["a"].failed, outcomes["b"].passed) == (1, 2)
    with pytest.raises(ValueError, match="did not come to its end"):
        nightly.count_campaign("nothing\n")


def test_suites_are_chosen_by_name():
    assert list(nightly.chosen(["fuzz", "asan"])) == ["fuzz", "asan"]
    assert list(nightly.chosen(None)) == list(nightly.SUITES)
    with pytest.raises(app.UsageError, match="no suite nothing; there are asan"):
        nightly.chosen(["nothing"])


@pytest.mark.parametrize(("suites", "status"), [("cross,ubsan", 0), ("cross,asan", 1)])
def test_the_command_ends_with_its_result(workspace, suites, status):
    command = [sys.executable, nightly.__file__, f"--suites={suites}", f"--workspace={workspace}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    last = done.stdout.splitlines()[-1]
    result = json.loads(last.removeprefix("RESULT "))["suites"]
    assert list(result) == suites.split(",")
    assert set(result["cross"]) == {"passed", "failed", "seconds"}
