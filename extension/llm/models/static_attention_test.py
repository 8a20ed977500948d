"""Static attention in pieces against the same decoder without caches; masks against a list of positions."""

from __future__ import annotations

from collections import defaultdict

import pytest
import torch

from executorch.extension.llm.models.lora_linear import LoRALinear
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.static_attention import (
    PointwiseConvolution,
    StaticAttention,
    transform_attention_mha_to_static_attention,
)
from executorch.extension.llm.models.static_cache import STYLES, StaticKVCache, slot_positions
from executorch.extension.llm.models.static_io import StaticAttentionIOManager
from executorch.extension.llm.models.transformer import construct_transformer

_SIZES = {"dim": 32, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 40, "hidden_dim": 48, "n_layers": 2}


def _args(**more) -> ModelArgs:
    return ModelArgs(**_SIZES, max_context_len=64, generate_full_logits=True, **more)


def _decoder(args: ModelArgs):
    torch.manual_seed(0)
    model = construct_transformer(args).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(0.8, 1.2)
    return model


@pytest.mark.parametrize("style", STYLES)
def test_slots_hold_the_newest(style):
    cache, held = torch.full((1, 5, 1), -1), []
    for count in (2, 5, 1, 7, 3):
        tokens = torch.arange(len(held), len(held) + count)
        cache = StaticKVCache.apply_update(cache, tokens.view(1, -1, 1), len(held), style)
        held += tokens.tolist()
        slots = slot_positions(style, 5, len(held)).clamp(min=-1)
        assert cache.flatten().tolist() == slots.tolist()
        assert sorted(set(slots.tolist()) - {-1}) == held[-5:]
    with pytest.raises(ValueError, match="smart_mask, not ring"):
        slot_positions("ring", 5, 0)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"use_hf_rope": True, "partial_rotary_factor": 0.5, "attention_qkv_bias": True},
        {"partial_rotary_factor": 0.5, "use_qk_norm": True},
        {"use_qk_norm": True, "no_rope_layer_interval": 2, "attn_logit_softcapping": 2.0},
        {"use_qk_norm": True, "qk_norm_before_rope": True, "attention_multiplier": 0.3},
    ],
)
def test_pieces_give_the_logits_of_the_whole(style, split, more):
    model = _decoder(_args(**more))
    tokens = torch.randint(40, (2, 23))
    with torch.no_grad():
        expected = model(tokens)
        static = transform_attention_mha_to_static_attention(
            model, split, inplace=False, use_conv2d=split, use_hf_rope=True
        )
        assert isinstance(static.layers[0].attention, StaticAttention)
        assert isinstance(static.layers[0].attention.wo, PointwiseConvolution) == split
        manager = StaticAttentionIOManager(static, 5, 24, batch_size=2, style=style)
        torch.testing.assert_close(manager.prefill(static, tokens), expected, rtol=1e-4, atol=1e-5)
    assert manager.pos == 23 and torch.equal(model(tokens), expected)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("window", "piece"), [(4, 9), (7, 3), (6, 6)])
def test_shorter_caches_are_windows(style, window, piece):
    model = _decoder(_args(layer_types=["sliding_attention", "full_attention"], sliding_window=window))
    tokens = torch.randint(40, (1, 25))
    with torch.no_grad():
        expected = model(tokens)
        static = transform_attention_mha_to_static_attention(model)
        manager = StaticAttentionIOManager(static, piece, [window, 30], style=style)
        torch.testing.assert_close(manager.prefill(static, tokens), expected, rtol=1e-4, atol=1e-5)


def test_exported_and_looking_ahead_it_says_the_same():
    model = _decoder(_args(attention_type="static"))
    manager = StaticAttentionIOManager(model.params, 12, 48)
    options = {
        "masks": manager.masks,
        "freqs_cos_override": manager.freqs_cos[:12],
        "freqs_sin_override": manager.freqs_sin[:12],
        "in_cache_state": (manager.k_caches, manager.v_caches),
    }
    exported = torch.export.export(model, (torch.zeros(1, 12, dtype=torch.long), options)).module()
    calls = []

    def counted(tokens, options):
        calls.append(tokens)
        return exported(tokens, options)

    with torch.no_grad():
        first = int(manager.prefill(exported, [3, 1, 4, 1, 5])[0, -1].argmax())
        expected = manager.decode(counted, first, 24)
        one_by_one = len(calls)
        ids = [3, 1, 4, 1, 5, first]
        for token in expected[1:]:
            reference = model_without_caches(model)(torch.tensor([ids]))[0, -1].argmax()
            assert int(reference) == token
            ids.append(token)
        guesses = defaultdict(lambda: StaticAttentionIOManager.NGramCache(3))
        for _ in range(2):
            manager.reset()
            manager.prefill(exported, [3, 1, 4, 1, 5])
            calls.clear()
            assert manager.lookahead_decode(counted, first, 24, 3, 3, 3, ngram_caches=guesses) == expected
        assert len(calls) < one_by_one
        manager.reset()
        manager.prefill(exported, [3, 1, 4, 1, 5])
        assert manager.decode(exported, first, 24, stop_tokens=expected[1:2]) == expected[:2]


def model_without_caches(model):
    """The same weights over all tokens at once."""

    def call(tokens):
        seen = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
        return model(tokens, {"masks": {0: seen}})[0]

    return call


def test_what_is_refused():
    model = _decoder(_args())
    attention = model.layers[0].attention
    attention.wq = LoRALinear(32, 32, rank=2, alpha=4.0)
    with pytest.raises(ValueError, match=r"wq have adapters.*split_mha=False"):
        StaticAttention.from_attention_mha(attention)
    whole = StaticAttention.from_attention_mha(attention, split_mha=False)
    assert isinstance(whole.wqs[0], LoRALinear)
    with pytest.raises(ValueError, match="not LoRALinear"):
        whole.linear_to_conv2d()
    with pytest.raises(ValueError, match="no mask for a cache of 0 tokens"):
        whole(torch.zeros(1, 2, 32), *model.rope.get_freqs(None, 2))
    with pytest.raises(ValueError, match="no static attention"):
        StaticAttentionIOManager(model, 4, 8)
    with pytest.raises(ValueError, match="static or static_mha, not mha"):
        StaticAttentionIOManager(model.params, 4, 8)
    with pytest.raises(ValueError, match="3 entries for 2 layers"):
        StaticAttentionIOManager(_args(attention_type="static"), 4, [8, 8, 8])
    with pytest.raises(ValueError, match="use_kv_cache=False"):
        transform_attention_mha_to_static_attention(construct_transformer(_args(use_kv_cache=True)))
    with pytest.raises(ValueError, match=r"layers \[1\] carry a state"):
        transform_attention_mha_to_static_attention(
            construct_transformer(_args(layer_types=["full_attention", "conv"]))
        )
    static = construct_transformer(_args(attention_type="static_mha"))
    manager = StaticAttentionIOManager(static.params, 4, 8)
    with pytest.raises(ValueError, match="takes 8 tokens a call, which has 4"):
        manager.lookahead_decode(static, 1, 2, 3, 2, 2)
    static.generate_full_logits = False
    with pytest.raises(ValueError, match="generate_full_logits"):
        manager.prefill(static, [1, 2, 3])
