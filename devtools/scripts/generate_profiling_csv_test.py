"""The table of an ETDump as comma-separated values."""

import sys

import pandas as pd

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.devtools.scripts import generate_profiling_csv


def test_one_row_for_each_event(tmp_path, monkeypatch):
    spans = [
        flatcc.ProfileEvent(name, 0, 3, -1, "", None, 0, end)
        for name, end in (("a", 1000000), ("b", 3000000))
    ]
    runs = [flatcc.RunData("forward", -1, [], [flatcc.Event(span, None, None) for span in spans])]
    (tmp_path / "run.etdp").write_bytes(serialize_to_etdump_flatcc(flatcc.ETDumpFlatCC(0, runs)))
    arguments = [f"--etdump_path={tmp_path / 'run.etdp'}", f"--output={tmp_path / 'run.csv'}"]
    monkeypatch.setattr(sys, "argv", ["generate_profiling_csv", *arguments])
    generate_profiling_csv.main()
    table = pd.read_csv(tmp_path / "run.csv")
    assert table["event_name"].tolist() == ["a", "b"]
    assert table["p50 (ms)"].tolist() == [1.0, 3.0]
