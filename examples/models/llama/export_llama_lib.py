"""The export of a language model as a function, with the steps that released versions have under these names."""

from __future__ import annotations

from typing import Any

import torch

from executorch.examples.models.llama.model import decoder_of
from executorch.extension.llm.export import pipeline
from executorch.extension.llm.export.builder import DType, LLMEdgeManager
from executorch.extension.llm.export.command_line import build_args_parser
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.decoder import model_metadata as _load_llama_model_metadata
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.export.quantizers import get_quantizer_and_quant_params

__all__ = [
    "DType",
    "LLMEdgeManager",
    "LlmConfig",
    "_export_llama",
    "_load_llama_model_metadata",
    "_prepare_for_llama_export",
    "build_args_parser",
    "export_llama",
    "get_llama_model",
    "get_quantizer_and_quant_params",
]


def _prepare_for_llama_export(llm_config: LlmConfig) -> LLMEdgeManager:
    """The decoder of a configuration, transformed and ready to be exported; see `model.decoder_of`."""
    return decoder_of(llm_config)


def get_llama_model(
    llm_config: LlmConfig,
) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]:
    """The decoder of a configuration in eval mode, its example inputs, and what a program of it says about itself.

    With a cache, the inputs are tokens and ``{"input_pos": positions}``.
    """
    manager = _prepare_for_llama_export(llm_config)
    return manager.model.eval(), manager.example_inputs, dict(manager.metadata or {})


def _export_llama(llm_config: LlmConfig) -> LLMEdgeManager:
    """Exports by a configuration, and gives what is left of each step; see `pipeline.lowered`."""
    return pipeline.lowered(llm_config, lambda config: _prepare_for_llama_export(config))
