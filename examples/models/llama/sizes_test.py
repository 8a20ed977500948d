"""The files of sizes and settings of the models here: what they make has the published number of parameters, and can be asked for."""

import pathlib

import pytest
import torch

from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.decoder import check
from executorch.extension.llm.models.checkpoints import read_params
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import construct_transformer

_HERE = pathlib.Path(__file__).absolute().parents[1]
#: Parameters of the published models, whose output layer is the embedding once more.
_PUBLISHED = {
    "lfm2/config/lfm2_350m_config.json": 354_483_968,
    "lfm2/config/lfm2_700m_config.json": 742_489_344,
    "lfm2/config/lfm2_1_2b_config.json": 1_170_340_608,
    "lfm2/config/lfm2_5_350m_config.json": 354_483_968,
    "lfm2/config/lfm2_5_1_2b_config.json": 1_170_340_608,
    "phi_4_mini/config/config.json": 3_836_021_760,
    "qwen2_5/config/0_5b_config.json": 494_032_768,
    "qwen2_5/config/1_5b_config.json": 1_543_714_304,
    "qwen3/config/0_6b_config.json": 596_049_920,
    "qwen3/config/1_7b_config.json": 1_720_574_976,
    "qwen3/config/4b_config.json": 4_022_468_096,
    "smollm2/135M_config.json": 134_515_008,
}
_SETTINGS = sorted(_HERE.glob("*/config/*.yaml"))


def test_all_files_are_known() -> None:
    assert {str(path.relative_to(_HERE)) for path in _HERE.glob("*/**/*.json")} == set(_PUBLISHED)
    assert len(_SETTINGS) == 11


@pytest.mark.parametrize("file", _PUBLISHED)
def test_parameters_are_as_many_as_published(file: str) -> None:
    with torch.device("meta"):
        model = construct_transformer(ModelArgs(**read_params(_HERE / file)))
    sizes = {name: one.numel() for name, one in model.named_parameters()}
    assert sum(sizes.values()) - sizes["output.weight"] == _PUBLISHED[file]


@pytest.mark.parametrize("path", _SETTINGS, ids=lambda path: path.stem)
def test_settings_are_taken(path: pathlib.Path) -> None:
    config = from_yaml(path.read_text(), ["base.params=sizes.json", "base.checkpoint=model.pth"])
    check(config)
    assert config.model.use_kv_cache and config.base.metadata
    assert config.backend.xnnpack.enabled == ("xnnpack" in path.stem)
