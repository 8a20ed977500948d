"""The decoder of ``model_class: static_llama``: shapes that never change, and caches that are inputs and outputs, for NPUs.

A call takes ``export.max_seq_length`` tokens, and caches of as many as are left of ``export.max_context_length``.
:class:`~executorch.extension.llm.models.static_io.StaticAttentionIOManager` keeps what stands between calls.
"""

from __future__ import annotations

from typing import Any

import torch

from executorch.extension.llm.export.builder import DType
from executorch.extension.llm.export.config.choices import ModelType
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.static_io import StaticAttentionIOManager
from executorch.extension.llm.models.transformer import Transformer


def is_static(config: LlmConfig) -> bool:
    """Whether a configuration asks for it."""
    return config.base.model_class is ModelType.static_llama


def check_static(config: LlmConfig) -> None:
    """Refuses what does not go together with static shapes.

    Raises:
        ValueError: it is asked for, with a way out.
    """
    if not is_static(config):
        return
    model, export = config.model, config.export
    if model.use_kv_cache or model.enable_dynamic_shape:
        raise RefusalError(
            "base.model_class static_llama takes caches as inputs, of shapes that do not change: leave model.use_kv_cache out, and "
            "give model.enable_dynamic_shape=false"
        )
    if config.base.preq_mode is not None or config.quantization.qmode == "8da4w-gptq":
        raise RefusalError(
            "base.model_class static_llama cuts attention into heads, which weights have to be floats for: leave base.preq_mode and "
            "8da4w-gptq out"
        )
    if export.max_context_length <= export.max_seq_length:
        raise RefusalError(
            f"base.model_class static_llama: calls of {export.max_seq_length} tokens leave no cache in a context of "
            f"{export.max_context_length}: give a larger export.max_context_length, or a smaller export.max_seq_length"
        )


def static_inputs(config: LlmConfig, model: Transformer) -> tuple[torch.Tensor, dict[str, Any]]:
    """Tokens and options of a call."""
    length = config.export.max_seq_length
    manager = StaticAttentionIOManager(
        model,
        length,
        config.export.max_context_length - length,
        dtype=DType[config.model.dtype_override.value].to_torch_dtype(),
    )
    return torch.zeros((1, length), dtype=torch.int64), manager.options(torch.arange(length))
