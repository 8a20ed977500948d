"""Decoders against those of transformers, logit by logit, and as programs."""

import pytest
import torch
import transformers

from executorch.exir import to_edge
from executorch.extension.llm.cache.replacements import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
)
from executorch.extension.llm.models import hugging_face
from executorch.extension.llm.models.attention import ATTENTION_REGISTRY, AttentionSkip, register_attention
from executorch.extension.llm.models.model_args import ActFn, ModelArgs
from executorch.extension.llm.models.sdpa import replace_sdpa_with_custom_op, replace_sdpa_with_quantized_sdpa
from executorch.extension.llm.models.transformer import TransformerBlock, construct_transformer
from executorch.runtime import Runtime

LENGTH = 16
SMALL = {
    "vocab_size": 48,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
PEERS = {
    "llama": lambda: transformers.LlamaConfig(**SMALL),
    "llama3.1": lambda: transformers.LlamaConfig(**SMALL, rope_theta=500000.0, rope_scaling=LLAMA3),
    "tied": lambda: transformers.LlamaConfig(**SMALL, tie_word_embeddings=True),
    "qwen2": lambda: transformers.Qwen2Config(**SMALL),
    "qwen3": lambda: transformers.Qwen3Config(**SMALL, head_dim=16),
    "qwen3_moe": lambda: transformers.Qwen3MoeConfig(
        **SMALL,
        head_dim=16,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=24,
        norm_topk_prob=True,
    ),
    "qwen3_moe, weighted among all": lambda: transformers.Qwen3MoeConfig(
        **SMALL, head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=24
    ),
    "qwen2_moe": lambda: transformers.Qwen2MoeConfig(
        **SMALL,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=24,
        shared_expert_intermediate_size=16,
    ),
    "phi": lambda: transformers.Phi3Config(**SMALL, partial_rotary_factor=0.5),
    "longrope": lambda: transformers.Phi3Config(
        **SMALL,
        partial_rotary_factor=0.5,
        max_position_embeddings=64,
        original_max_position_embeddings=32,
        rope_scaling={"type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [2.0, 3.0]},
    ),
    "gemma": lambda: transformers.GemmaConfig(**SMALL, head_dim=16),
    "gemma2": lambda: transformers.Gemma2Config(
        **SMALL,
        head_dim=16,
        query_pre_attn_scalar=24,
        sliding_window=6,
        attn_logit_softcapping=0.5,
        final_logit_softcapping=2.0,
    ),
    "gemma3": lambda: transformers.Gemma3TextConfig(
        **SMALL,
        head_dim=16,
        query_pre_attn_scalar=24,
        sliding_window=6,
        layer_types=["sliding_attention", "full_attention"] * 2,
        rope_local_base_freq=100.0,
        rope_scaling={"rope_type": "linear", "factor": 4.0},
    ),
    "granite": lambda: transformers.GraniteConfig(
        **SMALL,
        attention_multiplier=0.2,
        residual_multiplier=0.5,
        embedding_multiplier=3.0,
        logits_scaling=2.0,
    ),
    "qwen3_next": lambda: transformers.Qwen3NextConfig(
        **SMALL,
        head_dim=16,
        partial_rotary_factor=0.5,
        mlp_only_layers=[0, 1, 2, 3],
        linear_conv_kernel_dim=4,
        linear_key_head_dim=8,
        linear_value_head_dim=4,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
    ),
    "qwen3_next with experts": lambda: transformers.Qwen3NextConfig(
        **SMALL,
        head_dim=16,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=24,
        shared_expert_intermediate_size=16,
        linear_key_head_dim=8,
        linear_value_head_dim=4,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
    ),
    "smollm3": lambda: transformers.SmolLM3Config(**SMALL, no_rope_layer_interval=2),
    "lfm2": lambda: transformers.Lfm2Config(**SMALL, full_attn_idxs=[1, 3], block_multiple_of=8),
    "lfm2 with biases": lambda: transformers.Lfm2Config(
        **SMALL, full_attn_idxs=[2], conv_L_cache=4, conv_bias=True, block_auto_adjust_ff_dim=False
    ),
    "glm": lambda: transformers.GlmConfig(**SMALL, head_dim=16, attention_bias=True),
    "glm4": lambda: transformers.Glm4Config(**SMALL, head_dim=16),
}


def _pair(name, **options):
    """A model of transformers with random weights, and ours with the same."""
    torch.manual_seed(0)
    config = PEERS[name]()
    peer = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for weight in peer.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    args = hugging_face.model_args(config.to_dict(), max_seq_len=LENGTH, max_context_len=LENGTH, **options)
    model = construct_transformer(args).eval()
    missing = model.load_state_dict(hugging_face.state_dict(peer.state_dict(), args), strict=False)
    assert missing.unexpected_keys == [] and all("cache" in key for key in missing.missing_keys)
    return peer, model


def _tokens():
    return torch.randint(1, 48, (1, LENGTH), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("name", PEERS)
def test_logits_are_those_of_transformers(name):
    peer, model = _pair(name, generate_full_logits=True)
    with torch.no_grad():
        expected, found = peer(_tokens(), use_cache=False).logits, model(_tokens())
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


CACHES = {
    "plain": lambda model: model,
    "custom": lambda model: replace_sdpa_with_custom_op(replace_kv_cache_with_custom_kv_cache(model)),
    "int8": lambda model: replace_kv_cache_with_quantized_kv_cache(CACHES["custom"](model)),
    "int8 attention": lambda model: replace_sdpa_with_quantized_sdpa(CACHES["int8"](model)),
}


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize(
    "name", ["llama3.1", "qwen3", "granite", "gemma2", "gemma3", "qwen3_next", "lfm2", "glm"]
)
def test_a_cache_goes_on(name, cache):
    peer, model = _pair(name, use_kv_cache=True, enable_dynamic_shape=True)
    CACHES[cache](model)
    tokens = _tokens()
    tolerance = 0.05 if "int8" in cache else 2e-5
    with torch.no_grad():
        expected = peer(tokens, use_cache=False).logits
        for first, count in [(0, 5), (5, 1), (6, 6), (12, 2)]:
            call = tokens[:, first : first + count], {"input_pos": torch.tensor([first])}
            found = model(*call)
            scale = expected.abs().max()
            error = (found - expected[:, first + count - 1]).abs().max() / scale
            assert error <= tolerance, f"{error} at {first}"


@pytest.mark.parametrize(
    "cache, name",
    [
        ("plain", "qwen3"),
        ("custom", "qwen3"),
        ("int8 attention", "qwen3"),
        ("custom", "qwen3_next"),
        ("custom", "lfm2"),
        ("custom", "glm"),
    ],
)
def test_a_program(cache, name):
    _, model = _pair(name, use_kv_cache=True, enable_dynamic_shape=True)
    _, eager = _pair(name, use_kv_cache=True, enable_dynamic_shape=True)
    CACHES[cache](model), CACHES[cache](eager)
    tokens = _tokens()
    count = torch.export.Dim("tokens", min=1, max=LENGTH - 1)
    inputs = (tokens[:, :3], {"input_pos": torch.tensor([0])})
    with torch.no_grad():
        exported = torch.export.export(model, inputs, dynamic_shapes=({1: count}, {"input_pos": {}}))
        program = Runtime.get().load_program(to_edge(exported).to_executorch().buffer).load_method("forward")
        for first, number in [(0, 5), (5, 1), (6, 4), (10, 1)]:
            new, position = tokens[:, first : first + number], torch.tensor([first])
            (found,) = program.execute((new, position))
            torch.testing.assert_close(found, eager(new, {"input_pos": position}), atol=1e-4, rtol=1e-4)


def test_sizes_by_the_names_that_files_of_lfm2_have():
    config = transformers.Lfm2Config(**SMALL, full_attn_idxs=[1, 3], rope_theta=1000.0).to_dict()
    older = {**config, "theta": config["rope_theta"], "block_ff_dim": config["intermediate_size"]}
    for name in ("rope_theta", "layer_types", "intermediate_size"):
        del older[name]
    older["full_attn_idxs"] = [1, 3]
    assert hugging_face.model_args(older) == hugging_face.model_args(config)


def test_weights_apart_by_what_they_are_of():
    """Qwen3.5 has the parts of Qwen3-Next's layers as layers of their own."""
    peer, model = _pair("qwen3_next")
    config = peer.config.to_dict() | {"model_type": "qwen3_5_text", "num_experts": 0}
    args = hugging_face.model_args(config, max_seq_len=LENGTH, max_context_len=LENGTH)
    apart = {name: value for name, value in peer.state_dict().items() if ".in_proj" not in name}
    for name, value in model.state_dict().items():
        number, _, part = name.removeprefix("layers.").partition(".attention.")
        if part.startswith("in_proj"):
            apart[f"model.layers.{number}.linear_attn.{part}"] = value
    again = construct_transformer(args).eval()
    again.load_state_dict(hugging_face.state_dict(apart, args), strict=False)
    with torch.no_grad():
        torch.testing.assert_close(again(_tokens()), model(_tokens()), atol=0, rtol=0)


def test_a_window_with_a_cache_is_one_without():
    options = {"dim": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": LENGTH, "max_context_len": LENGTH}
    options |= {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 4}
    torch.manual_seed(0)
    whole = construct_transformer(ModelArgs(**options, vocab_size=48)).eval()
    cached = construct_transformer(
        ModelArgs(**options, vocab_size=48, use_kv_cache=True, enable_dynamic_shape=True)
    ).eval()
    cached.load_state_dict(whole.state_dict(), strict=False)
    tokens = _tokens()
    with torch.no_grad():
        for variant in (cached, CACHES["custom"](cached)):
            for first, count in [(0, 4), (4, 3), (7, 1), (8, 4)]:
                new = tokens[:, first : first + count]
                found = variant(new, {"input_pos": torch.tensor([first])})
                torch.testing.assert_close(found, whole(tokens[:, : first + count]), atol=1e-5, rtol=1e-5)


def test_pruned_vocabularies():
    options = {"dim": 16, "n_layers": 1, "n_heads": 2, "vocab_size": 6, "max_context_len": LENGTH}
    kept = {1: 0, 4: 1, 5: 2}
    torch.manual_seed(0)
    whole = construct_transformer(ModelArgs(**options)).eval()
    pruned = construct_transformer(ModelArgs(**options, input_prune_map=kept, output_prune_map=kept)).eval()
    weights = whole.state_dict()
    for name in ("tok_embeddings.weight", "output.weight"):
        weights[name] = weights[name][list(kept)]
    pruned.load_state_dict(weights)
    with torch.no_grad():
        expected, found = whole(torch.tensor([[1, 5]])), pruned(torch.tensor([[1, 5]]))
    torch.testing.assert_close(found[:, list(kept)], expected[:, list(kept)])
    assert torch.isinf(found[:, [0, 2, 3]]).all()


def test_layers_without_attention():
    args = ModelArgs(dim=16, n_heads=2, n_layers=1, attention_type="skip", act_fn="gelu")
    block = construct_transformer(args).layers[0]
    assert isinstance(block.attention, AttentionSkip) and args.act_fn is ActFn.GELU
    x = torch.rand(1, 3, 16)
    passed, _ = TransformerBlock(args, AttentionSkip(), mlp_type="skip")(x, None, None)
    torch.testing.assert_close(passed, x)


def test_attention_of_ones_own():
    class Mine(AttentionSkip):
        pass

    register_attention("Mine")(Mine)
    try:
        model = construct_transformer(ModelArgs(dim=16, n_heads=2, attention_type="mine"))
        assert isinstance(model.layers[0].attention, Mine)
    finally:
        del ATTENTION_REGISTRY["mine"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_heads": 4, "n_kv_heads": 3}, "multiple"),
        ({"use_sdpa_with_kv_cache_op": True}, "set use_kv_cache"),
        ({"act_fn": "relu"}, "relu; give one of silu"),
        ({"layer_types": ["half"]}, "half"),
        ({"layer_types": ["sliding_attention"]}, "need sliding_window"),
        ({"attention_type": "none"}, "register_attention"),
        ({"norm_type": "layernorm"}, "rmsnorm"),
        ({"layer_types": ["linear_attention"]}, "needs linear_num_key_heads"),
    ],
)
def test_what_there_is_not(options, message):
    with pytest.raises(ValueError, match=message):
        construct_transformer(ModelArgs(**{"dim": 16, "n_heads": 2, **options}))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "mamba"}, "mamba; there are llama"),
        ({"hidden_act": "relu"}, "relu"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "yarn"),
        ({"attention_bias": True}, "attention_bias"),
        ({"model_type": "qwen3_moe", "num_experts": 4, "mlp_only_layers": [1]}, r"\[0, 2, 3\] alone"),
        ({"model_type": "qwen3_moe", "num_experts": 4, "decoder_sparse_step": 2}, r"\[1, 3\] alone"),
        ({"use_sliding_window": True}, "sliding"),
    ],
)
def test_configurations_that_are_not_supported(config, message):
    with pytest.raises(ValueError, match=message):
        hugging_face.model_args({**SMALL, "model_type": "llama", **config})


def test_weights_without_a_place_and_calls_without_positions():
    args = ModelArgs(dim=16, n_heads=2, use_kv_cache=True)
    with pytest.raises(ValueError, match=r"no place for model\.extra\.weight of shape \(1,\)"):
        hugging_face.state_dict({"model.extra.weight": torch.zeros(1)}, args)
    model = construct_transformer(args)
    with pytest.raises(ValueError, match="needs positions"):
        model(torch.tensor([[1]]))
    with pytest.raises(ValueError, match="both tokens and h"):
        model()
