"""The slice's benchmark runs, and reports every job."""

import json

from executorch.tests.benchmarks.harness import benchmark_main
from executorch.tests.benchmarks.slice_benchmark import cases


def test_it_runs(capsys):
    assert benchmark_main("slice", cases, ["--quiet", "--rounds=3", "--batch-ms=1"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1].removeprefix("RESULT "))
    assert set(figures) == {"compile", "load", "one image"}
    assert all(m["median_us"] > 0 for group in figures.values() for m in group.values())
