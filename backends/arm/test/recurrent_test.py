"""Recurrent layers on integers: one delegate, and numbers near the quantized model's and the model's own."""

import pytest
import torch

from executorch.backends.arm.test.lowered import lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.transforms.decompose_recurrent import DecomposeRecurrent
from executorch.exir.backend.utils import get_reasons


class _Net(torch.nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layer = kind(6, 8, **options)

    def forward(self, x):
        made = self.layer(x)
        return made[0] if isinstance(made, tuple) else made


_NN = torch.nn
_LAYERS = {
    "lstm": (_NN.LSTM, {"num_layers": 2, "bidirectional": True}, (5, 2, 6)),
    "lstm_batch_first": (_NN.LSTM, {"batch_first": True, "bias": False}, (2, 4, 6)),
    "lstm_projected": (_NN.LSTM, {"proj_size": 3}, (4, 2, 6)),
    "gru": (_NN.GRU, {"batch_first": True}, (2, 4, 6)),
    "rnn": (_NN.RNN, {"nonlinearity": "relu"}, (4, 2, 6)),
    "lstm_cell": (_NN.LSTMCell, {}, (2, 6)),
    "gru_cell": (_NN.GRUCell, {}, (2, 6)),
    "rnn_cell": (_NN.RNNCell, {}, (2, 6)),
}


def _net(name):
    torch.manual_seed(3)
    kind, options, shape = _LAYERS[name]
    return _Net(kind, **options).eval(), (torch.randn(*shape),)


@pytest.mark.parametrize("name", _LAYERS)
def test_a_layer_written_out_is_the_layer(name):
    model, inputs = _net(name)
    module = torch.export.export(model, inputs).module()
    assert DecomposeRecurrent()(module).modified
    torch.testing.assert_close(module(*inputs), model(*inputs))
    left = {str(node.target) for node in module.graph.nodes if node.op == "call_function"}
    assert not any(one in target for target in left for one in ("lstm", "gru", "rnn"))


def test_a_batch_of_unknown_size_is_left():
    model, inputs = _net("gru")
    exported = torch.export.export(model, inputs, dynamic_shapes=({0: torch.export.Dim("n", min=2)},))
    assert not DecomposeRecurrent()(exported.module()).modified


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn", "lstm_cell"])
def test_a_layer_on_integers(name):
    model, inputs = _net(name)
    samples = [(torch.randn_like(inputs[0]),) for _ in range(4)]
    integers = quantized(model, inputs, samples=samples)
    program = lowered(integers, inputs, "TOSA-1.0+INT")
    left = {one.op for one in get_reasons(program.graph_module)}
    assert left <= {
        "quantized_decomposed.quantize_per_tensor.default",
        "quantized_decomposed.dequantize_per_tensor.default",
    }
    ((mine, *_), calls) = run_program(program, inputs)
    assert calls == 1
    spread = float(model(*inputs).abs().max())
    torch.testing.assert_close(mine, integers(*inputs), rtol=0, atol=spread * 0.05)
    torch.testing.assert_close(mine, model(*inputs), rtol=0, atol=spread * 0.15)
