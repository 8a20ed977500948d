"""Weights in few bits, against torchao's own quantization of them."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn
from torchao.quantization import IntxUnpackedToInt8Tensor
from torchao.quantization.granularity import PerGroup
from torchao.quantization.quant_primitives import MappingType, _choose_qparams_and_quantize_affine_hqq
from torchao.quantization.quantize_.workflows.int4.int4_tensor import Int4Tensor

from executorch.extension.llm.export.exportable import ExportableTensor
from executorch.extension.llm.export.int4 import ExportableInt4Tensor
from executorch.extension.llm.export.quant import (
    QuantConfig,
    QuantRecipe,
    QuantRule,
    dequantize_weight,
    fuse_along_output,
    identity,
    maybe_cast,
    quantize_model,
    quantize_stream,
    quantize_weight,
    to_default,
    to_exportable,
)

_FOUR = QuantConfig(4, 32, symmetric=True, method="min_max")


def _weight(rows: int = 24, columns: int = 96, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def _torchao(weight: torch.Tensor, config: QuantConfig) -> torch.Tensor:
    made = IntxUnpackedToInt8Tensor.from_hp(
        weight,
        (1, config.group_size),
        getattr(torch, f"int{config.bits}"),
        mapping_type=MappingType.SYMMETRIC if config.symmetric else MappingType.ASYMMETRIC,
        intx_choose_qparams_algorithm="hqq_scale_only" if config.method == "hqq" else "affine",
    )
    return made.dequantize()


@pytest.mark.parametrize(
    ("bits", "symmetric", "method"),
    [
        *itertools.product((4, 5, 6, 8), (True, False), ("min_max",)),
        *itertools.product((4, 6, 8), (True,), ("hqq",)),
    ],
)
def test_values_are_torchaos(bits: int, symmetric: bool, method: str) -> None:
    config = QuantConfig(bits, 32, symmetric, method)
    made = quantize_weight(_weight(), config)
    assert isinstance(made, Int4Tensor if bits == 4 else IntxUnpackedToInt8Tensor)
    want = _torchao(_weight(), config)
    torch.testing.assert_close(dequantize_weight(made), want, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(dequantize_weight(to_default("w", made)), want, rtol=1e-6, atol=1e-6)


def test_hqq_of_scales_and_zeros_is_torchaos() -> None:
    bits, scale, zero, _ = _choose_qparams_and_quantize_affine_hqq(
        _weight(), nbits=4, group_size=32, compute_dtype=torch.float32, device="cpu"
    )
    groups = (
        bits.float().unflatten(1, (-1, 32)) - 8
    )  # as its kernels take them: zero is what the middle stands for
    want = (groups * scale.reshape(24, 3, 1) + zero.reshape(24, 3, 1)).flatten(1)
    made = quantize_weight(_weight(), QuantConfig(4, 32, False, "hqq"))
    torch.testing.assert_close(dequantize_weight(made), want, rtol=1e-5, atol=1e-5)


def test_weights_of_experts_keep_their_dimensions() -> None:
    experts = torch.stack([_weight(seed=one) for one in range(3)])
    for config in (_FOUR, QuantConfig(8, 32, False, "min_max")):
        made = quantize_weight(experts, config)
        assert made.shape == experts.shape
        want = torch.stack([dequantize_weight(quantize_weight(one, config)) for one in experts])
        torch.testing.assert_close(dequantize_weight(made), want)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (QuantConfig(4, 32, True, "gptq"), "no method gptq"),
        (QuantConfig(3, 32, True, "min_max"), "not 3"),
        (QuantConfig(8, 32, False, "hqq"), "symmetric"),
        (QuantConfig(4, 36, True, "min_max"), "do not divide"),
    ],
)
def test_what_there_is_not_is_refused(config: QuantConfig, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quantize_weight(_weight(), config)


def test_the_first_rule_counts() -> None:
    eight = QuantConfig(8, 32, True, "min_max")
    recipe = QuantRecipe(
        [
            QuantRule(r".*norm\.weight", None),
            QuantRule(r".*v\.weight", eight, {0, 7}),
            QuantRule(r".*\.weight", _FOUR),
        ]
    )
    found = {
        name: recipe.get_config(name)
        for name in ("layers.0.v.weight", "layers.1.v.weight", "v.weight", "norm.weight", "v.bias")
    }
    assert list(found.values()) == [eight, _FOUR, _FOUR, None, None]


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(40, 64)
        self.up, self.down = nn.Linear(64, 96, bias=False), nn.Linear(96, 64)
        self.register_buffer("steps", torch.arange(4))
        self.register_buffer("cache", torch.zeros(4), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(self.table(tokens))))


_RECIPE = QuantRecipe(
    [
        QuantRule(r"table\.weight", QuantConfig(8, 64, True, "min_max")),
        QuantRule(r"down\.weight", QuantConfig(4, 16, False, "min_max")),
        QuantRule(r"up\.weight", QuantConfig(6, 32, True, "min_max")),
    ]
)


def test_a_quantized_model_calculates_with_the_values_of_its_weights() -> None:
    model, tokens = _Model(), torch.tensor([[1, 39, 7]])
    state = quantize_model(model, _RECIPE, dtype=torch.float32)
    assert "cache" not in state and torch.equal(state["steps"], model.steps)
    assert isinstance(state["down.weight"], ExportableInt4Tensor)
    plain = _Model()
    plain.load_state_dict({name: dequantize_weight(value) for name, value in state.items()})
    for name, value in state.items():
        if name.endswith("weight"):
            model.get_submodule(name.split(".")[0]).weight = nn.Parameter(value, requires_grad=False)
    torch.testing.assert_close(model(tokens), plain(tokens))
    exported = torch.export.export(model, (tokens,)).run_decompositions({})
    torch.testing.assert_close(exported.module()(tokens), plain(tokens))
    assert {"torchao.dequantize_int4_tensor.default", "torchao.dequantize_affine.default"} <= {
        str(node.target) for node in exported.graph.nodes
    }


def test_a_stream_has_the_form_of_files_and_the_same_bits() -> None:
    model = _Model()
    parameters = ((name, one.data) for name, one in model.named_parameters())
    streamed = dict(quantize_stream(parameters, _RECIPE))
    assert isinstance(streamed["down.weight"], Int4Tensor)
    assert streamed["down.bias"].dtype == torch.bfloat16
    whole = quantize_model(model, _RECIPE)
    for name, value in streamed.items():
        assert torch.equal(
            dequantize_weight(maybe_cast(to_default(name, value), torch.bfloat16)),
            dequantize_weight(whole[name]),
        ), name
    assert isinstance(quantize_model(model, _RECIPE, convert=identity)["down.weight"], Int4Tensor)


@pytest.mark.parametrize("bits", [4, 8])
def test_casts_keep_the_bits(bits: int) -> None:
    made = to_exportable("w", quantize_weight(_weight(), QuantConfig(bits, 32, False, "min_max")))
    cast = maybe_cast(made, torch.float16)
    assert type(cast) is type(made) and cast.dtype == torch.float16 and torch.equal(cast.qdata, made.qdata)
    assert cast.dequantize().dtype == torch.float16
    torch.testing.assert_close(cast.dequantize().float(), made.dequantize(), rtol=2e-3, atol=2e-3)
    raw = quantize_weight(_weight(), _FOUR)
    assert maybe_cast(raw, torch.float16) is raw  # its own `to` ignores the dtype
    assert maybe_cast(torch.arange(3), torch.float16).dtype == torch.int64


@pytest.mark.parametrize("bits", [4, 8])
def test_weights_of_the_same_inputs_become_one(bits: int) -> None:
    config = QuantConfig(bits, 32, False, "min_max")
    parts = [to_default("w", quantize_weight(_weight(rows, seed=rows), config)) for rows in (8, 24, 8)]
    fused = fuse_along_output(parts)
    assert type(fused) is type(parts[0]) and fused.shape == (40, 96)
    assert torch.equal(dequantize_weight(fused), torch.cat([dequantize_weight(one) for one in parts]))
    with pytest.raises(ValueError, match="different ways"):
        fuse_along_output(
            [parts[0], to_default("w", quantize_weight(_weight(), QuantConfig(bits, 16, False, "min_max")))]
        )
    with pytest.raises(TypeError, match="different types"):
        fuse_along_output([parts[0], _weight()])
    with pytest.raises(TypeError, match="to_default"):
        fuse_along_output([quantize_weight(_weight(), _FOUR)] * 2)


def test_four_bits_lie_in_pairs() -> None:
    bits = torch.arange(-8, 8, dtype=torch.int8).reshape(1, 16)
    weight = IntxUnpackedToInt8Tensor(
        bits,
        torch.tensor([[0.5, 2.0]]),
        torch.tensor([[0, 1]], dtype=torch.int8),
        torch.int4,
        (1, 8),
        torch.float32,
        None,
    )
    made = ExportableInt4Tensor.from_intx_unpacked_to_int8_tensor(weight)
    assert made.qdata[0].tolist() == [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]
    assert made.dequantize()[0].tolist() == [
        -4.0,
        -3.5,
        -3.0,
        -2.5,
        -2.0,
        -1.5,
        -1.0,
        -0.5,
        -2.0,
        0.0,
        2.0,
        4.0,
        6.0,
        8.0,
        10.0,
        12.0,
    ]
    assert isinstance(made, ExportableTensor)
    with pytest.raises(AssertionError, match="in floats"):
        made.to(torch.int8)
    with pytest.raises(ValueError, match="only int4"):
        ExportableInt4Tensor.from_intx_unpacked_to_int8_tensor(
            quantize_weight(_weight(), QuantConfig(8, 32, True, "min_max"))
        )


def test_layers_that_quantize_their_inputs_keep_their_tensor() -> None:
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_

    layer = nn.Linear(64, 8, bias=False)
    quantize_(
        layer,
        Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)),
        filter_fn=None,
    )
    with pytest.raises(ValueError, match="quantizes its inputs"):
        to_default("w", layer.weight.data)
    assert to_exportable("w", layer.weight) is layer.weight
