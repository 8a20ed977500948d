"""Configurations from values and from flags; what contradicts itself is refused."""

import argparse
import dataclasses

import pytest

from executorch.extension.llm.export.config.arguments import flags
from executorch.extension.llm.export.config.llm_config import (
    BackendConfig,
    CoreMLConfig,
    ExportConfig,
    LlmConfig,
    ModelConfig,
    ModelType,
    MultimethodConfig,
    Pt2eQuantize,
    QuantizationConfig,
    XNNPackConfig,
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ExportConfig(max_seq_length=9, max_context_length=8), "of 8 cannot be shorter than .* of 9"),
        (lambda: ModelConfig(use_attention_sink="4"), "<sink_size>,<window_size>"),
        (lambda: ModelConfig(use_attention_sink="a,b"), "not 'a,b'"),
        (lambda: ModelConfig(quantize_kv_cache=True), "use_kv_cache"),
        (lambda: ModelConfig(static_quantize_kv_cache=True), "use_kv_cache"),
        (lambda: ModelConfig(local_global_attention=[4]), "use_kv_cache"),
        (lambda: ModelConfig(static_quantize_kv_cache=True, use_kv_cache=True), "enable_dynamic_shape=False"),
        (
            lambda: ModelConfig(
                static_quantize_kv_cache=True,
                use_kv_cache=True,
                enable_dynamic_shape=False,
                local_global_attention=[4],
            ),
            "does not support local_global_attention",
        ),
        (
            lambda: ModelConfig(quantize_kv_cache=True, static_quantize_kv_cache=True, use_kv_cache=True),
            "both",
        ),
        (lambda: ModelConfig(static_quantize_kv_cache_scale=float("nan")), "finite"),
        (lambda: QuantizationConfig(qmode="int4"), "int4, but expected one of"),
        (lambda: QuantizationConfig(qmode="torchao:8da(4)w"), "regex patterns"),
        (lambda: QuantizationConfig(embedding_quantize="four"), "four"),
        (lambda: CoreMLConfig(ios=14), "14; give one of 15"),
        (
            lambda: LlmConfig(
                quantization=QuantizationConfig(qmode="torchao:8da4w"),
                backend=BackendConfig(xnnpack=XNNPackConfig(enabled=True)),
            ),
            "XNNPack",
        ),
        (
            lambda: LlmConfig(
                model=ModelConfig(use_shared_embedding=True), quantization=QuantizationConfig(qmode="8da4w")
            ),
            "shared embeddings",
        ),
    ],
)
def test_contradictions_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("qmode", ["int8", "8da4w", "8da4w-gptq", "4w", "torchao:8da4w", "torchao:fpa1w"])
def test_quantizations(qmode):
    assert QuantizationConfig(qmode=qmode).is_low_bit() == qmode.startswith("torchao")


def test_every_flag_names_a_field():
    config = LlmConfig()
    for targets in flags(config).values():
        for target in targets:
            group = config
            for name in target.split("."):
                assert name in {one.name for one in dataclasses.fields(group)}, target
                group = getattr(group, name)


def test_from_flags():
    args = argparse.Namespace(
        model="qwen3_0_6b",
        params="p.json",
        use_kv_cache=True,
        quantize_kv_cache=True,
        xnnpack=True,
        xnnpack_extended_ops=False,
        quantization_mode="8da4w",
        group_size=64,
        pt2e_quantize="xnnpack_dynamic",
        max_seq_length=64,
        max_context_length=None,
        mlx=False,
        adapter_checkpoint="a.pt",
        adapter_config="a.json",
    )
    config = LlmConfig.from_args(args)
    assert config.base.model_class is ModelType.qwen3_0_6b and config.base.params == "p.json"
    assert config.model.use_kv_cache and config.model.quantize_kv_cache
    assert config.quantization.pt2e_quantize is Pt2eQuantize.xnnpack_dynamic
    assert config.quantization.qmode == "8da4w"
    assert (config.quantization.group_size, config.backend.openvino.nncf_compression_group_size) == (64, 64)
    assert config.backend.xnnpack == XNNPackConfig(enabled=True)
    assert (config.export.max_seq_length, config.export.max_context_length) == (64, 128)
    assert config.base.lora_config is not None and config.base.lora_config.adapter_checkpoint == "a.pt"
    assert not config.multimethod.enabled and MultimethodConfig().methods == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "llama9"}, "llama9"),
        ({"adapter_checkpoint": "a"}, "adapter_config"),
        ({"adapter_config": "a"}, "adapter_checkpoint"),
        ({"max_seq_length": 256}, "cannot be shorter"),
        ({"quantize_kv_cache": True}, "use_kv_cache"),
    ],
)
def test_flags_that_do_not_fit(given, message):
    with pytest.raises(ValueError, match=message):
        LlmConfig.from_args(argparse.Namespace(**given))
