"""Weights that a configuration does not name: those of its model on Hugging Face, fetched once and kept where its own tools keep them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from executorch.extension.llm.export.config.choices import ModelType
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.models.refusal import RefusalError

#: Models that are there for everyone. Llama's are behind a licence, and those of Qwen 3.5 attend to images too: their files are given by
#: hand.
REPOSITORIES = {
    ModelType.qwen2_5_0_5b: "Qwen/Qwen2.5-0.5B",
    ModelType.qwen2_5_1_5b: "Qwen/Qwen2.5-1.5B",
    ModelType.qwen2_5_coder_32b: "Qwen/Qwen2.5-Coder-32B-Instruct",
    ModelType.qwen3_0_6b: "Qwen/Qwen3-0.6B",
    ModelType.qwen3_1_7b: "Qwen/Qwen3-1.7B",
    ModelType.qwen3_4b: "Qwen/Qwen3-4B",
    ModelType.phi_4_mini: "microsoft/Phi-4-mini-instruct",
    ModelType.smollm2: "HuggingFaceTB/SmolLM2-135M",
    ModelType.lfm2_350m: "LiquidAI/LFM2-350M",
    ModelType.lfm2_700m: "LiquidAI/LFM2-700M",
    ModelType.lfm2_1_2b: "LiquidAI/LFM2-1.2B",
    ModelType.lfm2_5_350m: "LiquidAI/LFM2.5-350M",
    ModelType.lfm2_5_1_2b: "LiquidAI/LFM2.5-1.2B-Instruct",
}

#: What a decoder is made of; weights of other forms stay there.
_FILES = ["*.json", "*.safetensors"]


def fetch(repository: str) -> Path:
    """The directory of a repository's weights, sizes and tokenizer, downloaded if it is not here yet.

    Args:
        repository: as in ``Qwen/Qwen3-0.6B``.

    Raises:
        RefusalError: it cannot be had, with the reason.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise RefusalError(
            f"{repository} is fetched by the package huggingface_hub: pip install huggingface_hub, or give base.checkpoint"
        ) from error
    try:
        return Path(snapshot_download(repository, allow_patterns=_FILES))
    except (OSError, ValueError) as error:  # what the package raises is one of them
        reason = str(error).strip().partition("\n")[0]
        raise RefusalError(
            f"{repository} cannot be fetched: {reason} Way out: give base.checkpoint, the directory of its files"
        ) from error


def is_fetched(config: LlmConfig) -> bool:
    """Whether a configuration names no weights and its model is one of those that everyone can have."""
    return config.base.checkpoint is None and config.base.model_class in REPOSITORIES


def with_checkpoint(config: LlmConfig) -> LlmConfig:
    """The configuration, with the weights of its model where it names none and they can be fetched.

    Raises:
        RefusalError: as of :func:`fetch`.
    """
    if not is_fetched(config):
        return config
    checkpoint = str(fetch(REPOSITORIES[config.base.model_class]))
    return dataclasses.replace(config, base=dataclasses.replace(config.base, checkpoint=checkpoint))
