"""The smallest build refuses, when it loads them, the programs that need what it leaves out."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
OK, NOT_SUPPORTED = "0x0", "0x10"


def test_what_is_left_out_is_refused_and_nothing_else():
    run = subprocess.run([HERE / "refusals_smallest"], capture_output=True, text=True, check=True)
    assert dict(line.split() for line in run.stdout.splitlines()) == {
        "static": OK,
        "bounded": OK,
        "unbounded": NOT_SUPPORTED,
        "device": NOT_SUPPORTED,
    }
