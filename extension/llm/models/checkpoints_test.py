"""Decoders out of files against those of transformers, logit by logit; what does not fit is named."""

import json

import gguf
import pytest
import torch
import transformers
from safetensors.torch import save_file

from executorch.extension.llm.models.checkpoints import fill_pending, load_decoder, read_params
from executorch.extension.llm.models.gguf_for_tests import gguf_file
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import construct_transformer

SIZES = {"dim": 16, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 20, "hidden_dim": 24}
TOKENS = torch.tensor([[1, 5, 7, 2]])


def _decoder(**options):
    torch.manual_seed(0)
    return construct_transformer(ModelArgs(**{**SIZES, "max_context_len": 8, **options})).eval()


def _same(found, expected):
    with torch.no_grad():
        torch.testing.assert_close(found(TOKENS), expected(TOKENS), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["plain", "nested", "old format", "safetensors", "without output"])
def test_metas_files(kind, tmp_path):
    model, file = _decoder(), tmp_path / "consolidated.00.pth"
    weights = dict(model.state_dict())
    if kind == "without output":
        del weights["output.weight"]
        model.output.weight = model.tok_embeddings.weight
    if kind == "safetensors":
        file = tmp_path / "model.safetensors"
        save_file(weights, file)
    else:
        # Meta's files have the frequencies of the rotations too.
        saved = {**weights, "rope.freqs": torch.zeros(2)}
        torch.save(
            {"model": saved} if kind == "nested" else saved,
            file,
            _use_new_zipfile_serialization=kind != "old format",
        )
    (tmp_path / "params.json").write_text(json.dumps(SIZES))
    _same(load_decoder(file, tmp_path / "params.json", max_context_len=8), model)
    if kind == "plain":
        _same(load_decoder(tmp_path, max_context_len=8), model)


@pytest.mark.parametrize("embedding_dim", [0, 1])
def test_metas_files_in_parts(embedding_dim, tmp_path):
    model = _decoder()
    (tmp_path / "params.json").write_text(json.dumps({**SIZES, "vocab_size": 20}))
    for part in range(2):
        saved = {}
        for name, value in model.state_dict().items():
            columns = name.endswith(("wo.weight", "w2.weight"))
            dim = embedding_dim if name == "tok_embeddings.weight" else int(columns)
            saved[name] = value.chunk(2, dim)[part].clone() if value.dim() == 2 else value
        torch.save(saved, tmp_path / f"consolidated.0{part}.pth")
    _same(load_decoder(tmp_path, max_context_len=8), model)


def test_a_vocabulary_of_the_embeddings_size(tmp_path):
    model = _decoder()
    torch.save(model.state_dict(), tmp_path / "w.pth")
    _same(load_decoder(tmp_path / "w.pth", {**SIZES, "vocab_size": -1}, max_context_len=8), model)


@pytest.mark.parametrize("shards", ["1GB", "20KB"])
def test_hugging_faces_directories(shards, tmp_path):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=20,
        hidden_size=32,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    )
    peer = transformers.AutoModelForCausalLM.from_config(config).eval()
    peer.save_pretrained(tmp_path, max_shard_size=shards)
    found = load_decoder(tmp_path, max_context_len=8, generate_full_logits=True)
    with torch.no_grad():
        torch.testing.assert_close(found(TOKENS), peer(TOKENS).logits, atol=2e-5, rtol=1e-4)


def _gguf(path, kind, peer, bits, factors=None):
    """A model of transformers as llama.cpp's converter writes it."""
    config, quantization = peer.config, gguf.GGMLQuantizationType[bits]
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[kind.upper()], config.num_hidden_layers)
    fields = {
        "block_count": config.num_hidden_layers,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "head_count": config.num_attention_heads,
        "head_count_kv": config.num_key_value_heads,
        "key_length": config.head_dim if hasattr(config, "head_dim") else 16,
        "layer_norm_rms_eps": config.rms_norm_eps,
        "rope_freq_base": config.rope_theta,
    }
    with gguf_file(path, kind, **fields) as writer:
        for name, value in peer.state_dict().items():
            if name != "lm_head.weight" or not config.tie_word_embeddings:
                _add(writer, kind, name, names.get_name(name, (".weight", ".bias")), value, quantization)
        if factors is not None:
            writer.add_tensor("rope_freqs.weight", factors.numpy())


def _add(writer, kind, name, target, value, quantization):
    # Queries and keys of Llama's are turned into pairs.
    is_turned = kind == "llama" and name.endswith(("q_proj.weight", "k_proj.weight"))
    halves, pairs = (-1, 2, 8, 32), (-1, 8, 2, 32)
    stored = value.view(halves).transpose(1, 2).reshape(value.shape) if is_turned else value
    if value.dim() == 1:
        writer.add_tensor(target, stored.numpy())
        return
    packed = gguf.quants.quantize(stored.numpy(), quantization)
    writer.add_tensor(target, packed, raw_dtype=quantization)
    # The peer calculates with what the file has.
    rounded = torch.from_numpy(gguf.quants.dequantize(packed, quantization)).view(value.shape)
    value.copy_(rounded.view(pairs).transpose(1, 2).reshape(value.shape) if is_turned else rounded)


@pytest.mark.parametrize("bits", ["F32", "F16", "Q8_0"])
@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3"])
def test_gguf_files(kind, bits, tmp_path):
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    sizes |= {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
    kinds = {"llama": "LlamaConfig", "qwen2": "Qwen2Config", "qwen3": "Qwen3Config"}
    config = getattr(transformers, kinds[kind])(**sizes, tie_word_embeddings=kind == "qwen3")
    peer = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for weight in peer.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
        factors = torch.tensor([1.0, 1, 1, 1, 2, 3, 4, 8]) if kind == "llama" else None
        _gguf(tmp_path / "m.gguf", kind, peer, bits, factors)
        if factors is not None:
            peer.model.rotary_emb.inv_freq.div_(factors)
        found = load_decoder(tmp_path / "m.gguf", max_context_len=8, generate_full_logits=True).float()
        torch.testing.assert_close(found(TOKENS), peer(TOKENS).logits, atol=2e-5, rtol=1e-4)
        late = load_decoder(tmp_path / "m.gguf", is_lazy=True, max_context_len=8, generate_full_logits=True)
        assert late.layers[1].feed_forward.w2.weight.is_meta == (bits == "Q8_0")
        fill_pending(late)
        torch.testing.assert_close(late.float()(TOKENS), found(TOKENS), atol=0, rtol=0)


def test_gguf_files_that_do_not_fit(tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GG")
    with pytest.raises(ValueError, match="no GGUF file"):
        load_decoder(file)
    for kind, message in [
        ("mamba", "architecture mamba; there are llama"),
        ("llama", "does not say n_layers"),
    ]:
        with gguf_file(file, kind):
            pass
        with pytest.raises(ValueError, match=message):
            load_decoder(file)


def test_weights_are_mapped_not_read(tmp_path):
    torch.save(_decoder().state_dict(), tmp_path / "w.pth")
    found = load_decoder(tmp_path / "w.pth", SIZES, max_context_len=8)
    pointers = [one.untyped_storage().data_ptr() for one in found.parameters()]
    with (tmp_path / "w.pth").open("rb") as file:
        size = len(file.read())
    # All of them lie in one mapping of the file.
    assert max(pointers) - min(pointers) < size


def test_random_weights():
    assert load_decoder(None, SIZES, max_context_len=8)(TOKENS).shape == (1, 20)


def test_what_does_not_fit(tmp_path):
    model = _decoder()
    weights = dict(model.state_dict())
    file = tmp_path / "w.pth"
    weights["norm.weight"] = torch.zeros(3)
    weights["extra"] = torch.zeros(1)
    del weights["layers.1.attention.wq.weight"]
    torch.save(weights, file)
    with pytest.raises(
        ValueError, match=r"layers.1.attention.wq.weight is missing; no place for extra.*\(3,\)"
    ):
        load_decoder(file, SIZES, max_context_len=8)
    with pytest.raises(ValueError, match="sizes of the model are missing"):
        load_decoder(file)
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        load_decoder(tmp_path / "none.pth", SIZES)
    torch.save([1], file)
    with pytest.raises(ValueError, match="no state dict"):
        load_decoder(file, SIZES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="neither"):
        load_decoder(tmp_path / "empty", SIZES)
    params = tmp_path / "p.json"
    for text, message in [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ('{"width": 1}', "no size width; .*dim"),
    ]:
        params.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_params(params)
