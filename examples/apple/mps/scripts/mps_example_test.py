"""The command, with the documented flags."""

from pathlib import Path

import pytest

from executorch.examples.apple.mps.scripts import mps_example


def test_programs_have_the_documented_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert mps_example.main(["--model_name=linear", "--no-use_fp16", "--no-use_partitioner"]) == 0
    assert b"MPSBackend" in Path("linear_mps_float32.pte").read_bytes()
    assert mps_example.main(["--model_name=add_mul", "--generate_etrecord", "-b"]) == 0
    bundle = Path("add_mul_mps_float16_bundled.pte").read_bytes()
    assert bundle[4:8] == b"BP08" and b"MPSBackend" in bundle
    assert (
        Path("etrecord.bin").exists() and "wrote add_mul_mps_float16_bundled.pte" in capsys.readouterr().out
    )


@pytest.mark.parametrize("flag", ["--check_correctness", "-c", "--bench_pytorch"])
def test_delegates_do_not_run_here(flag, capsys):
    with pytest.raises(SystemExit):
        mps_example.main(["-m", "add", flag])
    assert "Apple's systems" in capsys.readouterr().err
