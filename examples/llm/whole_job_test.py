"""The whole job in fewer steps: the forms are close to the trained decoder, and all runners say the same."""

import json

from executorch.examples.llm import main


def test_the_whole_job(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    small = ["--steps=60", "--characters=200000", "--vocabulary=512", "--tokens=32", "--windows=2"]
    assert main.main(["--out=made", "--quiet", *small]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    figures = json.loads(last.removeprefix("RESULT "))
    # A third of what knowing nothing gives.
    assert figures["eager_perplexity"] < 512 / 3 and figures["same_text"] is True
    fp32, *quantized = figures["forms"]
    assert [one["form"] for one in quantized] == ["8da4w", "8da4w, int8 cache"]
    assert abs(fp32["perplexity"] / figures["eager_perplexity"] - 1) < 1e-3
    for one in quantized:
        assert abs(one["perplexity"] / fp32["perplexity"] - 1) < 0.1
        assert one["pte_bytes"] < fp32["pte_bytes"] / 3
    for one in figures["forms"]:
        assert one["same_text"] and one["rss_mib"] < 300
        assert min(one[side]["decode_tokens_s"] for side in ("cpp", "python")) > 0
    assert (tmp_path / "made" / "llm.png").stat().st_size > 2000
