"""The benchmark of language models on a model of a page, and its arithmetic."""

import json
import os
import subprocess
import sys

import pytest

from executorch.tests.benchmarks import llm, llm_models, llm_worker


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


def test_times_are_between_what_came():
    assert llm_worker.between(1.0, [1.5, 1.75, 2.75], 2) == [0.5, 0.25, 1.0]
    with pytest.raises(RuntimeError, match="2 tokens came, where 3"):
        llm_worker.between(1.0, [1.5, 1.75], 2)


def test_each_token_has_its_position():
    said = []
    run = llm_worker.by_steps(lambda tokens, position: said.append((tokens, position)), 1, vocabulary=8)
    assert len(run([3, 4, 5], 2)) == 3
    assert said == [([3, 4, 5], 0), ([5], 3), ([2], 4)]


def test_memory_beside_the_cache_is_a_share_of_the_file(tmp_path):
    (tmp_path / "file").write_bytes(bytes(2 << 20))
    found = llm.memory_of("ours", tmp_path / "file", [{"rss_mib": 4.0, "load_s": 0.5}], cached=1 << 18)
    assert (found["cache_mib"], found["of_file"]) == (1.0, 1.5)
    (tmp_path / "directory" / "part").mkdir(parents=True)
    (tmp_path / "directory" / "part" / "file").write_bytes(bytes(4 << 20))
    assert (
        llm.memory_of("ours", tmp_path / "directory", [{"rss_mib": 4.0, "load_s": 0.5}], 0)["of_file"] == 1.0
    )
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
    # The published runner reads the same file.
    expected = [(4, engine) for engine in ("ours", "published") if engine not in result["absent"]]
    assert sorted((one["bits"], one["engine"]) for one in result["failed"]) == expected
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
    peers = {"ours-int8-cache", "published", "llama.cpp", "onnxruntime-genai", "openvino-genai"}
    assert {one["engine"] for one in result["memory"]} | set(result["absent"]) == {"ours", *peers}
    assert all(set(row["peers"]) == peers - set(result["absent"]) for row in result["rows"])
    assert all(min(row["peers"].values(), default=1) > 0 for row in result["rows"])
    wrong = subprocess.run([*command, "--models=none"], capture_output=True, text=True, env=environment)
    assert wrong.returncode != 0 and "smollm2-135m" in wrong.stdout + wrong.stderr
