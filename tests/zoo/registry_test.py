"""The catalogue, and the comparison that the zoo's verdicts rest on."""

import pytest
import torch
from torch import nn

from executorch.exir import to_edge
from executorch.tests.zoo import registry
from executorch.tests.zoo.run import relative_error, run
from executorch.tests.zoo.specimen import Specimen, calibrated


def test_at_least_25_architectures_with_distinct_names():
    names = registry.names()
    assert len(set(names)) == len(names) >= 25


def test_unknown_names_and_sizes_are_refused():
    with pytest.raises(KeyError, match="mobilenet_v2"):
        registry.make("alexnet")
    with pytest.raises(ValueError, match="neither"):
        registry.make("mlp", size="huge")


def test_weights_are_the_same_each_time_and_the_generator_is_left_alone():
    state = torch.get_rng_state()
    first, second = registry.make("mlp"), registry.make("mlp")
    assert torch.equal(torch.get_rng_state(), state)
    for left, right in zip(first.module.parameters(), second.module.parameters(), strict=True):
        assert torch.equal(left, right)
    assert torch.equal(first.inputs[0], second.inputs[0])


def test_dtype_is_that_of_weights_and_inputs():
    specimen = registry.make("lstm", dtype=torch.bfloat16)
    assert {p.dtype for p in specimen.module.parameters()} == {torch.bfloat16}
    assert specimen.inputs[1][0].dtype == torch.bfloat16


def test_full_size_is_the_published_one():
    weights = sum(p.numel() for p in registry.make("mobilenet_v2", "full").module.parameters())
    assert weights == 3_504_872  # as published for width 1.0 and 1000 classes


def test_calibration_keeps_activations_alive():
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    sample = 100 + torch.randn(64, 3)
    assert calibrated(module, sample)(sample).std() > 0.5


def test_errors_are_relative_to_the_largest_magnitude():
    expected = (torch.tensor([100.0, 1.0]), [torch.tensor([2])])
    assert relative_error([torch.tensor([100.0, 2.0]), torch.tensor([2])], expected) == pytest.approx(0.01)


@pytest.mark.parametrize(
    "actual",
    [
        [],
        [torch.tensor([1.0])],
        [torch.tensor([1.0, 2.0], dtype=torch.float64)],
    ],
    ids=["number", "shape", "dtype"],
)
def test_outputs_have_to_agree_in_kind(actual):
    with pytest.raises(AssertionError):
        relative_error(actual, torch.tensor([1.0, 2.0]))


def test_integers_have_no_tolerance_and_nan_is_no_agreement():
    with pytest.raises(AssertionError, match="int64"):
        relative_error([torch.tensor([1])], torch.tensor([2]))
    assert relative_error([torch.tensor([float("nan")])], torch.tensor([1.0])) == float("inf")
    with pytest.raises(AssertionError, match="finite"):
        relative_error([torch.tensor([float("nan")])], torch.tensor([float("nan")]))


@pytest.mark.parametrize("name", ["mlp_dynamic", "resnet18", "streaming_lstm"])
def test_to_edge_gives_the_same_program(name):
    assert run(registry.make(name), to_edge) == run(registry.make(name))


def test_a_wrong_program_is_noticed():
    class Forgets(nn.Module):
        def forward(self, x):
            return x if torch.compiler.is_exporting() else -x

    outcome = run(Specimen(Forgets().eval(), (torch.ones(2),)))
    assert outcome.error == 2.0
