"""Figures of errors, and inputs made like the examples."""

import itertools
import math
from typing import Any

import pytest
import torch
from torch.export import Dim

from executorch.backends.test.harness import tester
from executorch.backends.test.harness.comparison import assert_outputs_equal, random_inputs
from executorch.backends.test.harness.error_statistics import ErrorStatistics
from executorch.backends.test.harness.stages import Quantize, Stage, StageType
from executorch.backends.test.harness.tester import Tester
from executorch.devtools import visualization


def test_figures_of_an_error():
    found = ErrorStatistics.from_tensors(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([1.0, 2.0, 2.0]))
    assert (found.error_max, found.error_l2_norm) == (2, 2)
    assert found.error_mae == found.error_msd == pytest.approx(2 / 3)
    assert found.sqnr == pytest.approx(20 * math.log10(math.sqrt(21) / 2))
    assert (found.actual_stats.max, found.reference_stats.median) == (4, 2)


def test_figures_of_what_cannot_be_compared():
    found = ErrorStatistics.from_tensors(torch.ones(2), torch.ones(3))
    assert found.sqnr is None and found.error_max is None and found.actual_stats.numel == 2
    assert ErrorStatistics.from_tensors(torch.ones(0), torch.ones(0)).reference_stats.numel == 0
    assert ErrorStatistics.from_tensors(torch.ones(2), torch.ones(2)).sqnr == math.inf


def test_outputs_are_compared():
    nan = torch.tensor([math.nan, 1.0])
    assert_outputs_equal([nan, 3], (nan.clone(), 3))
    for wrong, message in (
        ([torch.ones(2)], "Output 0 does not match"),
        ([nan, nan], "2 outputs, 1"),
        ([torch.ones(3)], "shapes differ"),
        ([torch.ones(2).int()], "torch.int32 came"),
    ):
        with pytest.raises(AssertionError, match=message):
            assert_outputs_equal(wrong, [nan])


def test_inputs_like_the_examples():
    batch = Dim("batch", min=2, max=5)
    example = (torch.zeros(2, 3, dtype=torch.float16), torch.tensor([7, 9]), [torch.zeros(1)], 4)
    made = random_inputs(example, ({0: batch}, (batch,), None, None))
    seen = set()
    for _ in range(40):
        real, indices, (other,), number = next(made)
        assert real.shape == (len(indices), 3) and real.dtype is torch.float16 and real.abs().sum() > 0
        assert set(indices.tolist()) == {7, 9} and other.shape == (1,) and number == 4
        seen.add(len(indices))
    assert seen == {2, 3, 4, 5}


def test_inputs_lie_in_memory_as_the_examples_do():
    image = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
    example = (image, image.int(), image.contiguous())
    batch = {0: Dim("batch", min=3, max=4)}
    ((first, whole, plain),) = itertools.islice(random_inputs(example, (batch, batch, batch)), 1)
    assert first.shape == whole.shape and first.shape[0] > 2
    assert all(one.is_contiguous(memory_format=torch.channels_last) for one in (first, whole))
    assert plain.is_contiguous() and not first.is_contiguous()


def test_a_quantizer_is_needed():
    with pytest.raises(ValueError, match="which quantizer"):
        Quantize()


def test_stages_stand_beside_the_tester_that_runs_them():
    for kind, stage in Tester.default_stage_classes().items():
        assert (
            getattr(tester, stage.__name__) is stage
            and stage.__name__.lower() == kind.name.replace("_", "").lower()
        )


def test_a_tester_may_have_a_stage_for_the_module_itself():
    class Doubled(Stage):
        artifact: Any = None
        graph_module = None

        def __init__(self, module):
            self.artifact = torch.nn.Sequential(module, module)

        def stage_type(self):
            return StageType.INITIAL_MODEL

        def run(self, artifact, inputs=None):
            pass

        def run_artifact(self, inputs):
            return self.artifact(*inputs)

    tester = Tester(torch.nn.ReLU(), (torch.randn(2),))
    tester._run_stage(Doubled(tester.original_module))
    assert tester.cur is StageType.INITIAL_MODEL
    calls = [node for node in tester.export().get_artifact().graph.nodes if node.op == "call_function"]
    assert len(calls) == 2
    with pytest.raises(AssertionError, match="INITIAL_MODEL cannot follow EXPORT"):
        tester._run_stage(Doubled(tester.original_module))


def test_artifacts_hold_inputs_as_they_lie_and_outputs_as_programs_write_them(tmp_path):
    image = torch.arange(24.0).reshape(1, 3, 2, 4)
    last = image.to(memory_format=torch.channels_last)
    Tester._dump_golden_artifacts(str(tmp_path), "one", (last,), image[0, 0].t())
    assert torch.equal(_elements(tmp_path / "one_input.bin"), image.permute(0, 2, 3, 1).reshape(-1))
    assert torch.equal(_elements(tmp_path / "one_expected_output.bin"), image[0, 0].t().reshape(-1))
    Tester._dump_golden_artifacts(str(tmp_path), "number", (torch.tensor(2.0),), torch.tensor(3.0))
    assert _elements(tmp_path / "number_input.bin").tolist() == [2.0]
    Tester._dump_golden_artifacts(str(tmp_path), "two", (image, image[0]), (image, image + 1))
    assert torch.equal(_elements(tmp_path / "two_input_1.bin"), image.reshape(-1))
    assert torch.equal(_elements(tmp_path / "two_expected_output_1.bin"), image.reshape(-1) + 1)


def _elements(path):
    return torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32)


def test_what_a_step_made_is_shown(monkeypatch):
    shown = []
    monkeypatch.setattr(visualization, "visualize", lambda *arguments: shown.append(arguments))
    tester = Tester(torch.nn.ReLU(), (torch.randn(2),)).export()
    exported = tester.get_artifact()
    assert tester.visualize() is tester
    tester.to_edge().visualize(reuse_server=False, stage=StageType.EXPORT).visualize()
    assert shown == [(exported, True), (exported, False), (tester.get_artifact(), True)]
