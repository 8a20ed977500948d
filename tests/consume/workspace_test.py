"""The third-party workspace in tests/consume/bazel builds, and its examples run."""

import os
import pathlib
import subprocess


def test_the_workspace():
    # The checkout itself: the workspace names it by a path, and Bazel sees no sandbox of another Bazel.
    checkout = pathlib.Path(__file__).resolve().parents[2]
    environment = {name: os.environ[name] for name in ("HOME", "PATH", "USER") if name in os.environ}
    said = subprocess.run([checkout / "tests" / "consume" / "check.sh"], env=environment)
    assert said.returncode == 0
