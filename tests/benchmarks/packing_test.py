"""The benchmark of packing runs, and what is packed is packed once."""

import json

from executorch.tests.benchmarks.harness import benchmark_main
from executorch.tests.benchmarks.packing import cases


def test_it_runs(capsys):
    arguments = ["--quiet", "--rounds=3", "--batch-ms=1"]
    assert benchmark_main("packing", lambda: cases(["mlp"]), arguments) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1].removeprefix("RESULT "))["mlp"]
    copy, load, again = figures
    assert copy.startswith("copy of 12,") and (load, again) == ("load", "load again")
    assert figures[again]["best_us"] < figures[load]["best_us"]
