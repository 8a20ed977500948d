"""Checkpoints that were quantized before, and rotated ones: programs against the same arithmetic in plain PyTorch."""

from __future__ import annotations

import copy
import json
import pathlib

import pytest
import torch
from torch import nn
from torchao.quantization.utils import group_quantize_tensor_symmetric

from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.export.pre_quantized import quantized_weights, split_adapter
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.rotations import rotate
from executorch.extension.llm.models.transformer import Transformer, construct_transformer
from executorch.runtime import Runtime

_SIZES = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 96, "hidden_dim": 128}
_TOKENS = torch.tensor([[4, 90, 17, 3, 3, 55, 8]])
#: What the documented files ask for.
_DOCUMENTED = """
base: {preq_mode: preq_8da4w_out_8da8w, preq_group_size: 32, preq_embedding_quantize: "8,0"}
model: {use_kv_cache: True, use_sdpa_with_kv_cache: True, dtype_override: fp32}
export: {max_seq_length: 12, max_context_length: 16}
debug: {generate_full_logits: True}
backend: {xnnpack: {enabled: True, extended_ops: True}}
"""


class _Layer(nn.Module):
    """A linear layer of rounded weights whose inputs are rounded to 8 bits, each token by its own range."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.weight = weight
        self.added: tuple[torch.Tensor, torch.Tensor] | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low, high = x.amin(-1, keepdim=True).clamp(max=0), x.amax(-1, keepdim=True).clamp(min=0)
        scale = ((high - low) / 255).clamp(min=torch.finfo(torch.float32).eps)
        zero = (-128 - torch.round(low / scale)).clamp(-128, 127)
        rounded = (torch.round(x / scale) + zero).clamp(-128, 127)
        y = (rounded - zero) * scale @ self.weight.T
        return y if self.added is None else y + 2.0 * (x @ self.added[0].T @ self.added[1].T)


def _by_rows(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scale = weight.abs().amax(1) / 127
    return (weight / scale[:, None]).round().to(torch.int8), scale


def _quantized(model: Transformer) -> tuple[Transformer, dict[str, torch.Tensor]]:
    """A decoder that calculates as a quantized one does, and the checkpoint of it."""
    plain, checkpoint = copy.deepcopy(model), dict(model.state_dict())
    for name, module in model.named_modules():
        if name in ("output", "tok_embeddings"):
            bits, scales = _by_rows(module.weight)
            values = bits * scales[:, None]
        elif isinstance(module, nn.Linear):
            bits, scales, _ = group_quantize_tensor_symmetric(module.weight, 4, 32, torch.float32)
            values = (bits.unflatten(1, (-1, 32)) * scales[..., None]).flatten(1)
        else:
            continue
        checkpoint |= {f"{name}.weight": bits, f"{name}.scales": scales}
        parent, _, child = name.rpartition(".")
        made = _Layer(values) if isinstance(module, nn.Linear) else nn.Embedding.from_pretrained(values)
        setattr(plain.get_submodule(parent), child, made)
    return plain, checkpoint


def _decoder() -> Transformer:
    torch.manual_seed(0)
    return construct_transformer(ModelArgs(**_SIZES, generate_full_logits=True)).eval().requires_grad_(False)  # type: ignore[arg-type]


def _export(
    checkpoint: dict[str, torch.Tensor], directory: pathlib.Path, *overrides: str, text: str = _DOCUMENTED
) -> torch.Tensor:
    """Logits of the program, whose eager decoder is within rounding of it."""
    torch.save(checkpoint, directory / "model.pth")
    (directory / "params.json").write_text(json.dumps(_SIZES))
    config = from_yaml(
        text,
        [
            f"base.checkpoint={directory / 'model.pth'}",
            f"base.params={directory / 'params.json'}",
            f"export.output_dir={directory}",
            *overrides,
        ],
    )
    method = Runtime.get().load_program(export_llama(config)).load_method("forward")
    (found,) = method.execute((_TOKENS, torch.tensor([0])))
    eager = decoder.manager(config).model(_TOKENS, {"input_pos": torch.tensor([0])})
    assert _error(found, eager) < 0.03
    return found


def _error(found: torch.Tensor, want: torch.Tensor) -> float:
    return float((found - want).abs().max() / want.abs().max())


def test_a_checkpoint_of_spinquant(tmp_path: pathlib.Path) -> None:
    model = _decoder()
    floats = model(_TOKENS)
    plain, checkpoint = _quantized(rotate(model))
    found = _export(checkpoint, tmp_path, "quantization.use_spin_quant=native")
    assert _error(found, plain(_TOKENS)) < 0.02
    # Rotated and not, it is the same model.
    assert _error(found, floats) < 0.3
    assert (tmp_path / "llama3.pte").stat().st_size < 120_000  # floats are 343,000


def test_a_checkpoint_of_training_for_quantization_with_its_adapter(tmp_path: pathlib.Path) -> None:
    plain, checkpoint = _quantized(_decoder())
    for number, (layer, name) in enumerate(
        [("attention", "wq"), ("attention", "wo"), ("feed_forward", "w2")]
    ):
        linear = plain.layers[1].get_submodule(f"{layer}.{name}")
        rows, columns = linear.weight.shape
        draw = torch.Generator().manual_seed(number)
        pair = torch.randn(16, columns, generator=draw) * 0.05, torch.randn(rows, 16, generator=draw) * 0.05
        linear.added = pair
        for half, value in zip("AB", pair, strict=True):
            checkpoint[f"layers.1.{layer}.{name}.adaptor.{half}.weight"] = value
    found = _export(checkpoint, tmp_path, "base.use_lora=16", "quantization.use_qat=True")
    assert _error(found, plain(_TOKENS)) < 0.02
    for layer in plain.layers[1].modules():
        if isinstance(layer, _Layer):
            layer.added = None
    assert _error(found, plain(_TOKENS)) > 0.03  # the adapter does something


def test_floats_are_rotated_here(tmp_path: pathlib.Path) -> None:
    model = _decoder()
    floats = model(_TOKENS)
    text = _DOCUMENTED.replace(
        'preq_mode: preq_8da4w_out_8da8w, preq_group_size: 32, preq_embedding_quantize: "8,0"', ""
    )
    checkpoint = copy.deepcopy(model.state_dict())
    assert (
        _error(_export(checkpoint, tmp_path, "quantization.use_spin_quant=native", text=text), floats) < 1e-3
    )
    cache = ("quantization.use_spin_quant=native", "model.quantize_kv_cache=true")
    assert _error(_export(checkpoint, tmp_path, *cache, text=text), floats) < 0.03
    assert (tmp_path / "llama3.pte").read_bytes().count(b"fast_hadamard_transform") > 0
    four = ("quantization.use_spin_quant=native", "quantization.qmode=8da4w")
    assert _error(_export(checkpoint, tmp_path, *four, text=text), floats) < 0.3


def test_embeddings_in_groups_and_all_layers_in_four_bits() -> None:
    model = _decoder()
    bits, scales, _ = group_quantize_tensor_symmetric(model.tok_embeddings.weight, 4, 16, torch.float32)
    output, output_scales, _ = group_quantize_tensor_symmetric(model.output.weight, 4, 32, torch.float32)
    made = quantized_weights(
        {
            "tok_embeddings.weight": bits,
            "tok_embeddings.scales": scales,
            "output.weight": output,
            "output.scales": output_scales,
            "norm.weight": model.norm.weight,
        },
        group_size=32,
        embedding="4,16",
        is_output_int8=False,
    )
    assert made["norm.weight"] is model.norm.weight and len(made) == 3
    values = (bits.unflatten(1, (-1, 16)) * scales[..., None]).flatten(1)
    assert torch.equal(made["tok_embeddings.weight"].dequantize(), values)
    assert made["output.weight"].target_dtype is torch.int4 and made["output.weight"].block_size == (1, 32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scales": torch.ones(8, 3)}, "groups of 32"),
        ({"weight": torch.ones(8, 64)}, "not int8"),
        ({"weight": torch.full((8, 64), 9, dtype=torch.int8)}, "no 4 bits"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, torch.Tensor], message: str) -> None:
    layer = {"weight": torch.ones(8, 64, dtype=torch.int8), "scales": torch.ones(8, 2)} | change
    with pytest.raises(ValueError, match=message):
        quantized_weights(
            {f"layers.0.attention.wq.{name}": one for name, one in layer.items()}, 32, "8,0", True
        )


def test_what_is_missing_is_refused() -> None:
    with pytest.raises(ValueError, match="this one has none"):
        quantized_weights({"output.weight": torch.ones(2, 2)}, 32, "8,0", True)
    with pytest.raises(ValueError, match="preq_embedding_quantize 3,0"):
        quantized_weights(
            {"tok_embeddings.weight": torch.ones(2, 2), "tok_embeddings.scales": torch.ones(2)},
            32,
            "3,0",
            True,
        )
    with pytest.raises(ValueError, match=r"no adaptor\.A"):
        split_adapter({"output.weight": torch.ones(2, 2)}, 4)
    with pytest.raises(ValueError, match="not one of rank 4"):
        split_adapter({"layers.0.attention.wq.adaptor.A.weight": torch.ones(2, 2)}, 4)
