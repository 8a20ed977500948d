"""The decoder of a configuration as a model of the registry."""

import json

import pytest
import torch

from executorch.examples.models.llama.export_llama_lib import _export_llama, get_llama_model
from executorch.examples.models.llama.model import Llama2Model
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.extension.llm.export.config.llm_config import ExportConfig, LlmConfig

_SIZES = {"dim": 32, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 64, "hidden_dim": 48}


@pytest.fixture
def config(tmp_path):
    found = LlmConfig()
    (tmp_path / "params.json").write_text(json.dumps(_SIZES))
    found.base.params = str(tmp_path / "params.json")
    return found


@pytest.mark.parametrize("has_cache", [False, True])
def test_the_decoder_of_a_configuration(config, has_cache):
    config.model.use_kv_cache = has_cache
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(
        "llama.model", "Llama2Model", llm_config=config
    )
    assert kwargs is None and inputs[0].dtype == torch.int64 and len(inputs) == 1 + has_cache
    program = torch.export.export(model, inputs, dynamic_shapes=shapes).module()
    torch.testing.assert_close(program(*inputs), model(*inputs))
    # As many tokens as another call has.
    longer = (torch.arange(7)[None], *inputs[1:])
    torch.testing.assert_close(program(*longer), model(*longer))
    assert model(*longer).shape[-1] == _SIZES["vocab_size"]


def test_a_configuration_without_sizes_has_the_released_ones(monkeypatch, tmp_path):
    monkeypatch.setattr("executorch.examples.models.llama.model._SIZES", {**_SIZES, "dim": 64}, raising=True)
    decoder = Llama2Model()
    assert decoder.get_eager_model().params.dim == 64 and decoder.llm_config.base.params is None
    assert decoder.get_eager_model()(*decoder.get_example_inputs()).isfinite().all()
    exported = _export_llama(LlmConfig(export=ExportConfig(output_dir=str(tmp_path))))
    assert exported.model.params.dim == 64 and (tmp_path / "llama3.pte").exists()


def test_a_checkpoint_that_is_not_there_is_said(config, tmp_path):
    config.base.checkpoint = str(tmp_path / "no.pth")
    with pytest.raises(FileNotFoundError, match=r"no\.pth"):
        Llama2Model(config)


def test_the_decoder_with_what_its_program_says_about_itself(config):
    config.model.use_kv_cache = True
    model, (tokens, options), metadata = get_llama_model(config)
    assert not model.training and metadata["get_n_layers"] == 2 and metadata["use_kv_cache"]
    assert model(tokens, options).shape == (1, _SIZES["vocab_size"])
