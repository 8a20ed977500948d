"""A configuration that names no weights has those of its model's repository; what cannot be fetched is one line."""

import sys
import types

import huggingface_hub
import pytest
import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from executorch.extension.llm.export import decoder, hub
from executorch.extension.llm.export.config.choices import ModelType
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.export_llm import main
from executorch.extension.llm.models.refusal import RefusalError

TOKENS = torch.tensor([[3, 1, 4, 1, 5]])


@pytest.fixture
def qwen(tmp_path, monkeypatch):
    """What lies in the repository, and the calls that ask for it."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "vocab_size": 60, "head_dim": 8}
    heads = {"num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2}
    model = Qwen3ForCausalLM(Qwen3Config(**sizes, **heads)).eval()
    model.save_pretrained(tmp_path / "qwen")
    calls = []

    def snapshot_download(repository, allow_patterns):
        calls.append((repository, allow_patterns))
        return str(tmp_path / "qwen")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    return model, calls


def test_weights_come_from_the_models_repository(qwen):
    model, calls = qwen
    config = from_yaml("base: {model_class: qwen3_0_6b}\ndebug: {generate_full_logits: true}")
    with torch.no_grad():
        found = decoder.manager(config).model(TOKENS)
        torch.testing.assert_close(found, model(TOKENS).logits, rtol=1e-4, atol=1e-5)
    assert calls == [("Qwen/Qwen3-0.6B", ["*.json", "*.safetensors"])]
    assert config.base.checkpoint is None


def test_methods_have_them_in_common(qwen, tmp_path):
    methods = "multimethod.methods=[{method_name: one, export_seq_len: 1}, {method_name: many}]"
    arguments = ["base.model_class=qwen3_0_6b", "model.use_kv_cache=true", methods]
    assert main([*arguments, f"export.output_dir={tmp_path}"]) == 0
    assert (tmp_path / "qwen3_0_6b.pte").exists()


def test_named_weights_and_llamas_are_not_fetched(qwen, tmp_path):
    for overrides in ["base.checkpoint=model.pth"], ["base.model_class=llama3_2"]:
        config = from_yaml("base: {model_class: qwen3_4b}", overrides)
        assert hub.with_checkpoint(config) is config
    assert not qwen[1]
    assert not any(kind.value.startswith(("llama", "stories", "static")) for kind in hub.REPOSITORIES)
    assert set(hub.REPOSITORIES) <= set(ModelType)


def test_what_cannot_be_fetched_is_one_line(monkeypatch, capsys):
    def offline(*_, **__):
        raise huggingface_hub.errors.LocalEntryNotFoundError("the network is away.\nTraceback of it")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    assert main(["base.model_class=smollm2"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "HuggingFaceTB/SmolLM2-135M cannot be fetched: the network is away." in error
    assert "give base.checkpoint" in error
    monkeypatch.setitem(sys.modules, "huggingface_hub", types.ModuleType("huggingface_hub"))
    with pytest.raises(RefusalError, match="pip install huggingface_hub"):
        hub.fetch("a/b")
