"""The methods of a program: `forward` alone, or those that ``multimethod`` names, with an adapter or a number of tokens of their own."""

from __future__ import annotations

import dataclasses

from executorch.extension.llm.export.config.llm_config import LlmConfig, MultimethodConfig
from executorch.extension.llm.export.hub import is_fetched
from executorch.extension.llm.models.refusal import RefusalError

DEFAULT_METHOD = "forward"


def method_configs(config: LlmConfig) -> dict[str, LlmConfig]:
    """Name of each method to the configuration of that one alone, whose ``multimethod`` names no other.

    Raises:
        ValueError: names are missing or come twice, or what is asked for needs several methods, or cannot have them.
    """
    methods = config.multimethod.methods
    _check(config)
    if not methods:
        return {DEFAULT_METHOD: config}
    return {
        one.method_name: dataclasses.replace(
            config,
            base=dataclasses.replace(config.base, lora_config=one.lora_config or config.base.lora_config),
            multimethod=MultimethodConfig([one]),
        )
        for one in methods
    }


def without_methods(config: LlmConfig) -> LlmConfig:
    """What a method's configuration has in common with those of the others: all but its adapter and its number of tokens."""
    base = dataclasses.replace(config.base, lora_config=None)
    return dataclasses.replace(config, base=base, multimethod=MultimethodConfig())


def _check(config: LlmConfig) -> None:
    methods, export = config.multimethod.methods, config.export
    names = [one.method_name for one in methods]
    if not all(names) or len(set(names)) < len(names):
        raise RefusalError(f"multimethod.methods: each method has a name of its own, not {names}")
    if config.multimethod.share_mutable_buffers and not (len(methods) > 1 and config.model.use_kv_cache):
        raise RefusalError(
            "multimethod.share_mutable_buffers: methods have caches in common: name two of them in multimethod.methods, and set "
            "model.use_kv_cache"
        )
    if len(methods) > 1 and config.base.checkpoint is None and not is_fetched(config):
        raise RefusalError(
            "multimethod.methods have the weights of a checkpoint in common: give base.checkpoint"
        )
    if len(methods) > 1 and export.export_only:
        raise RefusalError(
            "export.export_only writes one method: leave the others of multimethod.methods out"
        )
    for one in methods:
        if one.export_seq_len is not None and not 0 < one.export_seq_len <= export.max_seq_length:
            raise RefusalError(
                f"multimethod: {one.method_name} takes {one.export_seq_len} tokens, but a call has 1 to {export.max_seq_length}: "
                "give a larger export.max_seq_length"
            )


def tokens_of_call(config: LlmConfig) -> int | None:
    """How many tokens the one method of a configuration takes in every call, None if it says nothing of that."""
    methods = config.multimethod.methods
    return methods[0].export_seq_len if len(methods) == 1 else None
