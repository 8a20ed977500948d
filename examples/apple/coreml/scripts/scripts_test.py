"""The commands, one after the other, as they are documented."""

from pathlib import Path

import coremltools as ct
import pytest
import torch

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.examples.apple.coreml.scripts import coreml_compute_plan, export, extract_coreml_models
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import CompileSpec


def test_what_is_exported_is_extracted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert export.main(["-m", "add_mul", "-precision", "float32", "--save_processed_bytes"]) == 0
    assert extract_coreml_models.main(["-m", "add_mul_coreml.pte"]) == 0
    model = Path("extracted_coreml_models/model_1/lowered_module/model.mlpackage")
    assert (model / "Manifest.json").exists() and f"wrote {model.parent}" in capsys.readouterr().out
    data = (model / "Data/com.apple.CoreML/model.mlmodel").read_bytes()
    assert data in Path("add_mul_coreml_1.bin").read_bytes()
    assert coreml_compute_plan.main(["-m", "add_mul_coreml.pte", "-c", "cpu_only"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("model_1\n") and "  main  matmul  " in printed and "const" not in printed
    assert coreml_compute_plan.main(["-m", "none.mlpackage"]) == 1


def test_models_that_methods_share_are_extracted_once(tmp_path):
    specs = [
        *CoreMLBackend.generate_compile_specs(minimum_deployment_target=ct.target.iOS18),
        CompileSpec("multimethod_weight_sharing_strategy", b"positional"),
    ]
    model = torch.nn.Linear(4, 4).eval()
    programs = {f"of_{rows}": torch.export.export(model, (torch.ones(rows, 4),)) for rows in (1, 3)}
    edge = to_edge_transform_and_lower(programs, partitioner=[CoreMLPartitioner(compile_specs=specs)])
    (made,) = extract_coreml_models.extract_coreml_models(edge.to_executorch().buffer, out_dir=str(tmp_path))
    assert b"of_3" in (made / "metadata.json").read_bytes()
    assert (made / "model.mlpackage" / "Manifest.json").exists()


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
