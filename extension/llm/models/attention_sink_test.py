"""Endless decoders against the same attention without a cache; attention by products against PyTorch's operator."""

from __future__ import annotations

import pytest
import torch

from executorch.extension.llm.cache.custom_kv_cache import CustomKVCacheWithAttentionSink
from executorch.extension.llm.cache.replacements import replace_kv_cache_with_custom_kv_cache
from executorch.extension.llm.models.attention_sink import RopeWithAttentionSink, enable_attention_sink
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.sdpa import (
    SDPASimple,
    replace_sdpa_with_custom_op,
    replace_sdpa_with_simple_sdpa,
)
from executorch.extension.llm.models.transformer import construct_transformer

_SINK, _WINDOW, _LENGTH = 2, 4, 25
_SIZES = {
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "n_kv_heads": 2,
    "vocab_size": 40,
    "hidden_dim": 48,
    "max_context_len": 32,
}


def _args(**more: bool) -> ModelArgs:
    return ModelArgs(**_SIZES, generate_full_logits=True, **more)  # type: ignore[arg-type]


def _reference(weights: dict[str, torch.Tensor], tokens: torch.Tensor) -> torch.Tensor:
    """All tokens at once: who sees whom is a mask, and rotations are rows of the tables."""
    model = construct_transformer(_args()).eval()
    model.load_state_dict(weights)
    here = torch.arange(_LENGTH)
    distance = here[:, None] - here
    seen = (distance >= 0) & ((distance < _WINDOW) | (here < _SINK))
    for layer in model.layers:
        layer.attention.mask = seen
    rows = [place if place < _SINK else (place - _SINK) % (2 * _WINDOW) + _SINK for place in range(_LENGTH)]
    tables = {
        "freqs_cos_override": model.rope.freqs_cos[rows],
        "freqs_sin_override": model.rope.freqs_sin[rows],
    }
    return model(tokens, tables)


@pytest.mark.parametrize("chunk", [1, 3])
@pytest.mark.parametrize("by_operator", [False, True])
def test_a_text_without_an_end(chunk: int, by_operator: bool) -> None:
    torch.manual_seed(0)
    args = _args(use_kv_cache=True, enable_dynamic_shape=True)
    model = construct_transformer(args).eval()
    weights = {name: value for name, value in model.state_dict().items() if "cache" not in name}
    assert enable_attention_sink(model, args, _SINK, _WINDOW) is model
    if by_operator:
        replace_kv_cache_with_custom_kv_cache(model)
        replace_sdpa_with_custom_op(model)
        assert isinstance(model.layers[0].attention.kv_cache, CustomKVCacheWithAttentionSink)
    else:
        replace_sdpa_with_simple_sdpa(model)
        assert isinstance(model.layers[0].attention.SDPA, SDPASimple)
    tokens = torch.randint(0, 40, (1, _LENGTH))
    with torch.no_grad():
        want = _reference(weights, tokens)
        pieces = [
            model(tokens[:, at : at + chunk], {"input_pos": torch.tensor([at])})
            for at in range(0, _LENGTH, chunk)
        ]
    torch.testing.assert_close(torch.cat(pieces, dim=1), want, rtol=1e-4, atol=1e-5)


def test_tables_that_are_too_short_are_refused() -> None:
    with pytest.raises(ValueError, match=r"more than max_context_len, 32"):
        RopeWithAttentionSink(_args(), window_size=16, sink_size=1)
