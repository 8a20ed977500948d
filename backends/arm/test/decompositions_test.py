"""Operators that are quantized as what they are written with: one delegate, near the model."""

import pytest
import torch
import torch.nn.functional as F

from executorch.backends.arm.test.lowered import as_model, lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.exir.backend.utils import format_reasons, get_reasons

_IMAGE = (2, 3, 6, 7)
_CASES = {
    "reflect": (lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"), _IMAGE),
    "reflect_far": (lambda x: F.pad(x, (9, 10), mode="reflect"), (1, 2, 12)),
    "replicate": (lambda x: F.pad(x, (2, 0, 1, 3), mode="replicate"), _IMAGE),
    "circular": (lambda x: F.pad(x, (2, 1, 0, 3), mode="circular"), _IMAGE),
    "circular_convolution": (torch.nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"), _IMAGE),
    "selu": (F.selu, _IMAGE),
    "celu": (lambda x: F.celu(x, 0.7), _IMAGE),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 9)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), (2, 3, 9)),
    "instance_norm": (torch.nn.InstanceNorm2d(3, affine=True), _IMAGE),
    "batch_norm": (torch.nn.BatchNorm2d(3), _IMAGE),
    "rms_norm": (torch.nn.RMSNorm(7), _IMAGE),
    "mse_loss": (lambda x: F.mse_loss(x, x * 0.5, reduction="none"), _IMAGE),
    "roll": (lambda x: x.roll((2, -1), (1, 3)), _IMAGE),
    "einsum": (lambda x: torch.einsum("bij,bkj->bik", x, x), (2, 3, 4)),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 1), (2, 3, 4)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (2, 9)),
    "max": (lambda x: x.max(), _IMAGE),
    "as_strided": (lambda x: x.as_strided((2, 5), (63, 2), 3), _IMAGE),
    "variance": (lambda x: x.var(dim=(2, 3)), _IMAGE),
}


def _model(name):
    torch.manual_seed(7)
    function, shape = _CASES[name]
    model = as_model(function)
    for one in model.modules():
        if isinstance(one, torch.nn.BatchNorm2d):
            one.running_mean.uniform_(-1, 1)
            one.running_var.uniform_(0.5, 2)
    return model, (torch.randn(*shape),)


@pytest.mark.parametrize("name", _CASES)
def test_an_operator_is_quantized(name):
    model, inputs = _model(name)
    program = lowered(quantized(model, inputs), inputs, "TOSA-1.0+INT")
    left = {one.op for one in get_reasons(program.graph_module) if "quantized_decomposed" not in one.op}
    assert not left, format_reasons(program.graph_module)
    ((mine, *_), calls) = run_program(program, inputs)
    expected = model(*inputs)
    assert calls == 1 and mine.shape == expected.shape
    torch.testing.assert_close(mine, expected, rtol=0, atol=float(expected.abs().max()) * 0.03)


@pytest.mark.parametrize("function", [lambda x: x.var(1), lambda x: F.cosine_similarity(x, x + 1, 1)])
def test_constants_that_are_made_are_where_the_model_is(function):
    """``move_to_device_pass`` moves what has a device: a constant without one stayed behind."""
    model = quantized(as_model(function), (torch.rand(2, 3),))
    made = [one for one in model.graph.nodes if one.target is torch.ops.aten.full.default]
    assert made and all(one.kwargs["device"] == torch.device("cpu") for one in made)
