"""The decoder of a configuration by the published interface of example models."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import tempfile
from typing import Any

import torch

from executorch.examples.models.model_base import EagerModelBase
from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.builder import LLMEdgeManager
from executorch.extension.llm.export.config.llm_config import LlmConfig

#: Of a decoder whose configuration names neither sizes nor weights, as released.
_SIZES = {"dim": 4096, "n_layers": 1, "n_heads": 32, "vocab_size": 512}


class Llama2Model(EagerModelBase):
    """A decoder of any family that :class:`LlmConfig` names, transformed as it says.

    Args:
        llm_config: The configuration. Without a checkpoint in it the weights are random, without sizes it is one layer of width 4,096.

    Raises:
        ValueError: the configuration asks for what is not there, or weights and sizes do not fit.
        FileNotFoundError: there is no such checkpoint.
    """

    def __init__(self, llm_config: LlmConfig | None = None) -> None:
        self.llm_config = LlmConfig() if llm_config is None else llm_config
        self._manager = decoder_of(self.llm_config)

    def get_eager_model(self) -> torch.nn.Module:
        """Takes tokens ``[1, n]`` and, if it has a cache, ``{"input_pos": positions}``; gives logits."""
        return self._manager.model

    def get_example_inputs(self) -> tuple[Any, ...]:
        return self._manager.example_inputs

    def get_example_kwarg_inputs(self) -> dict[str, Any] | None:
        return self._manager.example_kwarg_inputs

    def get_dynamic_shapes(self) -> Any:
        """The number of tokens up to ``export.max_seq_length``, unless the configuration says it; see ``torch.export``."""
        return self._manager._get_dynamic_shape()


def decoder_of(config: LlmConfig) -> LLMEdgeManager:
    """As :func:`~executorch.extension.llm.export.decoder.manager`; without sizes and weights, of the released sizes and random.

    Raises:
        ValueError, FileNotFoundError: as there.
    """
    if config.base.params is not None or config.base.checkpoint is not None:
        return decoder.manager(config)
    with tempfile.TemporaryDirectory() as folder:
        params = pathlib.Path(folder, "params.json")
        params.write_text(json.dumps(_SIZES))
        base = dataclasses.replace(config.base, params=str(params))
        return decoder.manager(dataclasses.replace(config, base=base))
