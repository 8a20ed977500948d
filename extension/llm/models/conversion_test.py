"""Converted checkpoints as decoders, against the models of transformers that they are of."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers

from executorch.extension.llm.models import hugging_face
from executorch.extension.llm.models.checkpoints import fill
from executorch.extension.llm.models.conversion import load_checkpoint, main, qwen_3_5_to_meta, to_meta
from executorch.extension.llm.models.transformer import construct_transformer

SIZES = {
    "vocab_size": 20,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "pad_token_id": 0,
}
CONFIGS = {
    "tied": transformers.Qwen3Config(**SIZES, tie_word_embeddings=True),
    # One weight for queries, keys and values.
    "phi3": transformers.Phi3Config(**SIZES),
    # Norms behind attention and feed-forward too.
    "gemma2": transformers.Gemma2Config(**SIZES, query_pre_attn_scalar=24, sliding_window=6),
    # Norms behind both by other names.
    "glm4": transformers.Glm4Config(**SIZES),
    # Convolutions, and other names of everything.
    "lfm2": transformers.Lfm2Config(
        **{name: size for name, size in SIZES.items() if name != "head_dim"}, full_attn_idxs=[1]
    ),
    # Rows of queries and gates by heads.
    "qwen3_next": transformers.Qwen3NextConfig(
        **SIZES,
        mlp_only_layers=[0, 1],
        layer_types=["linear_attention", "full_attention"],
        linear_key_head_dim=8,
        linear_value_head_dim=4,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
    ),
}


def _saved(kind: str, directory: Path) -> transformers.PreTrainedModel:
    torch.manual_seed(0)
    peer = transformers.AutoModelForCausalLM.from_config(CONFIGS[kind], attn_implementation="eager").eval()
    peer.save_pretrained(directory)
    return peer


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_converted_checkpoint_is_the_model(kind: str, tmp_path: Path) -> None:
    peer, file = _saved(kind, tmp_path), tmp_path / "converted.pth"
    main([str(tmp_path), str(file)])
    args = hugging_face.model_args(CONFIGS[kind].to_dict(), max_context_len=8, generate_full_logits=True)
    weights = torch.load(file, weights_only=True)
    assert all(not name.startswith("model.") for name in weights)
    ours = fill(construct_transformer(args).eval(), weights, "the file")
    tokens = torch.tensor([[1, 5, 7, 2]])
    with torch.no_grad():
        torch.testing.assert_close(ours(tokens), peer(tokens).logits, atol=2e-5, rtol=1e-4)


def test_other_parts_of_a_model_stay_out(tmp_path: Path) -> None:
    _saved("tied", tmp_path)
    plain = load_checkpoint(tmp_path)
    decoder = {f"model.language_model.{name.removeprefix('model.')}": one for name, one in plain.items()}
    others = dict.fromkeys(
        [
            "model.visual.patch_embed.weight",
            "mtp.fc.weight",
            "model.layers.0.self_attn.rotary_emb.inv_freq",
        ],
        torch.ones(2),
    )
    expected, found = to_meta(plain), to_meta({**decoder, **others})
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_the_decoder_of_a_model_that_sees_is_found() -> None:
    torch.manual_seed(0)
    vision = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    text = transformers.LlamaConfig(**SIZES)
    config = transformers.SmolVLMConfig(
        text_config=text.to_dict(), vision_config={**vision, "image_size": 8, "patch_size": 4}
    )
    peer = transformers.SmolVLMForConditionalGeneration(config).eval()
    args = hugging_face.model_args(text.to_dict(), max_context_len=8, generate_full_logits=True)
    ours = fill(construct_transformer(args).eval(), to_meta(peer.state_dict()), "the file")
    tokens = torch.tensor([[1, 5, 7, 2]])
    with torch.no_grad():
        torch.testing.assert_close(ours(tokens), peer(input_ids=tokens).logits, atol=2e-5, rtol=1e-4)


def test_a_bias_that_the_model_has_not_stays_out(tmp_path: Path) -> None:
    # transformers' model does not read it either.
    peer = _saved("qwen3_next", tmp_path)
    named = {**peer.state_dict(), "model.layers.0.linear_attn.conv1d.bias": torch.randn(32)}
    args = hugging_face.sizes(CONFIGS["qwen3_next"].to_dict())
    assert to_meta(named, args).keys() == to_meta(peer.state_dict(), args).keys()


def test_what_has_no_place_is_named() -> None:
    weights = {"model.embed_tokens.weight": torch.ones(2, 2), "model.layers.0.other.weight": torch.ones(2)}
    with pytest.raises(
        ValueError, match=r"not mapped for Qwen3\.5 export: .* model\.layers\.0\.other\.weight"
    ):
        qwen_3_5_to_meta(weights)


def test_a_directory_without_weights_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        load_checkpoint(tmp_path / "none")
    with pytest.raises(ValueError, match="has neither"):
        main([str(tmp_path), str(tmp_path / "out")])
