"""Decoders with an adapter are those whose weights had it added; what does not fit is named."""

import json

import pytest
import torch
from safetensors.torch import save_file

from executorch.extension.llm.models.lora import add_adapter, is_adapter, read_adapter
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import construct_transformer

RANK, ALPHA, HEAD = 2, 6.0, 8
TOKENS = torch.tensor([[1, 5, 7, 2]])
TARGETS = {"q_proj": "attention.wq", "v_proj": "attention.wv", "down_proj": "feed_forward.w2"}


def _decoder(use_hf_rope, **options):
    torch.manual_seed(0)
    sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 20, "hidden_dim": 24}
    return construct_transformer(
        ModelArgs(**sizes, use_hf_rope=use_hf_rope, max_context_len=8, **options)
    ).eval()


def _adapter():
    """Weights as PEFT names them."""
    shapes = {"self_attn.q_proj": (32, 32), "self_attn.v_proj": (32, 16), "mlp.down_proj": (24, 32)}
    weights = {}
    for layer in range(2):
        for module, (inside, outside) in shapes.items():
            name = f"base_model.model.model.layers.{layer}.{module}"
            weights[f"{name}.lora_A.weight"] = torch.randn(RANK, inside)
            weights[f"{name}.lora_B.weight"] = torch.randn(outside, RANK)
    return weights


@pytest.mark.parametrize(("use_hf_rope", "rope_interleaved"), [(True, False), (False, False), (False, True)])
def test_an_adapter_is_its_product_added(use_hf_rope, rope_interleaved, tmp_path):
    model, merged = (_decoder(use_hf_rope, rope_interleaved=rope_interleaved) for _ in range(2))
    weights = _adapter()
    save_file(weights, tmp_path / "adapter_model.safetensors")
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"r": RANK, "lora_alpha": ALPHA, "target_modules": list(TARGETS), "bias": "none"})
    )
    read, config = read_adapter(tmp_path / "adapter_model.safetensors", tmp_path / "adapter_config.json")
    add_adapter(model, read, **config)
    assert sum(is_adapter(name) for name, _ in model.named_parameters()) == len(weights)
    with torch.no_grad():
        plain = merged(TOKENS)
        for name, first in weights.items():
            if "lora_B" in name:
                continue
            layer, module = int(name.split(".")[4]), name.split(".")[6]
            added = ALPHA / RANK * weights[name.replace("lora_A", "lora_B")] @ first
            if module == "q_proj" and not use_hf_rope and not rope_interleaved:
                # Row by row: number i of the second half goes behind number i of the first.
                order = [
                    h * HEAD + i + half * HEAD // 2
                    for h in range(4)
                    for i in range(HEAD // 2)
                    for half in (0, 1)
                ]
                added = added[order]
            merged.get_submodule(f"layers.{layer}.{TARGETS[module]}").weight += added
        torch.testing.assert_close(model(TOKENS), merged(TOKENS), atol=1e-3, rtol=1e-4)
        assert not torch.allclose(model(TOKENS), plain, atol=1e-2)


def test_what_does_not_fit(tmp_path):
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
    for weights, targets, message in [
        ({"lm_head.lora_A.weight": torch.zeros(1)}, (), "lm_head.lora_A.weight has no place"),
        ({name.replace("0", "9"): torch.zeros(2, 32)}, (), "layers.9.* has no place"),
        ({name: torch.zeros(2, 32)}, (), r"lora_b of layers.0.q_proj has shape none, not \(32, 2\)"),
        ({name: torch.zeros(3, 32)}, (), r"lora_a of layers.0.q_proj has shape \(3, 32\), not \(2, 32\)"),
        ({}, ("k_proj",), "no weights for k_proj"),
    ]:
        with pytest.raises(ValueError, match=message):
            add_adapter(_decoder(True), weights, RANK, ALPHA, targets)
    with pytest.raises(FileNotFoundError, match="no adapter"):
        read_adapter(tmp_path / "none.safetensors")
    save_file({"a": torch.zeros(1)}, tmp_path / "a.safetensors")
    (tmp_path / "c.json").write_text('{"r": 2}')
    with pytest.raises(ValueError, match="with r, lora_alpha and target_modules"):
        read_adapter(tmp_path / "a.safetensors", tmp_path / "c.json")
