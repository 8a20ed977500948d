"""INT bit for bit: the reference model's result of a lowered call against the same sums with Python's integers."""

import numpy as np
import pytest
import torch

from executorch.backends.arm.test.lowered import as_model, lowered, quantized
from executorch.backends.arm.test.runner import run_program, run_tosa
from executorch.backends.arm.tosa.graph.builder import Builder, DType
from executorch.backends.arm.tosa.graph.rescale import factor_of, rescale
from executorch.partitioner import get_lowered_submodules


def _scaled(value, scale):
    """The specification's apply_scale_32 with one rounding."""
    factor = factor_of(scale)
    return (value * factor.multiplier + (1 << (factor.shift - 1))) >> factor.shift


@pytest.mark.parametrize("scale", [1.0, 0.5, 1 / 3, 2.0**-20, 7.25, 2.0**20 / 3])
def test_a_rescale(scale):
    # What is scaled up has to fit into 32 bits afterwards.
    far = [2**20, -(2**20), 12345678] if scale <= 8 else []
    values = np.concatenate([np.arange(-2000, 2000, 7), far]).astype(np.int32)
    b = Builder()
    x = b.input("x", values.shape, DType.INT32)
    b.output(rescale(b, x, scale, DType.INT8, 0, -5))
    (mine,) = run_tosa(b.serialize(), [values])
    theirs = [min(max(_scaled(int(one), scale) - 5, -128), 127) for one in values]
    assert mine.tolist() == theirs


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), 2.0**30])
def test_a_factor_that_rescale_has_not(scale):
    with pytest.raises(ValueError, match="between 0 and"):
        factor_of(scale)


def test_a_factor_is_that_of_the_scale():
    for scale in (1e-9, 1e-4, 0.3, 1.0, 5.7, 1e6):
        found = factor_of(scale)
        assert found.multiplier / 2.0**found.shift == pytest.approx(scale, rel=2**-31)


def _integers(program, inputs):
    """What the only delegate reads and gives, and the conversions around it."""
    seen = []

    def run(binary, tensors):
        made = run_tosa(binary, [one.numpy() for one in tensors])
        seen.append((tensors, made))
        return [torch.from_numpy(one) for one in made]

    run_program(program, inputs, run)
    ((read, made),) = seen
    ((_, one, _),) = get_lowered_submodules(program.graph_module)
    graph = one.original_module.graph
    calls = [node for node in graph.nodes if node.op == "call_function"]
    found = [node for node in calls if "quantize_per_tensor" in str(node.target)]
    return read, made[0], [(node.args[1], node.args[2]) for node in found]


def test_a_sum():
    inputs = (torch.randn(3, 5), torch.randn(3, 5) * 3)
    program = lowered(quantized(as_model(torch.add), inputs), inputs, "TOSA-1.0+INT")
    (a, b), made, ((scale_a, zero_a), (scale_b, zero_b), (scale, zero)) = _integers(program, inputs)
    common = 2 * max(np.float32(scale_a).item(), np.float32(scale_b).item())
    out = np.float32(scale).item()
    theirs = []
    for x, y in zip(a.flatten().tolist(), b.flatten().tolist(), strict=True):
        total = _scaled(x - zero_a, np.float32(scale_a).item() / common * 2.0**20)
        total += _scaled(y - zero_b, np.float32(scale_b).item() / common * 2.0**20)
        theirs.append(min(max(_scaled(total, common / 2.0**20 / out) + zero, -128), 127))
    assert made.flatten().tolist() == theirs


def test_a_layer_with_a_scale_for_each_output():
    torch.manual_seed(1)
    layer = torch.nn.Linear(6, 4).eval()
    inputs = (torch.randn(3, 6),)
    program = lowered(quantized(layer, inputs), inputs, "TOSA-1.0+INT")
    (x,), made, ((scale_in, zero_in), (scale, zero)) = _integers(program, inputs)
    largest = layer.weight.detach().abs().amax(1).double().numpy()
    scales = (largest / 127.0).astype(np.float32).astype(np.float64)
    weight = np.clip(np.round(layer.weight.detach().numpy() / scales[:, None].astype(np.float32)), -127, 127)
    scale_in, scale = (np.float32(one).item() for one in (scale_in, scale))
    bias = np.round(layer.bias.detach().double().numpy() / (scale_in * scales))
    for row, result in zip(x.tolist(), made.tolist(), strict=True):
        for i in range(4):
            total = sum((one - zero_in) * int(w) for one, w in zip(row, weight[i], strict=True)) + int(
                bias[i]
            )
            expected = min(max(_scaled(total, scale_in * scales[i] / scale) + zero, -128), 127)
            assert result[i] == expected
