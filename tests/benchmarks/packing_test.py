"""The benchmark of packing runs, and what is packed once is not packed again: within a process, and from a file."""

from executorch.tests.benchmarks import packing


def test_it_runs(capsys):
    (row,) = packing.run(["mlp"], rounds=5)
    assert "copies" in capsys.readouterr().out
    assert row["model"] == "mlp" and row["weights_bytes"] == 3 * (1024 * 1024 + 1024) * 4
    assert row["shared_load_ms"] < row["load_ms"]
    assert row["second_load_ms"] < row["load_ms"] and row["second_load_ms"] < row["first_load_ms"]
    assert row["load_per_second_load"] > 1 and row["pack_per_memcpy"] > 0
