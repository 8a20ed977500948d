"""The comparison runs, with this package on both sides, and says what the report promises."""

import os
import sys

import pytest

from executorch.tests.benchmarks.lowering import STAGES, Side, compare, table

_OURS = os.pathsep.join(entry for entry in sys.path if entry)


def test_it_compares():
    report = compare(["llama"], Side(_OURS), Side(_OURS), rounds=1, size="small")
    figures = report["models"]["llama"]
    assert figures["ratio"] == figures["published_s"] / figures["ours_s"]
    assert figures["ours"]["bytes"] == figures["published"]["bytes"] > 0
    assert figures["ours_s"] == pytest.approx(sum(figures["ours"]["stages_s"][stage] for stage in STAGES))
    assert report["import_s"]["ours"]["cpu"] > 0
    assert len(table(report).splitlines()) == 1 + len(STAGES) + 3 + 1


def test_a_side_that_fails_says_why(tmp_path):
    with Side(_OURS) as side, pytest.raises(RuntimeError, match=r"missing\.pt2"):
        side.lower(tmp_path / "missing.pt2")
    with pytest.raises(RuntimeError, match="torch"):
        Side(str(tmp_path)).import_seconds()
