"""The benchmark of language models on a model of a page, and its arithmetic."""

import json
import os
import subprocess
import sys

import pytest

from executorch.tests.benchmarks import llm, llm_models


def test_a_row_is_a_rate_and_its_share():
    taken = {
        "ours": [{"prefill_s": 0.5, "decode_s": 0.25, "copy_gb_s": 2.0}],
        "other": [{"prefill_s": 1.0, "decode_s": 0.5, "copy_gb_s": 4.0}],
    }
    prefill, decode = llm.rows_of("tiny", 4, 2, taken, context=16)
    assert (prefill["ours_tokens_s"], prefill["peers"]) == (32.0, {"other": 16.0})
    weights = 64 * 32 * (2 * 2 + 2 * 1) + 3 * 64 * 96 + 64 * 512
    assert llm_models.SHAPES["tiny"].linear_weights() == weights
    assert decode["ours_tokens_s"] == 4.0 and decode["copy_gb_s"] == 3.0
    assert decode["share_of_bandwidth"] == pytest.approx(weights * 18 / 32 * 4 / 3e9)
    cache = 2 * 1 * 1 * 32 * 16 * 4
    assert decode["share_with_cache"] == pytest.approx((weights * 18 / 32 + cache) * 4 / 3e9)
    assert "other 2.0" in llm.table([decode])


def test_memory_beside_the_cache_is_a_share_of_the_file(tmp_path):
    (tmp_path / "file").write_bytes(bytes(2 << 20))
    found = llm.memory_of("ours", tmp_path / "file", [{"rss_mib": 4.0, "load_s": 0.5}], cached=1 << 18)
    assert (found["cache_mib"], found["of_file"]) == (1.0, 1.5)
    names = {"model": "tiny", "bits": 4, "threads": 1, "context": 8}
    assert "1.50" in llm.memory_table([names | found | {"first_load_s": 0.75}])


def test_what_fails_is_noted_and_all_else_goes_on(tmp_path):
    (tmp_path / "tiny-4-8.pte").write_bytes(b"no program")
    flags = ["--models=tiny", "--rounds=1", "--steps=1", "--contexts=8", "--threads=1", "--bits=4,8"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, llm.__file__, *flags, f"--keep={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    result = json.loads(done.stdout.splitlines()[-1].removeprefix("RESULT "))
    assert done.returncode == 1
    assert [(one["bits"], one["engine"]) for one in result["failed"]] == [(4, "ours")]
    assert "tiny-4-8.pte" in result["failed"][0]["why"]
    assert [row["bits"] for row in result["rows"]] == [8, 8]


def test_it_runs(tmp_path):
    flags = ["--models=tiny", "--rounds=1", "--steps=2", "--contexts=4,8", "--threads=1", "--bits=4"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, llm.__file__]
    done = subprocess.run(
        [*command, *flags, f"--keep={tmp_path}"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1].removeprefix("RESULT "))
    assert [row["phase"] for row in result["rows"]] == ["prefill", "decode"] * 2
    assert [row["context"] for row in result["rows"]] == [4, 4, 8, 8]
    assert all(row["ours_tokens_s"] > 0 for row in result["rows"])
    assert {one["engine"] for one in result["memory"]} | set(result["absent"]) == {"ours", "llama.cpp"}
    wrong = subprocess.run([*command, "--models=none"], capture_output=True, text=True, env=environment)
    assert wrong.returncode != 0 and "smollm2-135m" in wrong.stdout + wrong.stderr
