"""The documented command lines write programs with what they name."""

from __future__ import annotations

import pytest

from executorch.examples.arm import aot_arm_compiler, get_ethosu_scratch_from_pte
from executorch.exir._serialize._program import deserialize_pte_binary


def compiled(tmp_path, *arguments):
    path = tmp_path / "out.pte"
    assert aot_arm_compiler.main(["--model_name=add", f"--output={path}", *arguments]) == 0
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
    plan = compiled(tmp_path, "--target=TOSA-1.0+INT", "--quantize")
    assert not plan.delegates
    assert "quantized_decomposed::quantize_per_tensor" in {one.name for one in plan.operators}


def test_cortex_m(tmp_path):
    plan = compiled(tmp_path, "--quantize", "--target=cortex-m55")
    assert not plan.delegates
    assert "cortex_m::quantized_add" in {one.name for one in plan.operators}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["--target=ethos-u55-128"], "add --quantize"), (["--target=z80", "--quantize"], "no target 'z80'")],
)
def test_what_cannot_be_is_said(capsys, arguments, reason):
    assert aot_arm_compiler.main(["--model_name=add", *arguments]) == 1
    assert reason in capsys.readouterr().err
