"""How the suite judges, on models of a few lines."""

import pytest
import torch
from torch import nn

from executorch.tests.zoo.architectures import run
from executorch.tests.zoo.specimen import Specimen


def _subject(module, *inputs):
    return run.Subject(Specimen(module.eval(), inputs))


@pytest.fixture(scope="module")
def subject():
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)]
    return _subject(nn.Sequential(*layers), torch.rand(2, 3, 8, 8))


@pytest.mark.parametrize("way", run.WAYS)
def test_a_small_model_is_right_in_every_way(subject, way):
    result = run.WAYS[way](subject)
    assert result.verdict == "right", result
    assert result.planned > 0 and result.calls > 0
    assert (result.delegates > 0) == (way in ("xnnpack", "int8"))


def test_a_wrong_program_is_noticed():
    class Forgets(nn.Module):
        def forward(self, x):
            return x if torch.compiler.is_exporting() else -x

    result = run.portable(_subject(Forgets(), torch.ones(2, 3)))
    assert result.verdict == "wrong" and "2.0e+00" in result.reason


def test_rounding_that_is_eagers_own_does_not_count():
    class Cancels(nn.Module):
        """Adds in another order when it is exported: the sum of what is left over is rounding only."""

        def forward(self, x):
            large = x * 65536
            return (x + large) - large if torch.compiler.is_exporting() else x + (large - large)

    x = torch.rand(2, 3)
    subject = _subject(Cancels(), x)
    assert run.portable(subject).verdict == "wrong", "in double precision it is off as well"

    class Rounds(nn.Module):
        def forward(self, x):
            large = x * 65536
            return x + (large - large) if torch.compiler.is_exporting() else (x + large) - large

    result = run.portable(_subject(Rounds(), x))
    assert result.verdict == "right" and result.error < 1e-6


def test_what_torch_does_not_export_is_no_failure_of_ours():
    class Loops(nn.Module):
        def forward(self, x):
            return x * 2 if x.sum() > 0 else x

    with pytest.raises(run.NotExported):
        run.portable(_subject(Loops(), torch.ones(2, 3)))


def test_forward_of_any_number_of_inputs_has_dynamic_rows():
    class Sum(nn.Module):
        def forward(self, *inputs):
            return inputs[0] + inputs[1]

    result = run.dynamic_batch(_subject(Sum(), torch.rand(2, 3), torch.rand(2, 3)))
    assert result.verdict == "right"


def test_signal_to_noise():
    assert run.signal_to_noise([torch.ones(4)], [torch.ones(4)]) == 200
    assert run.signal_to_noise([torch.ones(4)], [torch.full((4,), 1.1)]) == pytest.approx(20, abs=1e-3)
    assert run.signal_to_noise([torch.ones(4)], [torch.full((4,), float("nan"))]) == -200
