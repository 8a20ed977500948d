"""Hugging Face's decoders as those of this room: arguments of a `config.json`, weights of a state dict."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from executorch.extension.llm.models.model_args import ActFn, ModelArgs
from executorch.extension.llm.models.refusal import RefusalError

#: What configurations say, under the same meaning.
_SAME = {
    "hidden_size": "dim",
    "num_hidden_layers": "n_layers",
    "num_attention_heads": "n_heads",
    "num_key_value_heads": "n_kv_heads",
    "vocab_size": "vocab_size",
    "intermediate_size": "hidden_dim",
    "head_dim": "head_dim",
    "rms_norm_eps": "norm_eps",
    "partial_rotary_factor": "partial_rotary_factor",
    "attention_multiplier": "attention_multiplier",
    "residual_multiplier": "residual_multiplier",
    "embedding_multiplier": "embedding_scale_factor",
    "logits_scaling": "logits_scaling",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "rope_local_base_freq": "local_rope_theta",
    "final_logit_softcapping": "final_logit_softcapping",
    "num_experts": "num_experts",
    "num_experts_per_tok": "num_activated_experts",
    "moe_intermediate_size": "moe_hidden_dim",
    "norm_topk_prob": "norm_topk_prob",
    "shared_expert_intermediate_size": "shared_expert_hidden_dim",
    "linear_conv_kernel_dim": "linear_conv_kernel_dim",
    "linear_key_head_dim": "linear_key_head_dim",
    "linear_value_head_dim": "linear_value_head_dim",
    "linear_num_key_heads": "linear_num_key_heads",
    "linear_num_value_heads": "linear_num_value_heads",
    "norm_eps": "norm_eps",
    "conv_L_cache": "short_conv_kernel_dim",
    "conv_bias": "short_conv_bias",
}

_ACTIVATIONS = {
    "silu": ActFn.SILU,
    "swish": ActFn.SILU,
    "gelu": ActFn.GELU,
    "gelu_pytorch_tanh": ActFn.GELU_APPROX,
}

#: Most of whose layers are gated delta networks.
_LINEAR = {
    "rms_norm_add_unit_offset": True,
    "use_qk_norm": True,
    "qk_norm_before_rope": True,
    "use_q_gate": True,
}

#: Whose rotations are of pairs.
_PAIRS = {"use_hf_rope": False, "rope_interleaved": True}

#: What a kind of model is beside what its configuration says.
_KINDS: dict[str, dict[str, Any]] = {
    "llama": {},
    "smollm3": {},
    "granite": {},
    "phi3": {},
    "mistral": {},
    "gemma": {"rms_norm_add_unit_offset": True},
    "gemma2": {"rms_norm_add_unit_offset": True, "post_attention_norm": True, "post_ffn_norm": True},
    "gemma3_text": {
        "rms_norm_add_unit_offset": True,
        "post_attention_norm": True,
        "post_ffn_norm": True,
        "use_qk_norm": True,
        "qk_norm_before_rope": True,
    },
    "qwen2": {"attention_qkv_bias": True},
    "qwen3": {"use_qk_norm": True, "qk_norm_before_rope": True},
    "qwen2_moe": {"attention_qkv_bias": True},
    "qwen3_moe": {"use_qk_norm": True, "qk_norm_before_rope": True},
    "qwen3_next": _LINEAR,
    "qwen3_5_text": _LINEAR,
    "lfm2": {"use_qk_norm": True, "qk_norm_before_rope": True},
    "glm": _PAIRS,
    "glm4": {**_PAIRS, "post_attention_norm": True, "post_ffn_norm": True},
}

#: Names of modules in a layer, theirs to ours.
_LAYER = {
    "self_attn.q_proj": "attention.wq",
    "self_attn.k_proj": "attention.wk",
    "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo",
    "self_attn.q_norm": "attention.q_norm_fn",
    "self_attn.k_norm": "attention.k_norm_fn",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3",
    "mlp.gate": "block_sparse_moe.gate",
    "mlp.shared_expert.gate_proj": "block_sparse_moe.shared_expert.w1",
    "mlp.shared_expert.down_proj": "block_sparse_moe.shared_expert.w2",
    "mlp.shared_expert.up_proj": "block_sparse_moe.shared_expert.w3",
    "mlp.shared_expert_gate": "block_sparse_moe.shared_expert.gate",
    **{
        f"linear_attn.{name}": f"attention.{name}"
        for name in ("in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "conv1d", "norm", "out_proj")
    },
    # Of parameters that are no module's.
    "linear_attn": "attention",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
    # GLM 4's.
    "post_self_attn_layernorm": "post_attention_norm",
    "post_mlp_layernorm": "post_ffn_norm",
    # LFM2's.
    "self_attn.out_proj": "attention.wo",
    "self_attn.q_layernorm": "attention.q_norm_fn",
    "self_attn.k_layernorm": "attention.k_norm_fn",
    **{f"conv.{name}": f"attention.{name}" for name in ("in_proj", "conv", "out_proj")},
    **{f"feed_forward.{name}": f"feed_forward.{name}" for name in ("w1", "w2", "w3")},
    "operator_norm": "attention_norm",
    "ffn_norm": "ffn_norm",
}

#: Only in models whose `post_attention_layernorm` norms what attention adds.
_SIGN = ".pre_feedforward_layernorm."

#: The names of such models' norms.
_NORMED_TWICE = {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffn_norm",
}

#: Layers whose rows are of several of ours.
_INTERLEAVED = {
    "linear_attn.in_proj_qkvz": ("in_proj_qkv", "in_proj_z"),
    "linear_attn.in_proj_ba": ("in_proj_b", "in_proj_a"),
}

_OUTSIDE = {
    "model.embed_tokens": "tok_embeddings",
    "model.norm": "norm",
    "model.embedding_norm": "norm",
    "lm_head": "output",
}

#: Experts' modules to ours and whether ours is the other way round.
_EXPERTS = {"gate_proj": ("w1", False), "down_proj": ("w2", True), "up_proj": ("w3", False)}


def sizes(config: Mapping[str, Any]) -> ModelArgs:
    """Those of any configuration, supported or not."""
    return ModelArgs(**_named(config))


def _named(config: Mapping[str, Any]) -> dict[str, Any]:
    return {ours: config[theirs] for theirs, ours in _SAME.items() if config.get(theirs) is not None}


def model_args(config: Mapping[str, Any], **options: Any) -> ModelArgs:
    """The arguments of a decoder that a configuration describes.

    Args:
        config: as `config.json` has it.
        options: further arguments, of caches and lengths.

    Raises:
        ValueError: this kind of model, its activation or its scaling of rotations is not supported.
    """
    kind = config.get("model_type", "llama")
    if kind not in _KINDS:
        raise RefusalError(f"no decoder for model_type {kind}; there are {', '.join(_KINDS)}")
    named = _named(config)
    activation = config.get("hidden_activation") or config.get("hidden_act", "silu")
    if activation not in _ACTIVATIONS:
        raise RefusalError(f"no feed-forward layer with {activation}; there are {', '.join(_ACTIVATIONS)}")
    named |= {"use_hf_rope": True, "act_fn": _ACTIVATIONS[activation], **_KINDS[kind]}
    length = options.get("max_context_len", ModelArgs.max_context_len)
    named |= _rotations(config, length)
    if kind.startswith("glm"):
        named["attention_qkv_bias"] = bool(config.get("attention_bias"))
        named.setdefault("partial_rotary_factor", 0.5)
    elif config.get("attention_bias"):
        raise RefusalError("attention_bias gives the output of attention a bias, which the decoder has not")
    if kind == "lfm2":
        named |= _short(config)
    if kind == "smollm3":
        named["no_rope_layer_interval"] = config.get("no_rope_layer_interval")
    if kind.startswith("gemma"):
        named |= _gemma(kind, config)
    if _KINDS[kind] is _LINEAR:
        named["layer_types"] = config["layer_types"]
    if kind.endswith("_moe") or _KINDS[kind] is _LINEAR:
        named["moe"] = _has_experts(config)
    # A window that no text outgrows is none.
    has_windows = config.get("use_sliding_window") or (
        kind in ("mistral", "phi3") and config.get("sliding_window")
    )
    if has_windows and (config.get("sliding_window") or 0) < length:
        raise RefusalError(
            f"sliding windows of all layers are not supported: set sliding_window to null, or max_context_len of {length} to no "
            "more than the window"
        )
    return ModelArgs(**{**named, **options})


def _gemma(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {"embedding_scale_factor": config["hidden_size"] ** 0.5}
    if "query_pre_attn_scalar" in config:
        named["attention_multiplier"] = config["query_pre_attn_scalar"] ** -0.5
    if kind != "gemma":
        named |= {"layer_types": config["layer_types"], "sliding_window": config["sliding_window"]}
    return named


def _short(config: Mapping[str, Any]) -> dict[str, Any]:
    """LFM2's, whose files have names of their own for some sizes, and say how many numbers feed-forward layers have two thirds of."""
    hidden = config.get("block_ff_dim") or config["intermediate_size"]
    if config.get("block_auto_adjust_ff_dim", True):
        hidden = int(2 * hidden / 3)
        factor, multiple = config.get("block_ffn_dim_multiplier", 1.0), config.get("block_multiple_of", 256)
        if factor is not None:
            hidden = math.ceil(int(factor * hidden) / multiple) * multiple
    types = config.get("layer_types")
    if types is None:
        whole, count = config.get("full_attn_idxs"), config["num_hidden_layers"]
        types = ["full_attention" if whole is None or number in whole else "conv" for number in range(count)]
    return {"hidden_dim": hidden, "layer_types": types}


def _has_experts(config: Mapping[str, Any]) -> bool:
    """Whether feed-forward layers, all of them, are mixtures of experts."""
    count, step = config["num_hidden_layers"], config.get("decoder_sparse_step") or 1
    dense = set(config.get("mlp_only_layers") or ())
    mixtures = [
        layer
        for layer in range(count)
        if config.get("num_experts") and layer not in dense and (layer + 1) % step == 0
    ]
    if len(mixtures) not in (0, count):
        raise RefusalError(
            f"layers {mixtures} alone are mixtures of experts, which the decoder has in all layers or in none: mlp_only_layers, "
            "decoder_sparse_step"
        )
    return bool(mixtures)


def _longrope(config: Mapping[str, Any], scaling: Mapping[str, Any], length: int) -> dict[str, Any]:
    """Phi's: factors for short texts and for long ones, of which the context length of the export chooses."""
    trained = config.get("original_max_position_embeddings") or scaling["original_max_position_embeddings"]
    share = config["max_position_embeddings"] / trained
    by_length = 1.0 if share <= 1 else math.sqrt(1 + math.log(share) / math.log(trained))
    return {
        "rope_frequency_factors": list(scaling["long_factor" if length > trained else "short_factor"]),
        "rope_attention_factor": scaling.get("attention_factor") or by_length,
    }


def _rotations(config: Mapping[str, Any], length: int) -> dict[str, Any]:
    parameters = config.get("rope_parameters") or {}
    scaling = config.get("rope_scaling") or parameters
    base = parameters.get("rope_theta", config.get("rope_theta", config.get("theta", 10000.0)))
    named = {"rope_theta": base}
    if parameters.get("partial_rotary_factor") is not None:
        named["partial_rotary_factor"] = parameters["partial_rotary_factor"]
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return named
    if kind == "longrope":
        return named | _longrope(config, scaling, length)
    if kind == "linear":
        return named | {"rope_frequency_factors": [float(scaling["factor"])]}
    if (
        kind != "llama3"
        or scaling.get("low_freq_factor") != 1
        or scaling.get("original_max_position_embeddings") != 8192
    ):
        raise RefusalError(
            f"rotations are not scaled as {kind}; supported are default, linear, longrope and llama3 of 8192 positions"
        )
    return named | {
        "use_scaled_rope": True,
        "rope_scale_factor": scaling["factor"],
        "high_freq_factor": scaling["high_freq_factor"],
    }


def is_theirs(weights: Mapping[str, Any]) -> bool:
    """Whether weights have Hugging Face's names."""
    return any(name.startswith("model.layers.") for name in weights)


def state_dict(weights: Mapping[str, torch.Tensor], args: ModelArgs) -> dict[str, torch.Tensor]:
    """A state dict for :func:`~executorch.extension.llm.models.transformer.construct_transformer` of ``args``.

    Args:
        weights: of a causal language model. An output layer that shares the embedding's weights may be missing.

    Raises:
        ValueError: a weight has no place in the decoder.
    """
    found: dict[str, torch.Tensor] = {}
    experts: dict[str, dict[int, torch.Tensor]] = {}
    layer_names = {**_LAYER, **_NORMED_TWICE} if any(_SIGN in name for name in weights) else _LAYER
    for name, value in weights.items():
        expert = re.fullmatch(r"model\.layers\.(\d+)\.mlp\.experts\.(\d+)\.(\w+)\.weight", name)
        if expert:
            ours, is_turned = _EXPERTS[expert[3]]
            target = f"layers.{expert[1]}.block_sparse_moe.cond_ffn.{ours}"
            experts.setdefault(target, {})[int(expert[2])] = value.t() if is_turned else value
            continue
        found |= dict(_renamed(name, value, args, layer_names))
    found |= {name: torch.stack([one[number] for number in sorted(one)]) for name, one in experts.items()}
    if args.apply_output:
        found.setdefault("output.weight", found["tok_embeddings.weight"])
    return found


def _renamed(
    name: str, value: torch.Tensor, args: ModelArgs, names: Mapping[str, str]
) -> Iterator[tuple[str, torch.Tensor]]:
    module, _, kind = name.rpartition(".")
    if module in _OUTSIDE:
        yield f"{_OUTSIDE[module]}.{kind}", value
        return
    layer = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", module)
    if layer and layer[2] in names:
        yield f"layers.{layer[1]}.{names[layer[2]]}.{kind}", value
    elif layer and layer[2] == "self_attn.qkv_proj":
        head, kv = int(args.head_dim or 0), int(args.n_kv_heads or 0)
        parts = value.split([args.n_heads * head, kv * head, kv * head])
        for ours, part in zip(("wq", "wk", "wv"), parts, strict=True):
            yield f"layers.{layer[1]}.attention.{ours}.{kind}", part
    elif layer and layer[2] in _INTERLEAVED:
        for ours, part in _by_kind(value, _INTERLEAVED[layer[2]], args):
            yield f"layers.{layer[1]}.attention.{ours}.{kind}", part
    elif layer and layer[2] == "mlp.gate_up_proj":
        for ours, part in zip(("w1", "w3"), value.chunk(2), strict=True):
            yield f"layers.{layer[1]}.feed_forward.{ours}.{kind}", part
    elif not module.endswith("rotary_emb"):
        raise RefusalError(f"the decoder has no place for {name} of shape {tuple(value.shape)}")


def _by_kind(
    value: torch.Tensor, names: tuple[str, ...], args: ModelArgs
) -> Iterator[tuple[str, torch.Tensor]]:
    """Rows of Qwen3-Next's, where those of a head of keys and of its heads of values lie together, apart by what they are of."""
    heads, shared = (
        args.linear_num_key_heads or 0,
        (args.linear_num_value_heads or 0) // (args.linear_num_key_heads or 1),
    )
    keys, values = args.linear_key_head_dim or 0, shared * (args.linear_value_head_dim or 0)
    sizes = {"in_proj_qkv": (keys, keys, values), "in_proj_z": (values,)}
    rows = [size for name in names for size in sizes.get(name, (shared,))]
    parts = [part.flatten(0, 1) for part in value.unflatten(0, (heads, -1)).split(rows, dim=1)]
    for name in names:
        count = len(sizes.get(name, (shared,)))
        yield name, torch.cat(parts[:count])
        parts = parts[count:]
