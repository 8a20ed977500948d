"""Architectures of `transformers`, by the names of their configurations (``model_type``), small and with random weights.

A row is the kind of the inputs, the class that makes the model of its configuration, and what the configuration says
beyond the sizes that all have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils import _pytree as pytree

from executorch.tests.zoo.specimen import Specimen, image

#: Sizes of all text models; a configuration takes those that it has, under its own names for them.
TEXT: Mapping[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}
IMAGE: Mapping[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "image_size": 32,
    "patch_size": 8,
}
SOUND: Mapping[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "conv_dim": (16, 16, 16),
    "conv_kernel": (10, 3, 3),
    "conv_stride": (5, 2, 2),
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
}
_EXPERTS: dict[str, Any] = {
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "num_experts_per_token": 2,
}
_HEAD = {"head_dim": 8}
_MAMBA = {"state_size": 8, "conv_kernel": 4, "expand": 2}
_SEQ2SEQ = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
}
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "num_decoder_layers": 2}


class Row(NamedTuple):
    """How to build one architecture.

    Attributes:
        inputs: ``tokens``, ``pair`` (of an encoder and a decoder), ``image``, ``sound``, ``spectrum`` or ``both`` (text and image).
        auto: name of the class in `transformers` that makes the model.
        config: further arguments of the configuration.
    """

    inputs: str
    auto: str
    config: Mapping[str, Any] = {}


def _decoders(**configs: Mapping[str, Any]) -> dict[str, Row]:
    return {name: Row("tokens", "AutoModelForCausalLM", config) for name, config in configs.items()}


def _encoders(**configs: Mapping[str, Any]) -> dict[str, Row]:
    return {name: Row("tokens", "AutoModel", config) for name, config in configs.items()}


def _pairs(**configs: Mapping[str, Any]) -> dict[str, Row]:
    return {name: Row("pair", "AutoModel", config) for name, config in configs.items()}


def _images(**configs: Mapping[str, Any]) -> dict[str, Row]:
    return {name: Row("image", "AutoModel", config) for name, config in configs.items()}


#: ``model_type`` to how it is built. Underscores stand for the hyphens of some names.
MODELS: Mapping[str, Row] = {
    # Decoders.
    **_decoders(
        apertus={},
        arcee={},
        biogpt={},
        bitnet={},
        bloom={"n_head": 4},
        codegen={"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 64},
        cohere={},
        cohere2=_HEAD,
        diffllama={},
        ernie4_5=_HEAD,
        exaone4={"sliding_window": 16},
        falcon={},
        falcon_mamba=_MAMBA,
        gemma=_HEAD,
        gemma2=_HEAD,
        gemma3_text={**_HEAD, "sliding_window": 16},
        glm={**_HEAD, "pad_token_id": 0},
        glm4={**_HEAD, "pad_token_id": 0},
        gpt2={},
        gpt_bigcode={},
        gpt_neo={"num_layers": 2, "attention_types": [[["global", "local"], 1]]},
        gpt_neox={},
        gptj={"rotary_dim": 4},
        granite={},
        helium=_HEAD,
        hunyuan_v1_dense=_HEAD,
        jamba={
            **_EXPERTS,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "use_mamba_kernels": False,
            "mamba_d_state": 8,
        },
        lfm2={"full_attn_idxs": [1], "block_multiple_of": 8},
        llama={},
        mamba=_MAMBA,
        mamba2={"num_heads": 8, "head_dim": 8, "n_groups": 1, "state_size": 8, "chunk_size": 4},
        ministral={**_HEAD, "sliding_window": 16},
        mistral={"sliding_window": 16},
        modernbert_decoder={"pad_token_id": 0, "global_attn_every_n_layers": 2, "local_attention": 8},
        mpt={"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64},
        nemotron={},
        olmo={},
        olmo2={},
        olmo3={"sliding_window": 16},
        openai_gpt={},
        opt={"ffn_dim": 48, "word_embed_proj_dim": 32},
        persimmon={},
        phi={},
        phi3={"pad_token_id": 0},
        qwen2={},
        qwen3=_HEAD,
        recurrent_gemma={"lru_width": 32, "attention_window_size": 16, "num_hidden_layers": 3},
        rwkv={"attention_hidden_size": 32, "context_length": 64},
        seed_oss=_HEAD,
        smollm3={"pad_token_id": 0},
        stablelm={},
        starcoder2={},
        vaultgemma=_HEAD,
        xglm={"d_model": 32, "ffn_dim": 48, "num_layers": 2, "attention_heads": 4},
    ),
    # Mixtures of experts.
    **_decoders(
        dbrx={
            "d_model": 32,
            "n_heads": 4,
            "n_layers": 2,
            "max_seq_len": 64,
            "attn_config": {"kv_n_heads": 2, "clip_qkv": 8, "rope_theta": 10000.0},
            "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
        },
        deepseek_v2={
            **_EXPERTS,
            "first_k_dense_replace": 1,
            "q_lora_rank": 16,
            "kv_lora_rank": 16,
            "num_key_value_heads": 4,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "head_dim": 8,
            "n_group": 1,
            "topk_group": 1,
        },
        deepseek_v3={
            **_EXPERTS,
            "first_k_dense_replace": 1,
            "q_lora_rank": 16,
            "kv_lora_rank": 16,
            "num_key_value_heads": 4,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "head_dim": 8,
            "n_group": 2,
            "topk_group": 1,
        },
        dots1={
            **_EXPERTS,
            **_HEAD,
            "n_shared_experts": 1,
            "first_k_dense_replace": 1,
            "n_group": 1,
            "topk_group": 1,
        },
        ernie4_5_moe={**_EXPERTS, "moe_num_experts": 4, "moe_k": 2, "moe_layer_start_index": 0},
        flex_olmo={**_EXPERTS, "pad_token_id": 0},
        glm4_moe={**_EXPERTS, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1},
        gpt_oss={**_EXPERTS, **_HEAD, "sliding_window": 16},
        granitemoe=_EXPERTS,
        hunyuan_v1_moe={**_EXPERTS, **_HEAD, "moe_topk": 2},
        llama4_text={**_EXPERTS, **_HEAD, "intermediate_size_mlp": 48, "moe_layers": [1]},
        mixtral=_EXPERTS,
        olmoe=_EXPERTS,
        phimoe=_EXPERTS,
        qwen2_moe=_EXPERTS,
        qwen3_moe={**_EXPERTS, **_HEAD, "norm_topk_prob": True},
    ),
    # Encoders.
    **_encoders(
        albert={"embedding_size": 16},
        bert={},
        bert_generation={},
        camembert={},
        canine={"num_hash_buckets": 64, "local_transformer_stride": 8},
        convbert={"embedding_size": 32},
        data2vec_text={},
        deberta={"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        deberta_v2={"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        distilbert={"hidden_dim": 48},
        electra={"embedding_size": 16},
        ernie={},
        esm={"position_embedding_type": "rotary", "pad_token_id": 1, "mask_token_id": 2},
        fnet={},
        ibert={},
        layoutlm={},
        megatron_bert={},
        mobilebert={"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16},
        modernbert={"pad_token_id": 0, "global_attn_every_n_layers": 2, "local_attention": 8},
        mpnet={},
        nystromformer={"num_landmarks": 4, "segment_means_seq_len": 16},
        rembert={"input_embedding_size": 16, "output_embedding_size": 16},
        roberta={},
        roberta_prelayernorm={},
        roformer={"embedding_size": 32},
        splinter={},
        squeezebert={
            "embedding_size": 32,
            "q_groups": 2,
            "k_groups": 2,
            "v_groups": 2,
            "intermediate_groups": 2,
            "output_groups": 2,
        },
        xlm_roberta={},
        xmod={"languages": ["en"], "default_language": "en"},
        yoso={},
    ),
    # An encoder and a decoder.
    **_pairs(
        bart=_SEQ2SEQ,
        blenderbot_small=_SEQ2SEQ,
        m2m_100=_SEQ2SEQ,
        marian={**_SEQ2SEQ, "decoder_start_token_id": 0, "pad_token_id": 0},
        mbart=_SEQ2SEQ,
        mt5=_T5,
        pegasus=_SEQ2SEQ,
        plbart=_SEQ2SEQ,
        t5=_T5,
        umt5=_T5,
    ),
    # Images.
    **_images(
        beit={},
        data2vec_vision={},
        deit={},
        dinov2={},
        dinov2_with_registers={"num_register_tokens": 2},
        dinov3_vit={"num_register_tokens": 2},
        hiera={
            "embed_dim": 16,
            "depths": [1, 1, 1, 1],
            "image_size": [64, 64],
            "patch_size": [7, 7],
            "num_hidden_layers": None,
        },
        ijepa={},
        mobilenet_v1={"depth_multiplier": 0.25, "min_depth": 8},
        mobilenet_v2={"depth_multiplier": 0.35},
        pvt_v2={
            "depths": [1, 1, 1, 1],
            "hidden_sizes": [16, 32, 32, 32],
            "num_attention_heads": [1, 2, 2, 2],
        },
        resnet={"embedding_size": 16, "hidden_sizes": [16, 32, 32, 64], "depths": [1, 1, 1, 1]},
        segformer={
            "depths": [1, 1, 1, 1],
            "hidden_sizes": [16, 16, 32, 32],
            "num_attention_heads": [1, 2, 2, 4],
        },
        siglip_vision_model={},
        swin={
            "embed_dim": 16,
            "depths": [1, 1],
            "num_heads": [2, 4],
            "window_size": 4,
            "patch_size": 2,
            "num_hidden_layers": None,
            "num_attention_heads": None,
        },
        vit={},
        vit_msn={},
        yolos={"image_size": [32, 32], "num_detection_tokens": 4},
    ),
    "clip": Row(
        "both", "AutoModel", {"text_config": dict(TEXT), "vision_config": dict(IMAGE), "projection_dim": 16}
    ),
    "siglip": Row("both", "AutoModel", {"text_config": dict(TEXT), "vision_config": dict(IMAGE)}),
    # Sound.
    "audio_spectrogram_transformer": Row(
        "spectrum", "AutoModel", {**IMAGE, "max_length": 64, "num_mel_bins": 16}
    ),
    "data2vec_audio": Row("sound", "AutoModel", SOUND),
    "hubert": Row("sound", "AutoModel", SOUND),
    "sew": Row("sound", "AutoModel", {**SOUND, "squeeze_factor": 2}),
    "unispeech": Row("sound", "AutoModel", SOUND),
    "wav2vec2": Row("sound", "AutoModel", SOUND),
    "wav2vec2_conformer": Row("sound", "AutoModel", {**SOUND, "position_embeddings_type": "rotary"}),
    "wavlm": Row("sound", "AutoModel", SOUND),
}


def make(name: str) -> Specimen:
    """A model with random weights and two rows of inputs; gives all tensors of its answer."""
    import transformers  # the fifth major version, which the tests beside do without

    transformers.logging.set_verbosity_error()
    row = MODELS[name]
    config = _config(name, row)
    model = getattr(transformers, row.auto).from_config(config).eval()
    side = getattr(config, "image_size", IMAGE["image_size"])
    side = side[0] if isinstance(side, (list, tuple)) else side
    names, inputs = _inputs(row.inputs, side)
    return Specimen(_Tensors(model, names), inputs)


def _config(name: str, row: Row) -> Any:
    import transformers

    try:
        kind = type(transformers.AutoConfig.for_model(name))
    except ValueError:
        kind = type(transformers.AutoConfig.for_model(name.replace("_", "-")))
    sizes = {"tokens": TEXT, "pair": TEXT, "image": IMAGE}.get(row.inputs, {})
    values = {**sizes, "use_cache": False, **row.config}
    return kind(**{key: value for key, value in values.items() if value is not None})


def _inputs(kind: str, side: int) -> tuple[tuple[str, ...], tuple[torch.Tensor, ...]]:
    """Names of the keyword arguments and a batch of two."""
    if kind == "tokens":
        return ("input_ids",), (_tokens(2, 16),)
    if kind == "pair":
        return ("input_ids", "decoder_input_ids"), (_tokens(2, 16), _tokens(2, 8))
    if kind == "image":
        return ("pixel_values",), (image(side, batch=2),)
    if kind == "both":
        return ("input_ids", "pixel_values"), (_tokens(2, 16), image(side, batch=2))
    if kind == "sound":
        return ("input_values",), (torch.randn(2, 800),)
    assert kind == "spectrum"
    return ("input_values",), (torch.randn(2, 64, 16),)


def _tokens(*sizes: int) -> torch.Tensor:
    return torch.randint(3, TEXT["vocab_size"], sizes)


class _Tensors(nn.Module):
    """Calls a model with keyword arguments, and leaves of its answer what are tensors of floating point."""

    def __init__(self, model: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        answer = self.model(**dict(zip(self.names, inputs, strict=True)), return_dict=True)
        values = pytree.tree_leaves(list(answer.values()))
        return [value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point()]
