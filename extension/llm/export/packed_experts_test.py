"""Experts of four bits: what they calculate, what of them a program has, and what is refused."""

import logging

import pytest
import torch

from executorch.exir import to_edge_transform_and_lower
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.decoder import manager
from executorch.extension.llm.export.models_for_tests import CUSTOM, saved
from executorch.extension.llm.export.packed_experts import (
    QuantizedMoEFFN,
    replace_moe_with_quantized_op,
    symmetric_quantize_per_group,
)
from executorch.extension.llm.models.feed_forward import MOEFeedForward
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.runtime import Runtime

EXPERTS = {"moe": True, "num_experts": 4, "num_activated_experts": 2, "moe_hidden_dim": 64}


def experts(**others):
    torch.manual_seed(0)
    return MOEFeedForward(ModelArgs(dim=32, n_heads=2, **EXPERTS, **others)).eval()


def rounded(weight, turned=False):
    """What is left of weights, `[experts, n, k]`."""

    def one(matrix):
        numbers, scales = symmetric_quantize_per_group(matrix, 32)
        return numbers * scales.repeat_interleave(32, 1)

    found = [one(matrix.t()).t() if turned else one(matrix) for matrix in weight.detach()]
    return torch.nn.Parameter(torch.stack(found))


def replaced(model):
    return replace_moe_with_quantized_op(torch.nn.Sequential(model))[0]


@pytest.mark.parametrize("shape", [(32,), (5, 32), (2, 3, 32)])
def test_they_calculate_with_rounded_weights(shape):
    floats, x = experts(), torch.randn(shape)
    quantized = replaced(floats)
    network = floats.cond_ffn
    network.w1, network.w3 = rounded(network.w1), rounded(network.w3)
    network.w2 = rounded(network.w2, turned=True)
    torch.testing.assert_close(quantized(x), floats(x).detach(), rtol=1e-5, atol=1e-5)


def test_sigmoid_chooses_by_the_bias_and_weighs_without_it():
    model = experts()
    model.score_func, model.route_scale = "sigmoid", 2.5
    # So large that experts 1 and 3 are chosen for every token.
    model.expert_bias = torch.tensor([0.0, 9.0, 0.0, 9.0])
    quantized, x = replaced(model), torch.randn(3, 32)
    ratings = model.gate(x).sigmoid()[:, [1, 3]]
    weights = ratings * 2.5 / ratings.sum(1, keepdim=True)
    network = model.cond_ffn
    network.w1, network.w3 = rounded(network.w1), rounded(network.w3)
    network.w2 = rounded(network.w2, turned=True)
    given = network(x, torch.tensor([[1, 3]]).expand(3, 2))
    torch.testing.assert_close(
        quantized(x), (given * weights[..., None]).sum(1).detach(), rtol=1e-5, atol=1e-5
    )


def test_half_precision_leaves_the_choice_as_it_is():
    quantized = replaced(experts())
    gate = quantized.gate_weight.clone()
    assert torch.equal(quantized.half().gate_weight, gate)
    assert quantized(torch.randn(2, 32).half()).dtype == torch.float16


def test_what_all_tokens_have_stays():
    model, x = experts(shared_expert_hidden_dim=48), torch.randn(3, 32)
    plain = replaced(experts())(x)
    torch.testing.assert_close(replaced(model)(x), plain + model.shared_expert(x))


@pytest.mark.parametrize(
    "options, others, words",
    [
        ({"weight_nbit": 3}, {}, "4 bits"),
        ({"group_size": 0}, {}, "do not divide"),
        ({"group_size": 48}, {}, "do not divide"),
        ({}, {"act_fn": "gelu"}, "SiLU"),
        ({}, {"norm_topk_prob": False}, "norm_topk_prob"),
    ],
)
def test_what_no_kernel_has_is_refused(options, others, words):
    with pytest.raises(ValueError, match=words):
        replace_moe_with_quantized_op(torch.nn.Sequential(experts(**others)), **options)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Overrides that name a small decoder with experts."""
    return saved(tmp_path_factory.mktemp("model"), EXPERTS)


def test_a_program_has_them_in_four_bits(base):
    asked = ["quantization.qmode=4w", "model.use_moe_quantized_op=true"]
    made = manager(from_yaml("", [*base, *CUSTOM, *asked]))
    assert sum(isinstance(one, QuantizedMoEFFN) for one in made.model.modules()) == 1
    exported = torch.export.export(made.model, made.example_inputs)
    program = to_edge_transform_and_lower(exported).to_executorch()
    assert "quantized_moe_ffn" in str(program.exported_program().graph)
    # Three matrices of 4 experts of 64 times 64 elements would be 196,608 bytes as floats.
    assert len(program.buffer) < 100_000
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    inputs = (torch.tensor([[5, 17, 33]]), torch.tensor([0]))
    expected = made.model(inputs[0], {"input_pos": inputs[1]})
    torch.testing.assert_close(method.execute(list(inputs))[0], expected.detach(), rtol=1e-3, atol=1e-3)


def test_experts_that_stay_floats_are_told(base, caplog):
    with caplog.at_level(logging.WARNING):
        manager(from_yaml("", [*base, "quantization.qmode=8da4w"]))
    assert "model.use_moe_quantized_op" in caplog.text
