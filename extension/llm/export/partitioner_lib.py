"""Partitioners of backends by the options of an export; a backend is looked up when it is asked for.

XNNPACK, Core ML, Vulkan, OpenVINO and Arm's TOSA, Ethos-U and VGF are there. The other functions have the documented names and say what is missing.
"""

from __future__ import annotations

import importlib
from typing import Any, NoReturn

from executorch.extension.llm.models.refusal import MissingBackendError, RefusalError
from executorch.partitioner import CompileSpec

#: Fields of coremltools's ``OpLinearQuantizerConfig``.
_COREML_WEIGHTS = {
    "b4w": {"mode": "linear_symmetric", "dtype": "int4", "granularity": "per_block", "block_size": 32},
    "c4w": {"mode": "linear_symmetric", "dtype": "int4", "granularity": "per_channel"},
}


def get_xnnpack_partitioner(
    dynamic_quant_only_partitioner: bool = True, enable_bf16: bool = False, final_constants: bool = False
) -> Any:
    """XNNPACK's.

    Args:
        dynamic_quant_only_partitioner: takes only linear layers whose inputs are quantized at run time; else all that XNNPACK can.
        enable_bf16: linear layers in bfloat16 go there too.
        final_constants: nobody writes to weights until the program has been written: delegates do not copy them.

    Raises:
        ImportError: the backend is not installed.
    """
    module = importlib.import_module("executorch.backends.xnnpack.partition.xnnpack_partitioner")
    if dynamic_quant_only_partitioner:
        return module.XnnpackDynamicallyQuantizedPartitioner(
            enable_bf16=enable_bf16, final_constants=final_constants
        )
    return module.XnnpackPartitioner(enable_bf16=enable_bf16, final_constants=final_constants)


def get_vulkan_partitioner(
    dtype_override: str | None = None, enable_dynamic_shape: bool = False, force_fp16: bool = False
) -> Any:
    """Vulkan's, for GPUs.

    Args:
        dtype_override: the type of the model, fp32 or fp16.
        enable_dynamic_shape: takes only operators whose sizes may change.
        force_fp16: calculates in half precision what the model has in float32.

    Raises:
        ImportError: the backend is not installed.
        ValueError: the model is in another type.
    """
    if dtype_override not in (None, "fp32", "fp16"):
        raise RefusalError(
            f"Vulkan calculates in fp32 or fp16, the model is in {dtype_override}. Way out: dtype_override=fp32"
        )
    module = importlib.import_module("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    options = {"require_dynamic_shapes": enable_dynamic_shape, "force_fp16": force_fp16}
    return module.VulkanPartitioner(options)


def get_mps_partitioner(use_kv_cache: bool = False) -> Any:
    """MPS's, in half precision.

    Args:
        use_kv_cache: whether the model has caches; decides nothing here, they stay outside of the delegates.

    Raises:
        ImportError: the backend is not installed.
    """
    module = importlib.import_module("executorch.backends.apple.mps.partition")
    return module.MPSPartitioner([CompileSpec("use_fp16", bytes([True]))])


def get_coreml_partitioner(
    ios: int = 15,
    embedding_quantize: str | None = None,
    pt2e_quantize: str | None = None,
    coreml_quantize: str | None = None,
    coreml_compute_units: str | None = None,
) -> Any:
    """Core ML's, in half precision; from iOS 18 on caches are its state.

    Args:
        ios: the oldest iOS.
        embedding_quantize: of embeddings, which is done before; decides nothing here.
        pt2e_quantize: of the captured graph, likewise.
        coreml_quantize: of weights by coremltools: ``b4w`` in blocks of 32, ``c4w`` by channels.
        coreml_compute_units: ``cpu_only``, ``cpu_and_gpu``, ``cpu_and_ne`` or ``all``.

    Raises:
        ImportError: the backend is not installed.
        ValueError: weights of four bits are asked for, and that iOS has none.
    """
    if coreml_quantize is not None and ios < 18:
        raise RefusalError(f"coreml quantize {coreml_quantize} needs ios 18 or later, not {ios}")
    backend = importlib.import_module("executorch.backends.apple.coreml.compiler").CoreMLBackend
    ct = importlib.import_module("executorch.backends.apple.coreml.compiler.toolbox").coremltools()
    specs = backend.generate_compile_specs(
        compute_unit=ct.ComputeUnit[(coreml_compute_units or "cpu_only").upper()],
        minimum_deployment_target=ct.target[f"iOS{ios}"],
        op_linear_quantizer_config=None if coreml_quantize is None else _COREML_WEIGHTS[coreml_quantize],
    )
    module = importlib.import_module("executorch.backends.apple.coreml.partition")
    return module.CoreMLPartitioner(compile_specs=specs, take_over_mutable_buffer=ios >= 18)


def get_qnn_partitioner(
    use_kv_cache: bool = False,
    pt2e_quantize: str | None = None,
    num_sharding: int = 0,
    soc_model: str = "SM8650",
) -> NoReturn:
    """Raises ``NotImplementedError``: there is no Qualcomm backend."""
    _missing("qnn")


def get_openvino_partitioner(device: str) -> Any:
    """OpenVINO's, for CPU, GPU or NPU.

    Raises:
        ImportError: the backend is not installed.
    """
    module = importlib.import_module("executorch.backends.openvino.partitioner")
    return module.OpenvinoPartitioner([CompileSpec("device", device.encode())])


def get_vgf_partitioner(compile_spec: str | None, compiler_flags: list[str] | None) -> Any:
    """Arm VGF's, of a version and profile of TOSA as ``TOSA-1.0+INT``; None is the backend's own.

    Raises:
        ImportError: the backend is not installed.
        ValueError: there is no such version.
    """
    module = importlib.import_module("executorch.backends.arm.vgf")
    return module.VgfPartitioner(module.VgfCompileSpec(compile_spec, compiler_flags))


def get_tosa_partitioner(version: str) -> Any:
    """Arm TOSA's, of a version and profile as ``TOSA-1.0+INT``.

    Raises:
        ImportError: the backend is not installed.
        ValueError: there is no such version.
    """
    spec = importlib.import_module("executorch.backends.arm.tosa.compile_spec").TosaCompileSpec(version)
    return importlib.import_module("executorch.backends.arm.tosa.partitioner").TOSAPartitioner(spec)


def get_ethosu_partitioner(
    target: str,
    system_config: str | None = None,
    memory_mode: str | None = None,
    extra_flags: list[str] | None = None,
) -> Any:
    """Arm Ethos-U's, for a target as ``ethos-u85-128``; ``default`` or None is the target's own system and memory.

    Raises:
        ImportError: the backend is not installed.
        ValueError: there is no such target.
    """
    module = importlib.import_module("executorch.backends.arm.ethosu")
    system, memory = (None if one == "default" else one for one in (system_config, memory_mode))
    return module.EthosUPartitioner(module.EthosUCompileSpec(target, system, memory, extra_flags))


def _missing(name: str) -> NoReturn:
    raise MissingBackendError(
        f"no backend {name} comes with this release. Way out: use backend.xnnpack, leave backend.{name}.enabled out, or hand "
        "the partitioner of a backend of your own to LLMEdgeManager.to_edge_transform_and_lower"
    )
