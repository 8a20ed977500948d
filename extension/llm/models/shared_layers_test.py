"""Layers that attend to another's keys and values: with caches, in static shapes and by hand, against the decoder without caches."""

from __future__ import annotations

import pytest
import torch

from executorch.extension.llm.cache.replacements import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
)
from executorch.extension.llm.models.attention import AttentionMHA
from executorch.extension.llm.models.lora_linear import LoRALinear
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.rotations import rotate
from executorch.extension.llm.models.sdpa import replace_sdpa_with_custom_op, replace_sdpa_with_quantized_sdpa
from executorch.extension.llm.models.static_attention import transform_attention_mha_to_static_attention
from executorch.extension.llm.models.static_io import StaticAttentionIOManager
from executorch.extension.llm.models.transformer import construct_transformer

_SIZES = {"dim": 32, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 40, "n_layers": 4}
_TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])


def _args(**more) -> ModelArgs:
    return ModelArgs(
        **_SIZES,
        max_context_len=16,
        generate_full_logits=True,
        **{"num_kv_shared_layers": 2, "hidden_dim": 48, **more},
    )


def _decoder(**more):
    torch.manual_seed(0)
    return construct_transformer(_args(**more)).eval().requires_grad_(False)


def test_the_last_layers_attend_to_the_one_before_them():
    model = _decoder(use_qk_norm=True)
    names = {name for name, _ in model.named_parameters()}
    assert "layers.1.attention.wk.weight" in names
    assert not {"layers.2.attention.wk.weight", "layers.3.attention.wv.weight"} & names
    given = []
    for number in (1, 2, 3):
        attention = model.layers[number].attention
        attention.register_forward_hook(
            lambda module, args, kwargs, out: given.append((kwargs.get("shared_kv"), out[1])),
            with_kwargs=True,
        )
    model(_TOKENS)
    (nothing, said), (first, silent), (second, _) = given
    assert nothing is None and said == {} and silent is None
    assert first is second and first[0].shape == (1, 2, 8, 8)


@pytest.mark.parametrize("custom", [False, True])
def test_token_by_token_over_a_cache(custom):
    plain = _decoder()
    cached = _decoder(use_kv_cache=True, enable_dynamic_shape=True)
    cached.load_state_dict(plain.state_dict(), strict=False)
    assert cached.layers[2].attention.kv_cache is None
    if custom:
        cached = replace_sdpa_with_custom_op(replace_kv_cache_with_custom_kv_cache(cached))
    found = [
        cached(_TOKENS[:, at : at + count], {"input_pos": torch.tensor([at])})
        for at, count in ((0, 5), (5, 1), (6, 2))
    ]
    torch.testing.assert_close(torch.cat(found, dim=1), plain(_TOKENS), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("split", [False, True])
def test_in_static_shapes(split):
    plain = _decoder(use_qk_norm=True)
    static = transform_attention_mha_to_static_attention(plain, split, inplace=False, use_hf_rope=True)
    manager = StaticAttentionIOManager(static, 3, 8)
    assert len(manager.k_caches) == (4 if split else 2)
    torch.testing.assert_close(manager.prefill(static, _TOKENS), plain(_TOKENS), rtol=1e-4, atol=1e-5)


def test_a_model_with_adapters_and_a_mask_of_its_own():
    model = _decoder(r=2, lora_alpha=4.0, target_modules=["q_proj", "o_proj"])
    attention = model.layers[3].attention
    assert isinstance(attention.wq, LoRALinear) and isinstance(attention.wo, LoRALinear)
    before = model(_TOKENS)
    assert attention.mask.shape == (16, 16)
    torch.testing.assert_close(model(_TOKENS), before)
    attention.mask[7, :7] = False
    after = model(_TOKENS)
    torch.testing.assert_close(after[:, :7], before[:, :7])
    assert not torch.allclose(after[:, 7], before[:, 7])


def test_what_is_refused():
    args = _args()
    attention = AttentionMHA(args, 2, construct_transformer(args).rope)
    with pytest.raises(ValueError, match="layer 2 has no keys and values"):
        attention(torch.zeros(1, 2, 32), *attention.rope.get_freqs(None, 2))
    with pytest.raises(ValueError, match=r"\[1\] have a window"):
        _args(layer_types=["sliding_attention"] * 2 + ["full_attention"] * 2, sliding_window=4)
    with pytest.raises(ValueError, match="quantize without rotations"):
        rotate(_decoder(hidden_dim=64))
    bytes_in = replace_sdpa_with_quantized_sdpa(
        replace_sdpa_with_custom_op(
            replace_kv_cache_with_quantized_kv_cache(
                replace_kv_cache_with_custom_kv_cache(_decoder(use_kv_cache=True, enable_dynamic_shape=True))
            )
        )
    )
    with pytest.raises(ValueError, match="gives its cache to others"):
        bytes_in(_TOKENS, {"input_pos": torch.tensor([0])})
