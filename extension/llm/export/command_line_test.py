"""Flags to configurations: each field that has a flag, and the documented short ones; partitioners by options."""

import pytest

from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.backends.apple.mps.partition import MPSPartitioner
from executorch.backends.arm.ethosu import EthosUPartitioner
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.arm.vgf import VgfPartitioner
from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.backends.vulkan.options import VulkanOptions
from executorch.extension.llm.export import partitioner_lib
from executorch.extension.llm.export.command_line import build_args_parser, main
from executorch.extension.llm.export.config.llm_config import DtypeOverride, LlmConfig, ModelType


def _config(text):
    return LlmConfig.from_args(build_args_parser().parse_args(text.split()))


def test_nothing_given_is_all_defaults():
    assert _config("") == LlmConfig()


def test_the_documented_flags():
    config = _config(
        "--model llama3_2 -c w.pth -p p.json -kv --use_sdpa_with_kv_cache -X --xnnpack-extended-ops -qmode 8da4w -G 64 "
        "-E 4,32 -d fp16 --max_seq_length 64 --max_context_length 256 --disable_dynamic_shape -n out.pte -o dir -v "
        "--calibration_tasks a b"
    )
    assert config.base.model_class is ModelType.llama3_2
    assert (config.base.checkpoint, config.base.params) == ("w.pth", "p.json")
    assert config.model.use_kv_cache and config.model.use_sdpa_with_kv_cache
    assert not config.model.enable_dynamic_shape and config.model.dtype_override is DtypeOverride.fp16
    assert config.backend.xnnpack.enabled and config.backend.xnnpack.extended_ops
    quantization = config.quantization
    assert (quantization.qmode, quantization.group_size) == ("8da4w", 64)
    assert quantization.embedding_quantize == "4,32" and quantization.calibration_tasks == ["a", "b"]
    assert (config.export.max_seq_length, config.export.max_context_length) == (64, 256)
    assert (config.export.output_name, config.export.output_dir) == ("out.pte", "dir")
    assert config.debug.verbose
    assert _config("-kv --local_global_attention [16,0]").model.local_global_attention == [16, 0]


def test_what_is_wrong_is_one_line(tmp_path, capsys):
    for arguments, command, message in [
        (["-c", "none.pth"], "export_llama", "no checkpoint none.pth"),
        (["-qmode", "int3"], "export_llama", "int3"),
        (["--config", str(tmp_path / "none.yaml")], "export_llm", "no configuration"),
    ]:
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"{command}: ") and message in error and error.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["--model", "llama9"])


def test_core_mls_partitioner():
    made = partitioner_lib.get_coreml_partitioner(
        18, coreml_quantize="b4w", coreml_compute_units="cpu_and_ne"
    )
    assert isinstance(made, CoreMLPartitioner) and made.take_over_mutable_buffer
    specs = {one.key: one.value for one in made.delegation_spec.compile_specs}
    assert (specs["compute_units"], specs["min_deployment_target"]) == (b"cpu_and_ne", b"9")
    assert b"per_block" in specs["op_linear_quantizer_config"]
    assert not partitioner_lib.get_coreml_partitioner(16).take_over_mutable_buffer
    with pytest.raises(ValueError, match="needs ios 18"):
        partitioner_lib.get_coreml_partitioner(17, coreml_quantize="c4w")


def test_partitioners_of_other_backends():
    openvino = partitioner_lib.get_openvino_partitioner("GPU")
    assert isinstance(openvino, OpenvinoPartitioner)
    assert [(one.key, one.value) for one in openvino.delegation_spec.compile_specs] == [("device", b"GPU")]
    assert isinstance(partitioner_lib.get_tosa_partitioner("TOSA-1.0+INT"), TOSAPartitioner)
    ethosu = partitioner_lib.get_ethosu_partitioner("ethos-u55-128", "default", "default", ["--verbose"])
    assert isinstance(ethosu, EthosUPartitioner)
    mps = partitioner_lib.get_mps_partitioner()
    assert isinstance(mps, MPSPartitioner)
    assert [(one.key, one.value) for one in mps.delegation_spec.compile_specs] == [("use_fp16", b"\1")]
    vulkan = partitioner_lib.get_vulkan_partitioner("fp32", True, True)
    assert vulkan.options == VulkanOptions(require_dynamic_shapes=True, force_fp16=True)
    with pytest.raises(ValueError, match="the model is in bf16"):
        partitioner_lib.get_vulkan_partitioner("bf16")
    with pytest.raises(NotImplementedError, match=r"no backend qnn comes .*hand the partitioner"):
        partitioner_lib.get_qnn_partitioner()
    vgf = partitioner_lib.get_vgf_partitioner("TOSA-1.0+INT", [])
    assert isinstance(vgf, VgfPartitioner)
