"""The commands, one after the other, as they are documented."""

from pathlib import Path

import pytest

from executorch.examples.apple.coreml.scripts import export, extract_coreml_models


def test_what_is_exported_is_extracted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert export.main(["-m", "add_mul", "-precision", "float32", "--save_processed_bytes"]) == 0
    assert extract_coreml_models.main(["-m", "add_mul_coreml.pte"]) == 0
    model = Path("extracted_coreml_models/model_1/lowered_module/model.mlpackage")
    assert (model / "Manifest.json").exists() and f"wrote {model.parent}" in capsys.readouterr().out
    data = (model / "Data/com.apple.CoreML/model.mlmodel").read_bytes()
    assert data in Path("add_mul_coreml_1.bin").read_bytes()


def test_what_is_no_program_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("no.pte").write_bytes(b"no program")
    assert extract_coreml_models.main(["-m", "no.pte"]) == 1
    assert extract_coreml_models.main(["-m", "none.pte"]) == 1
    assert "cannot take models out of no.pte" in capsys.readouterr().err


def test_delegates_do_not_run_here(capsys):
    with pytest.raises(SystemExit):
        export.main(["-m", "add", "--run_with_pybindings"])
    assert "Apple's systems" in capsys.readouterr().err
