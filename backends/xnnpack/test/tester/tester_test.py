"""The tester: steps, checks of graphs and results, and what it says when something is wrong."""

import pytest
import torch
from torch.export import Dim

from executorch.backends.test.harness.stages import StageType
from executorch.backends.xnnpack._passes.remove_noop_expand_copy_pass import RemoveNoopExpandCopyPass
from executorch.backends.xnnpack.test.tester import Partition, Quantize, RunPasses, Tester

CALL = "torch.ops.higher_order.executorch_call_delegate"
LINEAR = "executorch_exir_dialects_edge__ops_aten_linear_default"
INPUTS = (torch.randn(2, 8),)


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU())


def test_in_one_step():
    figures = []
    tester = Tester(model(), INPUTS).export().check_count({"torch.ops.aten.linear.default": 1})
    tester.check_node_count({torch.ops.aten.linear.default: 1})
    tester.to_edge_transform_and_lower().check([CALL]).check_count({CALL: 1}).check_not([LINEAR])
    tester.to_executorch().serialize()
    tester.run_method_and_compare_outputs(num_runs=3, statistics_callback=figures.append)
    assert len(figures) == 3 and all(one.error_max < 1e-3 and one.sqnr > 60 for one in figures)
    assert tester.get_artifact(StageType.SERIALIZE)[4:8].startswith(b"ET")


def test_step_by_step():
    tester = Tester(model(), INPUTS).export().to_edge().run_passes(RunPasses([RemoveNoopExpandCopyPass]))
    tester.run_method_and_compare_outputs()
    tester.check(["executorch_exir_dialects_edge__ops_aten_relu_default"])
    tester.partition(Partition()).check([CALL]).to_executorch().serialize()
    tester.run_method_and_compare_outputs(inputs=INPUTS)


def test_quantized_and_of_any_batch():
    sizes = ({0: Dim("batch", min=1, max=6)},)
    tester = Tester(model(), INPUTS, sizes).quantize(Quantize()).export()
    assert {
        one[0].shape[0] for one, _ in zip(tester.generate_random_inputs(), range(60), strict=False)
    } == set(range(1, 7))
    tester.to_edge_transform_and_lower().check_not([LINEAR]).to_executorch().serialize()
    tester.run_method_and_compare_outputs(num_runs=4, qtol=1)


def test_steps_have_an_order():
    tester = Tester(model(), INPUTS)
    with pytest.raises(AssertionError, match=r"TO_EDGE cannot follow INITIAL_MODEL.*EXPORT"):
        tester.to_edge()
    with pytest.raises(RuntimeError, match="EXPORT has not run"):
        tester.run_method_and_compare_outputs()


def test_what_is_not_so_is_said():
    tester = Tester(model(), INPUTS).export()
    with pytest.raises(RuntimeError, match="nowhere"):
        tester.check(["nowhere"])
    with pytest.raises(RuntimeError):
        tester.check_not(["linear"])
    with pytest.raises(RuntimeError):
        tester.check_count({"torch.ops.aten.linear.default": 2})
    with pytest.raises(AssertionError, match="expected 2"):
        tester.check_node_count({torch.ops.aten.linear.default: 2})
    with pytest.raises(AssertionError, match="Output 0 does not match"):
        tester._assert_outputs_equal((torch.ones(2),), (torch.zeros(2),))


def test_what_was_compared_is_kept(tmp_path):
    tester = Tester(model(), INPUTS).export().to_edge_transform_and_lower().to_executorch().serialize()
    tester.run_method_and_compare_outputs(inputs=INPUTS, artifact_dir=str(tmp_path), artifact_name="linear")
    content = bytearray((tmp_path / "linear_expected_output.bin").read_bytes())
    expected = torch.frombuffer(content, dtype=torch.float32)
    torch.testing.assert_close(expected.reshape(2, 4), tester.reference_output.detach())
    assert (tmp_path / "linear_input.bin").stat().st_size == 64
    assert (tmp_path / "linear.pte").read_bytes() == tester.get_artifact()


def test_dumps(capsys, tmp_path):
    Tester(model(), INPUTS).export().dump_artifact().dump_artifact(str(tmp_path / "graph"))
    assert "Export" in capsys.readouterr().out and "linear" in (tmp_path / "graph").read_text()
