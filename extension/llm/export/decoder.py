"""From a configuration to the decoder that it describes, with the transforms that it asks for."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from executorch.extension.llm.cache.custom_kv_cache import CustomKVCacheWithAttentionSink
from executorch.extension.llm.cache.kv_cache import KVCache
from executorch.extension.llm.cache.replacements import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
    replace_kv_cache_with_ring_kv_cache,
    replace_kv_cache_with_static_quantized_kv_cache,
)
from executorch.extension.llm.cache.static_quantized_kv_cache import (
    enable_static_kv_cache_calibration,
    finalize_static_kv_cache_calibration,
)
from executorch.extension.llm.export.builder import DType, LLMEdgeManager, metadata_of, tokens_of
from executorch.extension.llm.export.config.choices import ModelType, PreqMode, Pt2eQuantize
from executorch.extension.llm.export.config.llm_config import LlmConfig, LoraConfig
from executorch.extension.llm.export.gptq import gptq_transform
from executorch.extension.llm.export.hub import with_checkpoint
from executorch.extension.llm.export.methods import tokens_of_call, without_methods
from executorch.extension.llm.export.packed_experts import QuantizedMoEFFN, replace_moe_with_quantized_op
from executorch.extension.llm.export.pre_quantized import ADAPTER_SCALE, quantized_weights, split_adapter
from executorch.extension.llm.export.static_decoder import (
    check_static,
    is_static,
    static_inputs,
)
from executorch.extension.llm.export.weight_quantization import (
    DEFAULT_GROUP,
    embedding_transform,
    linear_transform,
)
from executorch.extension.llm.models.checkpoints import fill_pending, load_decoder, random_decoder
from executorch.extension.llm.models.feed_forward import MOEFeedForward
from executorch.extension.llm.models.lora import add_adapter, read_adapter
from executorch.extension.llm.models.memory import with_same_tensors
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.rotations import inject_hadamard, rotate, rotate_queries_and_keys
from executorch.extension.llm.models.sdpa import replace_sdpa_with_custom_op, replace_sdpa_with_quantized_sdpa
from executorch.extension.llm.models.static_attention import transform_attention_mha_to_static_attention
from executorch.extension.llm.models.transformer import Transformer

Transform = Callable[[nn.Module], nn.Module]

_log = logging.getLogger(__name__)

#: Switches of the configuration that nothing here answers to, and what to do instead.
_NOT_HERE = {
    "model.expand_rope_table": "tables are broadcast over heads",
    "backend.torchao.use_torchao_kernels_linear": "torchao: quantizations run without its kernels",
    "backend.torchao.use_torchao_kernels_tied_embedding": "torchao: quantizations run without its kernels",
}


def check(config: LlmConfig) -> None:
    """Refuses what a configuration may say and this library has not.

    Raises:
        ValueError: it asks for that, with a way out.
    """
    for key, way_out in _NOT_HERE.items():
        value: Any = config
        for name in key.split("."):
            value = getattr(value, name)
        if value:
            raise RefusalError(f"{key} is not supported yet: {way_out}")
    if config.backend.coreml.enable_state and config.backend.coreml.ios < 18:
        raise RefusalError(
            "backend.coreml.enable_state: caches are Core ML's state from iOS 18 on: give backend.coreml.ios=18"
        )
    if config.backend.coreml.preserve_sdpa and (
        config.backend.coreml.ios < 18 or config.model.use_sdpa_with_kv_cache
    ):
        raise RefusalError(
            "backend.coreml.preserve_sdpa: Core ML has PyTorch's attention as one operator from iOS 18 on: give backend.coreml.ios=18, "
            "and leave model.use_sdpa_with_kv_cache out"
        )
    if config.base.model_class is ModelType.llama3_2_vision:
        raise RefusalError(
            "base.model_class llama3_2_vision attends to images, which no decoder here does: give llama3_2 for its text alone"
        )
    if config.quantization.calibration_tasks:
        raise RefusalError(
            "quantization.calibration_tasks come of an evaluation harness, which this library has not: give "
            "quantization.calibration_data, a text, and base.tokenizer_path"
        )
    _check_openvino(config)
    _check_pre_quantized(config)
    check_static(config)
    lora = config.base.lora_config
    if config.base.adapter_checkpoint is not None:
        raise RefusalError(
            "base.adapter_checkpoint is read when a configuration is made: set base.lora_config"
        )
    if lora is not None and lora.adapter_quant:
        raise RefusalError("base.lora_config.adapter_quant is not supported yet: adapters stay floats")
    if lora is None and config.export.lora_weights_file:
        raise RefusalError("export.lora_weights_file has no weights to hold: give base.lora_config")
    if config.model.use_sdpa_with_kv_cache and not config.model.use_kv_cache:
        raise RefusalError("model.use_sdpa_with_kv_cache attends over a cache: set model.use_kv_cache")
    if config.model.use_attention_sink and not config.model.use_kv_cache:
        raise RefusalError("model.use_attention_sink is a kind of cache: set model.use_kv_cache")
    if config.model.use_attention_sink and (
        config.model.quantize_kv_cache or config.model.local_global_attention
    ):
        raise RefusalError(
            "model.use_attention_sink keeps floats of all layers alike: leave quantize_kv_cache and local_global_attention out"
        )
    if config.model.use_shared_embedding and not config.quantization.embedding_quantize:
        raise RefusalError(
            "model.use_shared_embedding shares quantized weights: give quantization.embedding_quantize"
        )


def _check_openvino(config: LlmConfig) -> None:
    openvino, quantization = config.backend.openvino, config.quantization
    if not (openvino.openvino_awq or openvino.openvino_scale_estimation):
        return
    asked = "backend.openvino.openvino_awq and openvino_scale_estimation"
    if quantization.pt2e_quantize is not Pt2eQuantize.openvino_4wo:
        raise RefusalError(f"{asked} are of four bits: give quantization.pt2e_quantize=openvino_4wo")
    if not config.model.use_kv_cache:
        raise RefusalError(f"{asked} run a text token by token: set model.use_kv_cache")
    wanted = {
        "quantization.calibration_data": quantization.calibration_data,
        "quantization.calibration_seq_length": quantization.calibration_seq_length,
        "base.tokenizer_path": config.base.tokenizer_path,
    }
    missing = [key for key, value in wanted.items() if value is None]
    if missing:
        raise RefusalError(f"{asked} look at what a text does: give {', '.join(missing)}")


def _check_pre_quantized(config: LlmConfig) -> None:
    base, quantization = config.base, config.quantization
    if base.preq_mode is None:
        if base.use_lora or quantization.use_qat:
            raise RefusalError(
                "base.use_lora and quantization.use_qat are of checkpoints that were quantized before: give base.preq_mode, or name "
                "an adapter's file by base.lora_config"
            )
        if quantization.use_spin_quant and config.model.use_shared_embedding:
            raise RefusalError(
                "rotations make the output layer another one than the embedding: leave model.use_shared_embedding out"
            )
        return
    if quantization.qmode or quantization.embedding_quantize:
        raise RefusalError(
            "base.preq_mode says how the weights are quantized: leave quantization.qmode and embedding_quantize out"
        )
    if base.checkpoint is None:
        raise RefusalError("base.preq_mode is of a checkpoint: give base.checkpoint")
    if base.use_lora and base.lora_config is not None:
        raise RefusalError(
            "the checkpoint's own adapter and another's do not go together: base.use_lora or base.lora_config"
        )


def manager(config: LlmConfig) -> LLMEdgeManager:
    """The decoder of a configuration, transformed and ready to be exported.

    Raises:
        ValueError: the configuration asks for what is not there, or weights and sizes do not fit.
        FileNotFoundError: there is no such checkpoint.
    """
    return Decoders()(config)


class Decoders:
    """As :func:`manager`, of configurations that have a checkpoint in common: it is read and quantized once.

    What an adapter does not change, and how many tokens a call has, is of all of them; so their decoders have the same tensors.
    """

    def __init__(self) -> None:
        self._made: dict[str, Transformer] = {}

    def __call__(self, config: LlmConfig) -> LLMEdgeManager:
        check(config)
        config = with_checkpoint(config)
        if config.base.checkpoint is None:
            _log.warning("base.checkpoint is not given: the weights are random")
        dtype = DType[config.model.dtype_override.value]
        model = self._decoder(config, dtype.to_torch_dtype())
        _check_experts(config, model)
        most = _most_tokens(config)
        inputs: tuple[Any, ...] = (
            static_inputs(config, model) if is_static(config) else _example(config, most)
        )
        return LLMEdgeManager(
            model,
            config.base.model_class.value,
            most,
            config.model.use_kv_cache,
            inputs,
            dtype=dtype,
            enable_dynamic_shape=_takes_any_number(config),
            generate_full_logits=config.debug.generate_full_logits,
            calibration_tasks=config.quantization.calibration_tasks,
            calibration_limit=config.quantization.calibration_limit,
            calibration_seq_length=config.quantization.calibration_seq_length,
            calibration_data=config.quantization.calibration_data,
            tokenizer_path=config.base.tokenizer_path,
            verbose=config.debug.verbose,
            metadata=dict(_metadata(config, model, most)),
            dynamic_shapes=tree_map(lambda _: None, inputs) if _is_fixed(config) else None,
            generate_etrecord=config.debug.generate_etrecord,
        ).set_output_dir(config.export.output_dir)

    def _decoder(self, config: LlmConfig, dtype: torch.dtype) -> Transformer:
        lora = config.base.lora_config
        if lora is not None and _adapters_come_first(config):
            return _transformed(_with_adapter(_loaded(config, dtype), lora), config, dtype)
        plain = without_methods(config)
        key = repr(plain)
        if key not in self._made:
            self._made[key] = _transformed(_loaded(plain, dtype), plain, dtype)
        model = with_same_tensors(self._made[key])
        return model if lora is None else _with_adapter(model, lora)


def _check_experts(config: LlmConfig, model: Transformer) -> None:
    kinds = {type(one) for one in model.modules()}
    if config.model.use_moe_quantized_op and QuantizedMoEFFN not in kinds:
        raise RefusalError("model.use_moe_quantized_op: the model has no experts, leave it out")
    if config.quantization.qmode and MOEFeedForward in kinds:
        _log.warning(
            "qmode is of linear layers, experts stay floats: model.use_moe_quantized_op gives them four bits"
        )


def _adapters_come_first(config: LlmConfig) -> bool:
    """Whether what is done to a decoder depends on its adapter: it is turned, or shown some text."""
    quantization = config.quantization
    return (
        quantization.use_spin_quant is not None
        or quantization.qmode == "8da4w-gptq"
        or config.model.static_quantize_kv_cache
        or is_static(config)
    )


def _transformed(model: Transformer, config: LlmConfig, dtype: torch.dtype) -> Transformer:
    for transform in transforms(config, dtype):
        model = transform(model)  # type: ignore[assignment]
    fill_pending(model)
    # Before decoders have tensors in common: torch changes the dtype of some in place, if they are one module's alone.
    return model.to(dtype)


def _loaded(config: LlmConfig, dtype: torch.dtype) -> Transformer:
    base, rank = config.base, config.base.use_lora
    # Where nothing else is done to them first, weights come into being where they are quantized, one layer after the other.
    is_lazy = not (_adapters_come_first(config) or base.lora_config)
    if base.checkpoint is None and base.params is not None and is_lazy:
        return random_decoder(base.params, **_options(config))
    if base.preq_mode is None:
        return load_decoder(base.checkpoint, base.params, is_lazy=is_lazy, **_options(config))
    is_output_int8 = base.preq_mode is PreqMode.preq_8da4w_out_8da8w
    adapter: dict[str, torch.Tensor] = {}

    def convert(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        if rank:
            weights, found = split_adapter(weights, rank)
            adapter.update(found)
        return quantized_weights(
            weights, base.preq_group_size, base.preq_embedding_quantize, is_output_int8, dtype
        )

    model = load_decoder(base.checkpoint, base.params, convert, **_options(config))
    return add_adapter(model, adapter, rank, ADAPTER_SCALE * rank) if adapter else model


def _with_adapter(model: Transformer, lora: LoraConfig) -> Transformer:
    weights, said = read_adapter(lora.adapter_checkpoint, lora.adapter_config)
    # Without a file the configuration itself says all three.
    said = said or {"rank": lora.lora_rank, "alpha": lora.lora_alpha, "target_modules": lora.target_modules}
    if not said["rank"] > 0:
        raise RefusalError(
            "the rank of the adapter is missing: give base.lora_config.adapter_config, or lora_rank and lora_alpha"
        )
    return add_adapter(model, weights, **said)


def transforms(config: LlmConfig, dtype: torch.dtype) -> list[Transform]:
    """What a configuration changes in a decoder before it is exported, in this order."""
    found: list[Transform] = []
    model, quantization = config.model, config.quantization
    if quantization.use_spin_quant:
        # A checkpoint of SpinQuant's was rotated before it was quantized; floats are rotated here.
        found.append(rotate if config.base.preq_mode is None else inject_hadamard)
        if model.quantize_kv_cache:
            found.append(rotate_queries_and_keys)
    if is_static(config):
        found.append(lambda decoder: transform_attention_mha_to_static_attention(decoder))  # type: ignore[arg-type]
    if quantization.embedding_quantize:
        shared = model.use_shared_embedding
        found.append(
            embedding_transform(
                quantization.embedding_quantize, dtype, shared, is_packed=_runs_on_processors(config)
            )
        )
    if model.use_moe_quantized_op:
        # Before linear layers, whose quantization the router would be in.
        found.append(
            partial(replace_moe_with_quantized_op, group_size=quantization.group_size or DEFAULT_GROUP)
        )
    if quantization.qmode == "8da4w-gptq":
        found.append(
            gptq_transform(_calibration_calls(config), quantization.group_size or DEFAULT_GROUP, dtype)
        )
    elif quantization.qmode:
        found.append(
            linear_transform(
                quantization.qmode,
                quantization.group_size,
                dtype,
                quantization.use_hqq,
                is_packed=_runs_on_processors(config),
                keeps_four_bits=config.backend.vulkan.enabled,
            )
        )
    if model.use_attention_sink:
        sink, window = (int(one) for one in model.use_attention_sink.split(","))
        found.append(lambda decoder: _with_sink(decoder, sink, window))
    elif model.use_sdpa_with_kv_cache:
        found.append(replace_kv_cache_with_custom_kv_cache)
    if model.quantize_kv_cache:
        found.append(replace_kv_cache_with_quantized_kv_cache)
    if model.static_quantize_kv_cache:
        found.append(lambda decoder: _with_static_cache(decoder, config))
    windows = model.local_global_attention
    if windows:
        found.append(lambda decoder: replace_kv_cache_with_ring_kv_cache(decoder, windows))
    if model.use_sdpa_with_kv_cache:
        found.append(replace_sdpa_with_custom_op)
        if model.quantize_kv_cache:
            found.append(replace_sdpa_with_quantized_sdpa)
    return found


def _runs_on_processors(config: LlmConfig) -> bool:
    """Whether no backend but XNNPACK takes parts: others have weights in few bits of their own."""
    backend = config.backend
    others = (one for one in vars(backend).values() if one is not backend.xnnpack)
    return not any(getattr(one, "enabled", False) for one in others)


def _calibration_calls(config: LlmConfig) -> list[tuple[Any, ...]]:
    """The calibration's text in pieces of at most ``calibration_seq_length`` tokens, ``calibration_limit`` of them."""
    quantization, path = config.quantization, config.base.tokenizer_path
    if not quantization.calibration_data or path is None:
        raise RefusalError(
            "8da4w-gptq rounds by the inputs of a text: give quantization.calibration_data and base.tokenizer_path"
        )
    tokens = torch.tensor(tokens_of(quantization.calibration_data, path), dtype=torch.int64)
    most = min(
        quantization.calibration_seq_length or config.export.max_seq_length, config.export.max_seq_length
    )
    pieces = tokens[None].split(most, dim=1)[: quantization.calibration_limit]
    if not config.model.use_kv_cache:
        return [(one,) for one in pieces]
    return [(one, {"input_pos": torch.tensor([0])}) for one in pieces]


def _with_static_cache(decoder: nn.Module, config: LlmConfig) -> nn.Module:
    """With caches in int8, calibrated by the text of the configuration if there is a tokenizer for it."""
    model, quantization, path = config.model, config.quantization, config.base.tokenizer_path
    replace_kv_cache_with_static_quantized_kv_cache(
        decoder, model.static_quantize_kv_cache_scale, model.use_sdpa_with_kv_cache
    )
    if path is None:
        _log.warning(
            "base.tokenizer_path is not given: nothing is calibrated, and model.static_quantize_kv_cache_scale is the scale of all"
        )
        return decoder
    tokens = tokens_of(quantization.calibration_data, path)
    enable_static_kv_cache_calibration(decoder)
    most = min(quantization.calibration_seq_length or len(tokens), config.export.max_context_length)
    with torch.no_grad():
        for position, token in enumerate(tokens[:most]):
            decoder(torch.tensor([[token]]), {"input_pos": torch.tensor([position])})
    return finalize_static_kv_cache_calibration(decoder)


def _with_sink(decoder: nn.Module, sink: int, window: int) -> nn.Module:
    for module in decoder.modules():
        cache = getattr(module, "kv_cache", None)
        if isinstance(cache, KVCache):
            module.kv_cache = CustomKVCacheWithAttentionSink(
                cache.max_batch_size, cache.n_heads, cache.head_dim, window, sink, cache.k_cache.dtype
            )
    return decoder


def _options(config: LlmConfig) -> dict[str, Any]:
    named: dict[str, Any] = {
        "max_seq_len": config.export.max_seq_length,
        "max_context_len": config.export.max_context_length,
        "use_kv_cache": config.model.use_kv_cache,
        "enable_dynamic_shape": config.model.enable_dynamic_shape,
        # Calls that tokens do not fill are filled up: the last logits are not those that count.
        "generate_full_logits": config.debug.generate_full_logits or is_static(config),
    }
    for key in ("input_prune_map", "output_prune_map"):
        path = getattr(config.model, key)
        if path is not None:
            named[key] = _prune_map(path, f"model.{key}")
    return named


def _prune_map(path: str, key: str) -> dict[int, int]:
    try:
        with open(path) as file:
            return {int(token): int(row) for token, row in json.load(file).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise RefusalError(f"{key}: {path} is no JSON object of tokens and rows: {error}") from error


def _most_tokens(config: LlmConfig) -> int:
    """The most tokens of a call: no more than the smallest window, behind which a ring forgets."""
    windows = [one for one in config.model.local_global_attention or () if one]
    if config.model.use_attention_sink:
        windows.append(int(config.model.use_attention_sink.split(",")[1]))
    return min([config.export.max_seq_length, *windows])


def _is_fixed(config: LlmConfig) -> bool:
    """Whether the number of a call's tokens is said, so that no shape changes."""
    return is_static(config) or tokens_of_call(config) is not None


def _takes_any_number(config: LlmConfig) -> bool:
    return config.model.enable_dynamic_shape and not _is_fixed(config)


def _example(config: LlmConfig, most: int) -> tuple[Any, ...]:
    count = tokens_of_call(config) or min(3, most)
    if not config.model.use_kv_cache:
        return (torch.ones((1, count), dtype=torch.int64),)
    if not config.model.enable_dynamic_shape:
        count = tokens_of_call(config) or 1
    return torch.ones((1, count), dtype=torch.int64), {"input_pos": torch.tensor([0])}


def _metadata(config: LlmConfig, model: Transformer, most: int) -> Any:
    return model_metadata(
        use_kv_cache=config.model.use_kv_cache,
        use_sdpa_with_kv_cache=config.model.use_sdpa_with_kv_cache,
        enable_dynamic_shape=config.model.enable_dynamic_shape,
        max_seq_len=most,
        max_context_len=config.export.max_context_length,
        n_layers=model.n_layers,
        vocab_size=model.vocab_size,
        metadata_str=config.base.metadata,
        num_kv_shared_layers=model.params.num_kv_shared_layers,
    )


def model_metadata(
    use_kv_cache: bool,
    use_sdpa_with_kv_cache: bool,
    enable_dynamic_shape: bool,
    max_seq_len: int,
    max_context_len: int,
    n_layers: int,
    vocab_size: int,
    metadata_str: str | None = None,
    num_kv_shared_layers: int = 0,
) -> dict[str, Any]:
    """The constant methods of a decoder; those of the JSON text ``metadata_str`` win.

    Raises:
        ValueError: the text is no JSON object.
    """
    known: dict[str, Any] = {
        "get_max_seq_len": max_seq_len,
        "get_max_context_len": max_context_len,
        "get_n_layers": n_layers,
        "get_vocab_size": vocab_size,
        "use_kv_cache": use_kv_cache,
        "use_sdpa_with_kv_cache": use_sdpa_with_kv_cache,
        "enable_dynamic_shape": enable_dynamic_shape,
    }
    if num_kv_shared_layers:
        known["get_num_kv_shared_layers"] = num_kv_shared_layers
    return dict(metadata_of(metadata_str, **known))
