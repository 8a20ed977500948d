"""Weights that NNCF compresses, on the real runtime: what the delegate gives, what is stored, what is refused."""

import copy
import sys
import types

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.backends.openvino.conversion.compression import MODES, Compression, rounded
from executorch.backends.openvino.quantizer import OpenVINOQuantizer, QuantizationMode
from executorch.backends.openvino.quantizer.llm_compression import (
    apply_nncf_data_aware_compression,
    get_calibration_data,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime

M = QuantizationMode
FOUR, EIGHT = (M.INT4WO_SYM, M.INT4WO_ASYM), (M.INT8WO_SYM, M.INT8WO_ASYM)
FILE = "executorch.backends.openvino.quantizer.llm_compression"
WORDS = 96


class Talker(nn.Module):
    """A language model without a memory: each token has the next one."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 128)
        self.wide = nn.Linear(128, 256)
        self.turned = nn.Parameter(torch.randn(256, 128) / 16)
        self.head = nn.Linear(128, WORDS)

    def forward(self, tokens, input_pos):
        x = self.table(tokens)
        x = x + input_pos["input_pos"].to(x.dtype) / 1000
        return self.head(torch.relu(self.wide(x)) @ self.turned)


class Tokenizer:
    """Letters of ASCII."""

    eos_id = 0

    def encode(self, text, bos, eos):
        return [1] * bos + [ord(letter) - 32 for letter in text] + [0] * eos


def call(token, position=0):
    return torch.tensor([[token]]), {"input_pos": torch.tensor([position])}


def talker():
    torch.manual_seed(0)
    model = Talker().eval()
    # Some channels are large, as in language models: what data tells apart.
    model.wide.weight.data[::32] *= 8
    return model


def builder(model, **calibration):
    return types.SimpleNamespace(pre_autograd_graph_module=export(model, call(1)).module(), **calibration)


@pytest.fixture
def text(monkeypatch):
    monkeypatch.setattr(f"{FILE}.get_tokenizer", lambda path: Tokenizer())
    return {
        "calibration_data": "the quick brown fox jumps over the lazy dog",
        "calibration_seq_length": 48,
        "tokenizer_path": "letters",
    }


def compressed(quantizer, model=None, awq=False, scale_estimation=False, **calibration):
    made = builder(talker() if model is None else model, **calibration)
    return apply_nncf_data_aware_compression(made, quantizer, awq, scale_estimation).pre_autograd_graph_module


def on_openvino(module):
    """The program with the module, and how many bytes its delegate has; nothing stays outside."""
    edge = to_edge_transform_and_lower(export(module, call(1)), partitioner=[OpenvinoPartitioner()])
    graph = edge.exported_program().graph_module
    ((_, delegate, _),) = get_lowered_submodules(graph)
    names = {str(node.target) for node in graph.graph.nodes if node.op == "call_function"}
    assert not any("quantize" in name or "bitwise" in name for name in names)
    return edge.to_executorch().buffer, len(delegate.processed_bytes)


def assert_the_delegate_agrees(module):
    program, size = on_openvino(module)
    method = Runtime.get().load_program(program).load_method("forward")
    # NNCF keeps scales in 16 bits and multiplies in them in eager mode; OpenVINO multiplies in 32.
    exact = copy.deepcopy(module).float()
    for token in (1, 40, 95):
        tokens, at = call(token, 7)
        got = method.execute([tokens, at["input_pos"]])[0]
        torch.testing.assert_close(got, exact(tokens, at).detach(), atol=1e-4, rtol=1e-4)
    return size


#: Elements of the layers in the middle, and of the table and the last one; what a model has beside its weights.
MIDDLE, ENDS, BESIDE = 2 * 128 * 256, 2 * 128 * WORDS, 30_000


@pytest.mark.parametrize("mode", FOUR)
@pytest.mark.parametrize("size", [-1, 32])
@pytest.mark.parametrize("all_layers", [False, True])
def test_four_bits(mode, size, all_layers):
    module = compressed(OpenVINOQuantizer(mode=mode, group_size=size, all_layers=all_layers))
    integers = MIDDLE // 2 + (ENDS // 2 if all_layers else ENDS)
    scales = 8 * (MIDDLE + ENDS) // (128 if size == -1 else size)
    assert integers < assert_the_delegate_agrees(module) < integers + scales + BESIDE


@pytest.mark.parametrize("mode", EIGHT)
def test_eight_bits(mode):
    stored = assert_the_delegate_agrees(compressed(OpenVINOQuantizer(mode=mode)))
    assert MIDDLE + ENDS < stored < MIDDLE + ENDS + BESIDE + 8 * (MIDDLE + ENDS) // 128


@pytest.mark.parametrize("mode", [M.INT8WO_SYM, M.INT4WO_ASYM])
def test_weights_of_half_precision(mode):
    module = compressed(OpenVINOQuantizer(mode=mode), talker().half())
    program, _ = on_openvino(module)
    tokens, at = call(40, 7)
    got = Runtime.get().load_program(program).load_method("forward").execute([tokens, at["input_pos"]])[0]
    want = module(tokens, at).detach()
    assert got.dtype == torch.float16 and float((got - want).abs().max() / want.abs().max()) < 5e-3


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.up = nn.Conv2d(3, 16, 3), nn.ConvTranspose2d(16, 8, 2, stride=2)

    def forward(self, x):
        return self.up(self.first(x).relu())


@pytest.mark.parametrize("mode", [*EIGHT, M.INT4WO_ASYM])
def test_convolutions_have_eight_bits(mode):
    torch.manual_seed(0)
    x = torch.rand(1, 3, 8, 8)
    made = types.SimpleNamespace(pre_autograd_graph_module=export(Pictures().eval(), (x,)).module())
    apply_nncf_data_aware_compression(made, OpenVINOQuantizer(mode=mode), False, False)
    module = made.pre_autograd_graph_module
    assert sum(value.dtype == torch.uint8 for value in module.state_dict().values()) == 2
    edge = to_edge_transform_and_lower(export(module, (x,)), partitioner=[OpenvinoPartitioner()])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(
        method.execute([x])[0], copy.deepcopy(module).float()(x).detach(), atol=1e-4, rtol=1e-4
    )


def test_ignored_layers_stay_as_they_are():
    quantizer = OpenVINOQuantizer(mode=M.INT4WO_SYM, group_size=-1, all_layers=True)
    quantizer.set_ignored_scope(types=[torch.ops.aten.embedding.default], names=["linear"])
    state = compressed(quantizer).state_dict()
    assert state["table.weight"].dtype == state["wide.weight"].dtype == torch.float32
    assert "head.weight" not in state


def error(module, model):
    data = [
        call(ord(letter) - 32, at) for at, letter in enumerate("the quick brown fox jumps over the lazy dog")
    ]
    return float(sum((module(*one) - model(*one)).square().sum() for one in data))


@pytest.mark.parametrize(
    "flags", [{"scale_estimation": True}, {"awq": True}, {"awq": True, "scale_estimation": True}]
)
def test_data_makes_results_nearer(flags, text):
    model = talker()
    quantizer = OpenVINOQuantizer(mode=M.INT4WO_SYM, group_size=-1, all_layers=True)
    plain = compressed(quantizer, copy.deepcopy(model))
    with_data = compressed(quantizer, copy.deepcopy(model), **flags, **text)
    assert error(with_data, model) < error(plain, model)
    assert_the_delegate_agrees(with_data)


def test_what_data_needs_is_named(text):
    quantizer = OpenVINOQuantizer(mode=M.INT4WO_SYM)
    del text["calibration_seq_length"]
    with pytest.raises(ValueError, match=r"parameter\(s\): calibration_seq_length. AWQ and scale estimation"):
        compressed(quantizer, awq=True, **text)


def test_activations_are_not_nncfs():
    with pytest.raises(ValueError, match="Way out: INT4WO_ASYM, INT4WO_SYM, INT8WO_ASYM, INT8WO_SYM"):
        compressed(OpenVINOQuantizer(mode=M.INT8_SYM))


def test_without_nncf_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nncf", None)
    with pytest.raises(ImportError, match="pip install nncf"):
        compressed(OpenVINOQuantizer(mode=M.INT4WO_SYM))


def test_the_text_goes_on_until_the_model_ends_it():
    said = iter([5, 9, 7, 0])

    def model(tokens, at):
        logits = torch.zeros(1, 1, WORDS)
        logits[..., next(said) if int(at["input_pos"]) >= 2 else 3] = 1
        return logits

    assert get_calibration_data(model, Tokenizer(), "ab", 10) == list(enumerate([1, 65, 66, 5, 9, 7]))
    assert get_calibration_data(lambda *_: torch.ones(1, 1, 4), Tokenizer(), "abcdef", 3) == [
        (0, 1),
        (1, 65),
        (2, 66),
    ]


@pytest.mark.parametrize("mode", MODES)
def test_the_compile_spec_rounds_as_nncf_does(mode):
    import nncf
    from nncf.quantization.algorithms.weight_compression import weight_lowering
    from nncf.quantization.algorithms.weight_compression.config import WeightCompressionConfig
    from nncf.tensor import Tensor

    size = 32 if mode.startswith("INT4") else -1
    weight = np.random.default_rng(0).standard_normal((48, 96)).astype(np.float32)
    weight[0] = 0
    weight[1] = np.abs(weight[1])
    theirs = weight_lowering.compress_weight(
        Tensor(torch.from_numpy(weight)), 1, WeightCompressionConfig(nncf.CompressWeightsMode[mode], size)
    )
    integers, scales, zeros = rounded(weight, Compression(*MODES[mode], size))
    moved = 0 if theirs.zero_point is None else theirs.zero_point.data.reshape(zeros.shape).numpy()
    centred = theirs.tensor.data.reshape(integers.shape).numpy().astype(np.int32) - moved
    np.testing.assert_array_equal(integers.astype(np.int32) - zeros, centred)
    is_there = np.any(centred, -1)
    np.testing.assert_allclose(
        scales[is_there], theirs.scale.data.reshape(scales.shape).numpy()[is_there], rtol=1e-6
    )
