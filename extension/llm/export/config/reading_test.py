"""Files and overrides; each refusal names the key."""

import pytest

from executorch.extension.llm.export.config.llm_config import (
    CoreMLComputeUnit,
    DtypeOverride,
    LlmConfig,
    ModelType,
    PreqMode,
)
from executorch.extension.llm.export.config.reading import from_mapping, from_yaml

DOCUMENTED = """
base:
  model_class: llama3_2
  checkpoint: model.pth
  params: params.json
  metadata: '{"get_bos_id":128000, "get_eos_ids":[128009, 128001]}'
model:
  use_kv_cache: True
  use_sdpa_with_kv_cache: True
quantization:
  embedding_quantize: 4,32
  qmode: 8da4w
  group_size: 32
backend:
  xnnpack:
    enabled: True
    extended_ops: True
debug:
  verbose: True
"""


def test_the_documented_file():
    config = from_yaml(DOCUMENTED)
    assert config.base.model_class is ModelType.llama3_2
    assert config.base.metadata == '{"get_bos_id":128000, "get_eos_ids":[128009, 128001]}'
    assert config.model.use_kv_cache and config.model.use_sdpa_with_kv_cache
    assert config.quantization.embedding_quantize == "4,32" and config.quantization.group_size == 32
    assert config.backend.xnnpack.enabled and config.backend.xnnpack.extended_ops and config.debug.verbose


def test_overrides_win_over_the_file():
    config = from_yaml(
        DOCUMENTED,
        [
            '+base.model_class="qwen3_0_6b"',
            '+base.metadata=\'{"get_bos_id":1, "get_eos_ids":[2]}\'',
            "base.preq_mode=8da4w",
            "++export.max_context_length=256",
            "model.local_global_attention=[16,0]",
            "model.static_quantize_kv_cache_scale=1e-2",
            "model.dtype_override=fp16",
            "backend.coreml.compute_units=cpu_and_ne",
            "quantization.group_size=null",
            "~quantization.qmode",
            "debug.verbose=false",
            "multimethod.methods=[{method_name: a, export_seq_len: 4}, {method_name: b}]",
        ],
    )
    assert config.base.model_class is ModelType.qwen3_0_6b and config.base.preq_mode is PreqMode.preq_8da4w
    assert config.base.metadata == '{"get_bos_id":1, "get_eos_ids":[2]}'
    assert config.export.max_context_length == 256 and config.model.local_global_attention == [16, 0]
    assert config.model.static_quantize_kv_cache_scale == 0.01
    assert config.model.dtype_override is DtypeOverride.fp16
    assert config.backend.coreml.compute_units is CoreMLComputeUnit.cpu_and_ne
    assert config.quantization.group_size is None and config.quantization.qmode is None
    assert not config.debug.verbose
    assert [(one.method_name, one.export_seq_len) for one in config.multimethod.methods] == [
        ("a", 4),
        ("b", None),
    ]


def test_nothing_is_all_defaults():
    assert from_yaml("") == LlmConfig() == from_mapping({}) == from_mapping({"base": None})


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        ("base: [", [], "no YAML"),
        ("- 1", [], "no mapping"),
        ("base: {size: 1}", [], r"no key base\.size; here are model_class"),
        ("", ["size=1"], "no key size; here are base"),
        ("", ["base.checkpoint"], r"write group\.key=value"),
        ("", ["base..checkpoint=1"], r"write group\.key=value"),
        ("", ["debug.verbose.more=1", "debug.verbose=1"], "verbose is of type bool"),
        ("debug: {verbose: true}", ["debug.verbose.more=1"], "verbose is True, no group"),
        ("", ["base.model_class=llama9"], "base.model_class is one of stories110m, .*, not llama9"),
        ("", ["export.max_seq_length=many"], "export.max_seq_length is of type int"),
        ("export: {max_seq_length: true}", [], "export.max_seq_length is of type int"),
        ("", ["model.static_quantize_kv_cache_scale=small"], "is of type float"),
        ("", ["model.local_global_attention=4"], "local_global_attention is a list"),
        ("base: {metadata: {get_bos_id: 1}}", [], "base.metadata is a text.* quotes"),
        ("base: {lora_config: {lora_rank: 2}}", [], "base.lora_config is not complete: .*adapter_checkpoint"),
        ("model: {quantize_kv_cache: true}", [], "use_kv_cache"),
    ],
)
def test_what_does_not_fit_is_named(text, overrides, message):
    with pytest.raises(ValueError, match=message):
        from_yaml(text, overrides)


def test_references_are_what_they_refer_to(monkeypatch):
    monkeypatch.setenv("MODELS", "/models")
    text = """
base: {model_class: qwen3_0_6b, params: "${oc.env:MODELS}/${.model_class}/params.json", checkpoint: "${base.params}.pth"}
export:
  max_seq_length: 64
  max_context_length: ${.max_seq_length}
  output_name: "${base.model_class}_${quantization.qmode}_${oc.env:NO_SUCH_VARIABLE, local}_${model.dtype_override}"
  output_dir: '\\${kept}'
model: {use_kv_cache: true, local_global_attention: [32, "${export.max_seq_length}"]}
"""
    config = from_yaml(text, ["quantization.qmode=8da4w", "base.tokenizer_path=${base.params}.model"])
    assert config.base.params == "/models/qwen3_0_6b/params.json"
    assert config.base.checkpoint == f"{config.base.params}.pth"
    assert config.base.tokenizer_path == f"{config.base.params}.model"
    assert config.export.max_context_length == 64 and config.model.local_global_attention == [32, 64]
    assert config.export.output_name == "qwen3_0_6b_8da4w_local_fp32"
    assert config.export.output_dir == "${kept}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base: {params: '${base.nothing}'}", "base.params refers to base.nothing, which is not there"),
        ("base: {params: '${.checkpoint}', checkpoint: '${.params}'}", "go in a circle"),
        ("base: {params: '${oc.env:NO_SUCH_VARIABLE}'}", "the environment has no NO_SUCH_VARIABLE"),
        ("base: {params: '${oc.create:1}'}", "asks for 'oc.create'"),
        ("base: {params: 'x${base.checkpoint'}", "cannot read the reference in base.params"),
        ("export: {max_seq_length: '${base.model_class}'}", "export.max_seq_length"),
    ],
)
def test_references_that_lead_nowhere(text, words):
    with pytest.raises(ValueError, match=words):
        from_yaml(text)
