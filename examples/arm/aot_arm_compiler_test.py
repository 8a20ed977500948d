"""The documented command lines write programs with what they name."""

from __future__ import annotations

import pytest
import torch

from executorch.backends.arm.ethosu.vela import unpack
from executorch.devtools.bundled_program.serialize import deserialize_from_flatbuffer_to_bundled_program
from executorch.devtools.etrecord import parse_etrecord
from executorch.examples.arm import aot_arm_compiler, get_ethosu_scratch_from_pte
from executorch.exir._serialize._program import deserialize_pte_binary

_FILE = """
import torch
ModelUnderTest = torch.nn.Sequential(torch.nn.Linear(10, 5), torch.nn.LayerNorm(5))
ModelInputs = (torch.randn(1, 6, 10),)
"""


def _named(arguments):
    return [] if any(one.startswith("--model_name") for one in arguments) else ["--model_name=add"]


def compiled(tmp_path, *arguments):
    path = tmp_path / "out.pte"
    assert aot_arm_compiler.main([*_named(arguments), f"--output={path}", *arguments]) == 0
    found = deserialize_pte_binary(path.read_bytes())
    return getattr(found, "program", found).execution_plan[0]


@pytest.mark.parametrize(
    ("target", "backend"),
    [("ethos-u55-128", "EthosUBackend"), ("TOSA-1.0+INT", "TOSABackend"), ("TOSA", "TOSABackend")],
)
def test_delegates(tmp_path, target, backend):
    plan = compiled(tmp_path, "--delegate", "--quantize", f"--target={target}")
    assert [one.id for one in plan.delegates] == [backend]


def test_the_scratch_that_a_program_needs(tmp_path, capsys):
    compiled(tmp_path, "--delegate", "--quantize", "--target=ethos-u55-128")
    program = str(tmp_path / "out.pte")
    capsys.readouterr()
    assert get_ethosu_scratch_from_pte.main([program]) == 0
    size = int(capsys.readouterr().out)
    assert size > 0 and size % 16 == 0
    compiled(tmp_path, "--quantize", "--target=ethos-u55-128")
    assert get_ethosu_scratch_from_pte.get_scratch_from_pte(program) is None
    assert get_ethosu_scratch_from_pte.main([program]) == 1
    assert get_ethosu_scratch_from_pte.main([]) == 2


def test_floating_point_and_without_delegate(tmp_path):
    plan = compiled(tmp_path, "--target=TOSA-1.0+FP", "--delegate")
    assert len(plan.delegates) == 1
    for target in ("ethos-u55-128", "cortex-m55"):
        plan = compiled(tmp_path, f"--target={target}")
        assert not plan.delegates and [one.name for one in plan.operators] == ["aten::add"]
    plan = compiled(tmp_path, "--target=TOSA-1.0+INT", "--quantize")
    assert not plan.delegates
    assert "quantized_decomposed::quantize_per_tensor" in {one.name for one in plan.operators}


def _largest_scale(plan):
    return max(one.val.double_val for one in plan.values if hasattr(one.val, "double_val"))


def test_samples_set_the_scales(tmp_path):
    samples = tmp_path / "samples"
    (samples / "more").mkdir(parents=True)
    own = _largest_scale(compiled(tmp_path, "--quantize"))
    for place, size in (("a.pt", 100.0), ("more/b.pth", 200.0)):
        torch.save((torch.full((1,), size), torch.full((1,), size)), samples / place)
    torch.save("no sample", samples / "c.txt")
    both = _largest_scale(compiled(tmp_path, "--quantize", f"--calibration_data={samples}"))
    one = _largest_scale(compiled(tmp_path, "--quantize", f"--calibration_data={samples / 'a.pt'}"))
    assert both == pytest.approx(2 * one, rel=0.02) and one > 20 * own


def test_activations_of_int16(tmp_path):
    plan = compiled(tmp_path, "--quantize", "--delegate", "--target=TOSA-1.0+INT+int16")
    kinds = {one.val.scalar_type.name for one in plan.values if hasattr(one.val, "scalar_type")}
    assert plan.delegates and "SHORT" in kinds and "CHAR" not in kinds


def test_folders_and_what_stands_beside_a_program(tmp_path):
    folder, kept = tmp_path / "new" / "programs", tmp_path / "kept"
    arguments = ["--model_name=add", "--quantize", "--delegate", f"--output={folder}", "--etrecord"]
    assert aot_arm_compiler.main([*arguments, "--enable_debug_mode=json", f"--intermediates={kept}"]) == 0
    name = "add_arm_delegate_ethos-u55-128"
    assert sorted(one.name for one in folder.iterdir()) == [f"{name}.pte", f"{name}_etrecord.bin"]
    record = parse_etrecord(str(folder / f"{name}_etrecord.bin"))
    assert record.edge_dialect_program is not None
    assert {"debug.json", "out_debug.xml", "output_tosa.tosa"} <= {one.name for one in kept.iterdir()}


def test_inputs_named_in_the_models_file(tmp_path):
    file = tmp_path / "my_model.py"
    file.write_text(_FILE + "Other = torch.randn(2, 3, 10)\n")
    plan = compiled(tmp_path, f"--model_name={file}", "--model_input=Other", "--target=cortex-m55")
    (first,) = plan.inputs
    assert list(plan.values[first].val.sizes) == [2, 3, 10]


def test_direct_drive_has_inputs_in_regions_of_their_own(tmp_path):
    compiled(tmp_path, "--quantize", "--delegate", "--target=ethos-u85-256", "--direct_drive")
    found = deserialize_pte_binary((tmp_path / "out.pte").read_bytes())
    blob = unpack(bytes(getattr(found, "program", found).backend_delegate_data[0].data))
    assert all(one.region != 1 for one in (*blob.inputs, *blob.outputs))


def test_cortex_m(tmp_path):
    plan = compiled(tmp_path, "--quantize", "--target=cortex-m55")
    assert not plan.delegates
    assert "cortex_m::quantized_add" in {one.name for one in plan.operators}


@pytest.mark.parametrize("target", ["ethos-u55-128", "cortex-m55+int8"])
def test_a_model_of_ones_own_on_the_kernels_of_cortex_m(tmp_path, target):
    file = tmp_path / "my_model.py"
    file.write_text(_FILE)
    flags = ["--quantize", "--enable_qdq_fusion_pass", f"--target={target}", f"--model_name={file}"]
    found = {one.name for one in compiled(tmp_path, *flags).operators}
    assert {"cortex_m::quantized_linear", "aten::native_layer_norm"} <= found
    if target.startswith("ethos"):
        plan = compiled(tmp_path, "--delegate", *flags)
        assert [one.id for one in plan.delegates] == ["EthosUBackend"]
        assert not any(one.name.startswith("quantized_decomposed::") for one in plan.operators)


def test_a_saved_model_with_a_run_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model, inputs = torch.nn.Conv2d(2, 3, 1).eval(), (torch.randn(1, 2, 4, 4),)
    torch.save(model, "saved.pt")
    torch.save(inputs, "inputs.pt")
    arguments = ["--model_name=saved.pt", "--delegate", "--target=TOSA-1.0+FP", "--bundleio"]
    assert aot_arm_compiler.main([*arguments, "--model_input=inputs.pt"]) == 0
    written = (tmp_path / "saved_arm_delegate_TOSA-1.0+FP.bpte").read_bytes()
    bundle = deserialize_from_flatbuffer_to_bundled_program(written)
    (suite,) = bundle.method_test_suites
    (case,) = suite.test_cases
    for values, wanted in ((case.inputs, inputs[0]), (case.expected_outputs, model(*inputs))):
        assert bytes(values[0].val.data) == wanted.detach().numpy().tobytes()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--target=ethos-u55-128", "--delegate"], "add --quantize"),
        (["--quantize", "--calibration_data=absent"], "nothing to calibrate with at 'absent'"),
        (["--quantize", "--calibration_data=wrong.pt"], "the model takes"),
        (["--quantize", "--delegate", "--memory_mode=Nonsense"], "Memory_Mode.Nonsense"),
        (["--quantize", "--delegate", "--system_config=Nonsense"], "System_Config.Nonsense"),
        (["--quantize", "--delegate", "--config=absent.ini"], "absent.ini"),
        (["--quantize", "--delegate", "--enable_debug_mode=json"], "dump_intermediate_artifacts_to"),
        (["--so_library=absent.so"], "absent.so"),
        (["--model_input=absent.pt"], "absent.pt"),
        (["--model_name=full.py", "--model_input=Nothing"], "has no Nothing"),
        (["--target=z80", "--quantize"], "no target 'z80'"),
        (["--model_name=absent.py", "--quantize"], "no model 'absent.py'"),
        (["--model_name=other.py", "--quantize"], "has no ModelUnderTest"),
        (["--model_name=weights.pt", "--quantize"], "must be a torch.nn.Module"),
        (["--model_name=model.pt", "--quantize"], "add --model_input"),
    ],
)
def test_what_cannot_be_is_said(tmp_path, monkeypatch, capsys, arguments, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text("")
    (tmp_path / "full.py").write_text(_FILE)
    torch.save(torch.randn(3), "wrong.pt")
    torch.save({}, "weights.pt")
    torch.save(torch.nn.Linear(1, 1), "model.pt")
    assert aot_arm_compiler.main([*_named(arguments), *arguments]) == 1
    assert reason in capsys.readouterr().err
