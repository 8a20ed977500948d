"""Layers for checkpoints that were quantized before, against the values of their integers and scales."""

import pytest
import torch

from executorch.examples.models.llama.source_transformation.pre_quantization import (
    dynamically_quantize_per_channel,
    sanitize_checkpoint_from_pre_quantization,
    transform_embedding_for_pre_quantization,
    transform_linear_for_pre_quantization,
    transform_output_linear_for_pre_quantization,
)

#: Largest numbers of 4 and 8 bits.
FOUR, EIGHT = (-8, 7, torch.int8), (-128, 127, torch.int8)


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = torch.nn.Embedding(20, 64)
        self.layer = torch.nn.Sequential(torch.nn.Linear(64, 64, bias=False))
        self.output = torch.nn.Linear(64, 20, bias=False)

    def forward(self, tokens):
        return self.output(self.layer(self.tok_embeddings(tokens)))


def quantized(model):
    """A checkpoint of integers, and the model with the values that they stand for."""
    checkpoint = {}
    for name, form, group in [
        ("tok_embeddings", FOUR, 32),
        ("layer.0", FOUR, 32),
        ("output", EIGHT, None),
    ]:
        layer = model.get_submodule(name)
        numbers, scales, zeros = dynamically_quantize_per_channel(
            layer.weight.detach(), *form, group, scales_dtype=torch.float32
        )
        checkpoint |= {f"{name}.weight": numbers, f"{name}.scales": scales, f"{name}.zeros": zeros}
        wide = scales.reshape(len(scales), -1).repeat_interleave(group or 64, 1)
        layer.weight = torch.nn.Parameter(numbers * wide)
    return checkpoint


def transformed(model, checkpoint):
    transform_embedding_for_pre_quantization(model, checkpoint, torch.float32, 4, 32)
    transform_linear_for_pre_quantization(model, checkpoint, 32, torch.float32)
    transform_output_linear_for_pre_quantization(model, checkpoint, torch.float32)
    sanitize_checkpoint_from_pre_quantization(checkpoint)
    model.load_state_dict(checkpoint, strict=True, assign=True)
    return model


def test_the_layers_have_the_values_of_the_checkpoint():
    torch.manual_seed(0)
    floats = Decoder()
    checkpoint = quantized(floats)
    model, tokens = transformed(Decoder(), checkpoint), torch.tensor([[3, 1, 19]])
    torch.testing.assert_close(model.tok_embeddings(tokens), floats.tok_embeddings(tokens).detach())
    expected = floats(tokens).detach()
    # Inputs of linear layers have 8 bits.
    torch.testing.assert_close(model(tokens), expected, atol=0.02 * expected.abs().max().item(), rtol=0.02)
    exported = torch.export.export(model, (tokens,)).module()
    torch.testing.assert_close(exported(tokens), model(tokens))


def test_rows_have_their_own_scales():
    x = torch.tensor([[1.0, -2.0, 0.5], [100.0, 0.0, 25.0]])
    numbers, scales, zeros = dynamically_quantize_per_channel(x, *EIGHT, scales_dtype=torch.float32)
    assert numbers.dtype == torch.int8 and scales.shape == (2,) and not zeros.any()
    torch.testing.assert_close(numbers * scales[:, None], x, rtol=0, atol=100 / 127)


def test_an_output_by_rows_keeps_its_8_bits_where_a_group_is_a_row():
    torch.manual_seed(0)
    weight = torch.nn.Linear(64, 20, bias=False).weight.detach()
    for form, bits in ((EIGHT, 8), (FOUR, 4)):
        numbers, scales, _ = dynamically_quantize_per_channel(weight, *form)
        checkpoint, model = {"output.weight": numbers, "output.scales": scales}, Decoder()
        transform_linear_for_pre_quantization(model, checkpoint, 64, torch.float32)
        transform_output_linear_for_pre_quantization(model, checkpoint, torch.float32)
        assert (model.output.bits, model.output.group) == (bits, 64)


def test_a_bias_is_refused():
    checkpoint = {f"{name}.scales": torch.ones(20) for name in ("biased", "output")}
    model = torch.nn.ModuleDict({name: torch.nn.Linear(32, 20) for name in ("biased", "output")})
    with pytest.raises(ValueError, match=r"biased has a bias"):
        transform_linear_for_pre_quantization(model, checkpoint, 32, torch.float32)
    with pytest.raises(ValueError, match=r"output has a bias"):
        transform_output_linear_for_pre_quantization(model, checkpoint, torch.float32)


def test_what_does_not_fit_is_refused():
    checkpoint = quantized(Decoder())
    with pytest.raises(ValueError, match="in groups of 16"):
        transform_linear_for_pre_quantization(Decoder(), checkpoint, 16, torch.float32)
    with pytest.raises(ValueError, match="not 3"):
        transform_embedding_for_pre_quantization(Decoder(), checkpoint, torch.float32, 3, 32)
    with pytest.raises(ValueError, match="do not divide"):
        dynamically_quantize_per_channel(torch.ones(2, 5), *FOUR, 2)
    checkpoint["output.zeros"] += 1
    with pytest.raises(ValueError, match=r"base\.preq_mode"):
        sanitize_checkpoint_from_pre_quantization(checkpoint)
