"""A rotated decoder says what it said before; outliers are spread."""

from __future__ import annotations

import pytest
import torch

from executorch.extension.llm.cache.quantized_kv_cache import by_token
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.rotations import RotatedFeedForward, rotate, rotate_queries_and_keys
from executorch.extension.llm.models.transformer import Transformer, construct_transformer

_SIZES = {
    "dim": 64,
    "n_layers": 2,
    "n_heads": 4,
    "n_kv_heads": 2,
    "vocab_size": 50,
    "generate_full_logits": True,
}


def _decoder(**more: object) -> Transformer:
    torch.manual_seed(0)
    model = construct_transformer(ModelArgs(**{**_SIZES, **more})).eval().requires_grad_(False)  # type: ignore[arg-type]
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.uniform_(0.5, 1.5)
    return model


@pytest.mark.parametrize("hidden", [128, 112])
def test_the_logits_stay(hidden: int) -> None:
    model = _decoder(hidden_dim=hidden)
    model.output.weight = model.tok_embeddings.weight
    # Channels that stand out, which few bits would be spent on.
    model.tok_embeddings.weight[:, 5] *= 40
    tokens = torch.tensor([[1, 40, 7, 7, 0]])
    want = model(tokens)
    before = [layer.attention.wq.weight.clone() for layer in model.layers]
    embedding = model.tok_embeddings.weight.clone()
    rotate(model, seed=3)
    torch.testing.assert_close(model(tokens), want, rtol=1e-3, atol=1e-3 * float(want.abs().max()))
    assert all(isinstance(layer.feed_forward, RotatedFeedForward) for layer in model.layers)
    assert not any(
        torch.equal(old, layer.attention.wq.weight) for old, layer in zip(before, model.layers, strict=True)
    )
    peak = [
        float((one.abs().amax(1) / one.norm(dim=1)).mean())
        for one in (embedding, model.tok_embeddings.weight)
    ]
    assert peak[1] < 0.6 * peak[0]


@pytest.mark.parametrize("head_dim", [16, 28])
def test_queries_and_keys_keep_their_products(head_dim: int) -> None:
    model = _decoder(hidden_dim=128, head_dim=head_dim, use_qk_norm=True)
    tokens = torch.tensor([[1, 40, 7, 7, 0]])
    attention, x = model.layers[0].attention, torch.randn(1, 5, 64)
    # A channel of keys that stands out takes the bits of all others of its token.
    attention.k_norm_fn.weight[3] = 30.0
    want, freqs = model(tokens), model.rope.get_freqs(None, 5)
    _, plain, _ = attention._heads(x, attention._queries(x)[0], *freqs)
    rotate_queries_and_keys(model)
    torch.testing.assert_close(model(tokens), want, rtol=1e-4, atol=1e-4)
    _, rotated, _ = attention._heads(x, attention._queries(x)[0], *freqs)
    errors = []
    for keys in (plain, rotated):
        quantized, scales, zeros = by_token(keys, is_asymmetric=True)
        errors.append(float(((quantized - zeros.float()) * scales - keys).norm()))
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"dim": 96, "hidden_dim": 128}, "power of two"),
        ({"hidden_dim": 96}, "power of two"),
        ({"hidden_dim": 128, "attention_qkv_bias": True}, "bias"),
        ({"hidden_dim": 128, "rms_norm_add_unit_offset": True}, "add one"),
        ({"hidden_dim": 128, "post_attention_norm": True}, "post_attention_norm"),
        ({"moe": True, "num_experts": 4, "num_activated_experts": 2, "hidden_dim": 128}, "no rotation goes"),
    ],
)
def test_what_no_rotation_goes_through_is_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(Exception, match=message):
        rotate(_decoder(**more))
