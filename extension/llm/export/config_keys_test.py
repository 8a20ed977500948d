"""No key of a configuration is ignored: each changes what an export is made of, or is refused."""

import dataclasses
import json

import pytest
import torch

from executorch.extension.llm.export import decoder, partitioner_lib, pipeline, quantizer_lib
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.export_llm import REFUSALS
from executorch.extension.llm.export.models_for_tests import CACHE, CUSTOM, XNNPACK, saved
from executorch.extension.llm.export.quantizers import quantizers_of

_STEP = [*CACHE, "model.enable_dynamic_shape=false"]
_FEW_BITS = ["quantization.qmode=torchao:8da4w", "quantization.embedding_quantize=torchao:4,32"]
_METHODS = (
    "multimethod.methods=[{method_name: prompt, export_seq_len: 4}, {method_name: step, export_seq_len: 1}]"
)


def _on(backend: str, *others: str) -> list[str]:
    return [f"backend.{backend}.enabled=true", *others]


#: Key to what is given beside it and to its value, in which {other} is a directory with another model. What an export is made of changes.
MADE = {
    "base.model_class": ([], "llama3"),
    "base.params": ([], "{other}/params.json"),
    "base.checkpoint": ([], "{other}/consolidated.00.pth"),
    "base.lora_config": ([], "{{adapter_checkpoint: {other}/none.pt, lora_rank: 2, lora_alpha: 4}}"),
    "base.adapter_checkpoint": ([], "{other}/none.pt"),
    "base.adapter_config": ([], "{other}/none.json"),
    "base.tokenizer_path": ([*_STEP, "model.static_quantize_kv_cache=true"], "{other}/none.json"),
    "base.metadata": ([], "'{{\"get_bos_id\": 7}}'"),
    "base.use_lora": ([], "2"),
    "base.preq_mode": ([], "8da4w"),
    "model.dtype_override": ([], "fp16"),
    "model.enable_dynamic_shape": (CACHE, "false"),
    "model.use_shared_embedding": ([*CACHE, *_FEW_BITS], "true"),
    "model.use_sdpa_with_kv_cache": (CACHE, "true"),
    "model.expand_rope_table": ([], "true"),
    "model.use_attention_sink": (CUSTOM, "2,6"),
    "model.output_prune_map": ([], "{other}/map.json"),
    "model.input_prune_map": ([], "{other}/map.json"),
    "model.use_kv_cache": ([], "true"),
    "model.quantize_kv_cache": (CUSTOM, "true"),
    "model.static_quantize_kv_cache": (_STEP, "true"),
    "model.static_quantize_kv_cache_scale": ([*_STEP, "model.static_quantize_kv_cache=true"], "0.03"),
    "model.local_global_attention": (CUSTOM, "[6]"),
    "model.use_moe_quantized_op": ([], "true"),
    "export.max_seq_length": (CACHE, "8"),
    "export.max_context_length": (CACHE, "32"),
    "export.output_dir": ([], "elsewhere"),
    "export.lora_weights_file": ([], "adapter.ptd"),
    "debug.generate_etrecord": ([], "true"),
    "debug.generate_full_logits": ([], "true"),
    "debug.verbose": ([], "true"),
    "quantization.qmode": ([], "int8"),
    "quantization.embedding_quantize": ([], "4,32"),
    "quantization.pt2e_quantize": ([], "xnnpack_dynamic"),
    "quantization.group_size": (["quantization.qmode=8da4w"], "64"),
    "quantization.use_spin_quant": ([], "native"),
    "quantization.use_qat": ([], "true"),
    "quantization.quantize_scope": (["quantization.pt2e_quantize=tosa_8a8w"], "linear"),
    "quantization.calibration_tasks": ([], "[wikitext]"),
    "quantization.calibration_limit": ([], "3"),
    "quantization.calibration_seq_length": ([], "3"),
    "quantization.calibration_data": ([], "another text"),
    "quantization.use_hqq": (["quantization.qmode=8da4w"], "false"),
    "backend.xnnpack.enabled": ([], "true"),
    "backend.xnnpack.extended_ops": ([*XNNPACK, "quantization.qmode=8da4w"], "true"),
    "backend.coreml.enabled": ([], "true"),
    "backend.coreml.enable_state": (_on("coreml"), "true"),
    "backend.coreml.preserve_sdpa": (_on("coreml"), "true"),
    "backend.coreml.quantize": (_on("coreml", "backend.coreml.ios=18"), "b4w"),
    "backend.coreml.ios": (_on("coreml"), "18"),
    "backend.coreml.compute_units": (_on("coreml"), "all"),
    "backend.vulkan.enabled": ([], "true"),
    "backend.vulkan.force_fp16": (_on("vulkan"), "true"),
    "backend.mps.enabled": ([], "true"),
    "backend.qnn.enabled": ([], "true"),
    "backend.openvino.enabled": ([], "true"),
    "backend.openvino.device": (_on("openvino"), "GPU"),
    "backend.openvino.nncf_compression_group_size": (["quantization.pt2e_quantize=openvino_4wo"], "64"),
    "backend.openvino.openvino_awq": (_on("openvino"), "true"),
    "backend.openvino.openvino_scale_estimation": (_on("openvino"), "true"),
    "backend.torchao.use_torchao_kernels_linear": ([], "true"),
    "backend.torchao.use_torchao_kernels_tied_embedding": ([], "true"),
    "backend.tosa.enabled": ([], "true"),
    "backend.tosa.version": (_on("tosa"), "TOSA-1.0+FP"),
    "backend.ethosu.enabled": ([], "true"),
    "backend.ethosu.target": (_on("ethosu"), "ethos-u55-128"),
    "backend.ethosu.memory_mode": (_on("ethosu"), "Shared_Sram"),
    "backend.ethosu.system_config": (_on("ethosu"), "Another_System"),
    "backend.ethosu.extra_flags": (_on("ethosu"), "[--verbose-all]"),
    "backend.vgf.enabled": ([], "true"),
    "backend.vgf.compile_spec": (_on("vgf"), "TOSA-1.0+FP"),
    "backend.vgf.compiler_flags": (_on("vgf"), "[--debug]"),
    "backend.vgf.quantize_scope": (["quantization.pt2e_quantize=vgf_8a8w"], "linear"),
    "backend.mlx.enabled": ([], "true"),
}

#: Keys of what is written: the files change.
WRITTEN = {
    "export.output_name": ([], "another"),
    "export.so_library": ([], "{other}/none.so"),
    "export.export_only": ([], "true"),
    "export.foundation_weights_file": ([], "foundation.ptd"),
    "backend.xnnpack.enable_bf16": ([*XNNPACK, "model.dtype_override=bf16"], "true"),
    "debug.profile_memory": ([], "true"),
    "debug.profile_path": ([], "{out}/profile.html"),
    "multimethod.methods": (CACHE, _METHODS.partition("=")[2].replace("{", "{{").replace("}", "}}")),
    "multimethod.share_mutable_buffers": ([*CACHE, _METHODS], "true"),
}

#: Keys with tests of their own, and which.
ELSEWHERE = {
    "base.preq_group_size": "pre_quantized_test",
    "base.preq_embedding_quantize": "pre_quantized_test",
}

#: Of a backend that is refused as a whole.
_REFUSED = "backend.qnn."


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Overrides that name a small model."""
    return saved(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A directory with weights and sizes that differ."""
    directory = tmp_path_factory.mktemp("other")
    saved(directory, {"rope_theta": 100.0})
    weights = torch.load(directory / "consolidated.00.pth")
    torch.save({name: 2 * one for name, one in weights.items()}, directory / "consolidated.00.pth")
    (directory / "map.json").write_text(json.dumps({token: token for token in range(0, 96, 2)}))
    return directory


def _keys(group, before: str = ""):
    for one in dataclasses.fields(group):
        value = getattr(group, one.name)
        if dataclasses.is_dataclass(value):
            yield from _keys(value, f"{before}{one.name}.")
        else:
            yield before + one.name


def test_the_tables_have_every_key():
    keys = {key for key in _keys(LlmConfig()) if key == f"{_REFUSED}enabled" or not key.startswith(_REFUSED)}
    assert keys == MADE.keys() | WRITTEN.keys() | ELSEWHERE.keys()


@pytest.fixture
def recorded(monkeypatch):
    """Partitioners and quantizers are what they would be made of; none of the backends is needed."""
    for library in (partitioner_lib, quantizer_lib):
        for name in dir(library):
            if name.startswith("get_") and name not in (
                "get_qnn_partitioner",
                "get_xnnpack_partitioner",
                "get_pt2e_quantization_params",
            ):
                monkeypatch.setattr(
                    library, name, lambda *given, _name=name, **named: (_name, given, sorted(named.items()))
                )


def _made(overrides: list[str]) -> str:
    """All that a configuration is made into before anything is captured; or why it is refused."""
    torch.manual_seed(0)
    try:
        config = from_yaml("", overrides)
        made = decoder.manager(config)
        partitioners = pipeline._partitioners(config)
        backends = [one if isinstance(one, tuple) else type(one).__name__ for one in partitioners]
        quantizers = quantizers_of(config)
    except REFUSALS as error:
        return f"refused: {error}"
    with torch.no_grad():
        logits = made.model(*made.example_inputs)
    state = [(name, one.dtype, one.shape) for name, one in made.model.state_dict().items()]
    plain = {name: one for name, one in vars(made).items() if isinstance(one, (str, int, float, list, dict))}
    return repr((made.model, state, backends, quantizers, plain, logits.shape, logits.double().sum().item()))


def _written(overrides: list[str], out) -> list[tuple[str, bytes]]:
    try:
        pipeline.export_llama(from_yaml("", [*overrides, f"export.output_dir={out}"]))
    except REFUSALS as error:
        return [("refused", str(error).encode())]
    return [(one.name, one.read_bytes()) for one in sorted(out.iterdir())]


@pytest.mark.parametrize("key", MADE)
def test_what_an_export_is_made_of_changes(key, base, other, recorded):
    beside, value = MADE[key]
    before = _made([*base, *beside])
    assert _made([*base, *beside]) == before and not before.startswith("refused")
    assert _made([*base, *beside, f"++{key}={value.format(other=other)}"]) != before


@pytest.mark.parametrize("key", WRITTEN)
def test_what_is_written_changes(key, base, other, tmp_path):
    beside, value = WRITTEN[key]
    for name in ("before", "again", "after"):
        (tmp_path / name).mkdir()
    before = _written([*base, *beside], tmp_path / "before")
    assert _written([*base, *beside], tmp_path / "again") == before and before[0][0] != "refused"
    after = [*base, *beside, f"++{key}={value.format(other=other, out=tmp_path / 'after')}"]
    assert _written(after, tmp_path / "after") != before
