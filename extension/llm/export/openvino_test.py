"""Weights in four bits by what a text does to a decoder, through OpenVINO: the whole way by configuration."""

from __future__ import annotations

import pathlib

import openvino  # noqa: F401  before pytest knows a package of ours by that name
import pytest
import torch

from executorch.backends.openvino.quantizer import llm_compression
from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.export.quantizers import quantize
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import construct_transformer
from executorch.runtime import Runtime

_SIZES = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 96, "hidden_dim": 160}
_CALL = (torch.tensor([[17]]), {"input_pos": torch.tensor([0])})


class _Letters:
    """A tokenizer of ASCII's letters."""

    eos_id = 0

    def encode(self, text: str, bos: bool, eos: bool) -> list[int]:
        return [1] * bos + [ord(letter) % 96 for letter in text] + [0] * eos


@pytest.fixture
def config(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> LlmConfig:
    monkeypatch.setattr(llm_compression, "get_tokenizer", lambda _: _Letters())
    torch.manual_seed(0)
    torch.save(construct_transformer(ModelArgs(**_SIZES)).state_dict(), tmp_path / "model.pth")  # type: ignore[arg-type]
    sizes = ", ".join(f'"{name}": {size}' for name, size in _SIZES.items())
    (tmp_path / "params.json").write_text(f"{{{sizes}}}")
    made: LlmConfig = from_yaml(
        "model: {use_kv_cache: True, enable_dynamic_shape: False}\nbackend: {openvino: {enabled: True}}",
        [
            f"base.checkpoint={tmp_path / 'model.pth'}",
            f"base.params={tmp_path / 'params.json'}",
            "base.tokenizer_path=letters",
            f"export.output_dir={tmp_path}",
            "export.max_seq_length=32",
            "quantization.pt2e_quantize=openvino_4wo",
            "quantization.calibration_seq_length=24",
            "backend.openvino.nncf_compression_group_size=32",
        ],
    )
    made.quantization.calibration_data = "the quick brown fox"
    return made


def _logits(config: LlmConfig) -> torch.Tensor:
    """Of the program that a configuration makes."""
    method = Runtime.get().load_program(export_llama(config)).load_method("forward")
    (found,) = method.execute((_CALL[0], _CALL[1]["input_pos"]))
    return found


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
def test_scales_by_a_text(flags: tuple[bool, bool], config: LlmConfig) -> None:
    config.backend.openvino.openvino_awq, config.backend.openvino.openvino_scale_estimation = flags
    made = quantize(decoder.manager(config).export(), config)
    names = set(made.pre_autograd_graph_module.state_dict())
    assert any(name.startswith("symmetric_weights_decompressor") for name in names)
    want = made.pre_autograd_graph_module.float()(*_CALL)
    torch.testing.assert_close(_logits(config), want.detach(), atol=2e-3, rtol=2e-3)
    floats = decoder.manager(config).model(*_CALL)
    assert float((want - floats).abs().max() / floats.abs().max()) < 0.35


def test_what_it_needs_is_named(config: LlmConfig) -> None:
    config.backend.openvino.openvino_awq = True
    config.quantization.calibration_data = None
    with pytest.raises(ValueError, match="calibration_data"):
        export_llama(config)
    config.model.use_kv_cache = False
    with pytest.raises(ValueError, match=r"set model\.use_kv_cache"):
        decoder.check(config)
