"""Operators that the quantizer does not know are written with those that it does."""

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

from executorch.backends.arm.quantizer import TOSAQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.test.lowered import as_model, lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.exir.backend.utils import format_reasons

_X = torch.linspace(-2, 2, 24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x + 1).mT,
        lambda x: (x + 1).swapaxes(0, 1),
        lambda x: (x + 1).narrow(1, 0, 2),
        lambda x: torch.hstack([x + 1, x]),
        lambda x: torch.tensor_split(x + 1, 2, 2),
        lambda x: torch.rot90(x + 1, 1, [1, 2]),
        lambda x: torch.broadcast_to((x + 1)[:, :1], (2, 3, 4)),
        lambda x: F.channel_shuffle((x + 1).reshape(1, 6, 2, 2), 2),
        torch.square,
        lambda x: torch.addcmul(x, x + 1, x, value=0.5),
        lambda x: torch.lerp(x, x + 1, 0.3),
        F.hardshrink,
        F.softshrink,
        lambda x: F.threshold(x, 0.1, 0.2),
        lambda x: x.clamp_min(0.1),
        lambda x: x.std(1),
        lambda x: torch.diff(x),
        lambda x: torch.outer(x[0, 0], x[0, 1]),
        lambda x: torch.baddbmm(x @ x.mT, x, x.mT),
        lambda x: torch.tensordot(x, x, dims=([2], [2])),
        lambda x: F.smooth_l1_loss(x, x + 1.5),
        lambda x: tuple(torch.aminmax(x, dim=1)),
        lambda x: tuple(torch.var_mean(x, 1)),
        lambda x: tuple(torch.std_mean(x)),
        lambda x: (x + 2.5).prod(1),
        lambda x: (x[0, :2] + 2.5).prod(),
        lambda x: torch.block_diag(x[0], x[1] + 1),
        lambda x: torch.hypot(x, x + 1),
        lambda x: torch.copysign(x, x.flip(0) + 0.01),
        lambda x: torch.copysign(x, -1.0),
        lambda x: torch.fmax(x, -x) - torch.fmin(x, -x),
        lambda x: torch.where(torch.signbit(x), x, x + 1),
    ],
)
def test_what_is_written_with_others_is_one_delegate(function):
    model = quantized(as_model(function), (_X,))
    program = lowered(model, (_X,), "TOSA-1.0+INT")
    outputs, calls = run_program(program, (_X,))
    assert calls == 1, format_reasons(program.graph_module)
    assert all(
        "delegate" in str(node.target) or "quantize" in str(node.target) or "getitem" in str(node.target)
        for node in program.graph.nodes
        if node.op == "call_function"
    )
    wanted = model(_X)
    for mine, theirs in zip(outputs, wanted if isinstance(wanted, tuple | list) else [wanted], strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=float(theirs.abs().max()) / 50)


def _annotated(function, inputs, config, dynamic=None):
    quantizer = TOSAQuantizer(TosaCompileSpec("TOSA-1.0+INT")).set_global(config)
    model = torch.export.export(as_model(function), inputs, dynamic_shapes=dynamic).module()
    return {str(node.target) for node in quantizer.transform_for_annotation(model).graph.nodes}


def test_what_stays_as_it_is_written():
    config = get_symmetric_quantization_config()
    assert "aten.mT.default" not in _annotated(lambda x: x.mT, (_X,), config)
    # No config, sizes that change, places that eight bits do not tell apart.
    assert "aten.mT.default" in _annotated(lambda x: x.mT, (_X,), None)
    dynamic = {"inputs": ({0: Dim("n", min=2, max=8)},)}
    assert "aten.mT.default" in _annotated(lambda x: x.mT, (_X,), config, dynamic)
    resized = _annotated(lambda x: F.interpolate(x, scale_factor=2, mode="linear"), (_X,), config)
    assert any("upsample_linear1d" in one for one in resized)


def test_a_choice_between_numbers_of_sixty_four_bits_that_becomes_real():
    """It stopped the lowering: TOSA has no int64, but the numbers are known."""
    inputs = (torch.tensor([[-1.0, 0.0, 2.0]]), torch.tensor([[0.5, 0.25, 0.5]]))
    (mine,), calls = run_program(lowered(as_model(torch.heaviside), inputs), inputs)
    assert calls == 1 and torch.equal(mine, torch.heaviside(*inputs))


@pytest.mark.parametrize(
    "function",
    [
        torch.nan_to_num,
        lambda x: torch.nan_to_num(x + 1),
        lambda x: F.kl_div(x + 0, x.abs() + 0.1),
        lambda x: F.kl_div(F.log_softmax(x, -1), F.softmax(x + 1, -1), reduction="batchmean"),
    ],
)
def test_a_comparison_is_left_with_the_real_readers_of_what_it_compares(function):
    model = quantized(as_model(function), (_X,))
    outputs, _ = run_program(lowered(model, (_X,), "TOSA-1.0+INT"), (_X,))
    torch.testing.assert_close(outputs[0], model(_X), rtol=0, atol=float(model(_X).abs().max()) / 50)
