"""Quantizers of the PT2E flow by the options of an export; a backend is looked up when it is asked for."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from torch import nn

from executorch.extension.llm.models.refusal import RefusalError


@dataclass
class EmbeddingQuantOptions:
    """Of embeddings: a scale for each row, or for groups of some elements (-1: the row)."""

    is_per_channel: bool = True
    group_size: int = -1

    def __post_init__(self) -> None:
        if self.group_size != -1:
            raise RefusalError(
                f"PT2E quantizes embeddings by rows (group_size -1), not in groups of {self.group_size}: use embedding_quantize"
            )


@dataclass
class DynamicQuantLinearOptions:
    """Of linear layers whose inputs are quantized at run time: a scale for each row of weights, or one; 4 bits or 8."""

    is_per_channel: bool = True
    is_qc4: bool = False


@dataclass
class PT2EQuantOptions:
    """What is quantized, and how; None: not."""

    quantize_embedding: EmbeddingQuantOptions | None = None
    quantize_linear: DynamicQuantLinearOptions | None = None


def get_pt2e_quantization_params(
    pt2e_quantize: str | None = None, quantization_mode: str | None = None
) -> PT2EQuantOptions | None:
    """The options of ``quantization.pt2e_quantize``; None if nothing is asked for, or a backend of its own is.

    Raises:
        ValueError: weights are quantized by ``quantization_mode`` already.
    """
    if pt2e_quantize is None:
        return None
    if quantization_mode is not None:
        raise RefusalError(
            f"pt2e_quantize {pt2e_quantize} and qmode {quantization_mode} both quantize linear layers: give one of them"
        )
    if pt2e_quantize not in ("xnnpack_dynamic", "xnnpack_dynamic_qc4"):
        return None
    return PT2EQuantOptions(
        quantize_linear=DynamicQuantLinearOptions(is_qc4=pt2e_quantize == "xnnpack_dynamic_qc4")
    )


def get_pt2e_quantizers(quant_params: PT2EQuantOptions | None, so_library: str | None = None) -> list[Any]:
    """The quantizers of some options, for XNNPACK; none for None.

    Raises:
        ValueError: embeddings are to be quantized, which is done by ``embedding_quantize``.
        ImportError: the backend is not installed.
    """
    del so_library
    if quant_params is None:
        return []
    if quant_params.quantize_embedding is not None:
        raise RefusalError(
            "PT2E has no quantizer of embeddings here: use embedding_quantize, which changes weights"
        )
    linear = quant_params.quantize_linear
    if linear is None:
        return []
    module = importlib.import_module("executorch.backends.xnnpack.quantizer.xnnpack_quantizer")
    named: dict[str, Any] = {"is_per_channel": linear.is_per_channel, "is_dynamic": True}
    if linear.is_qc4:
        named |= {"weight_qmin": -8, "weight_qmax": 7}
    quantizer = module.XNNPACKQuantizer()
    quantizer.set_global(module.get_symmetric_quantization_config(**named))
    return [quantizer]


def get_vulkan_quantizer(pt2e_quantize: str) -> Any:
    """Vulkan's: ``vulkan_8w``, weights of linear layers in eight bits."""
    del pt2e_quantize
    module = importlib.import_module("executorch.backends.vulkan.quantizer.vulkan_quantizer")
    return module.VulkanQuantizer().set_global(module.get_symmetric_quantization_config())


def get_openvino_quantizer(pt2e_quantize: str, group_size: int = 32) -> Any:
    """OpenVINO's, of weights alone: ``openvino_8wo``, or ``openvino_4wo`` in groups of columns."""
    module = importlib.import_module("executorch.backends.openvino.quantizer")
    modes = module.QuantizationMode
    if pt2e_quantize == "openvino_8wo":
        return module.OpenVINOQuantizer(mode=modes.INT8WO_ASYM)
    return module.OpenVINOQuantizer(mode=modes.INT4WO_SYM, group_size=group_size)


def get_coreml_quantizer(pt2e_quantize: str) -> Any:
    """Core ML's, in eight bits: ``coreml_8a_c8w`` and ``coreml_baseline_8a_c8w``, which are the same here.

    Raises:
        ValueError: weights are to have four bits, which Core ML's own quantization gives them.
    """
    if not pt2e_quantize.endswith("c8w"):
        raise RefusalError(
            f"pt2e_quantize {pt2e_quantize}: PT2E gives Core ML's weights eight bits. Way out: backend.coreml.quantize c4w, with "
            "backend.coreml.ios 18"
        )
    module = importlib.import_module("executorch.backends.apple.coreml.quantizer")
    return module.CoreMLQuantizer(None)


def get_tosa_quantizer(version: str, pt2e_quantize: str, is_linear_only: bool = False) -> Any:
    """Arm TOSA's, of a version as ``TOSA-1.0+INT``: ``tosa_8a8w``."""
    spec = importlib.import_module("executorch.backends.arm.tosa.compile_spec").TosaCompileSpec(version)
    return _arm("TOSAQuantizer", spec, pt2e_quantize, is_linear_only)


def get_ethosu_quantizer(
    target: str,
    system_config: str | None,
    memory_mode: str | None,
    extra_flags: list[str] | None,
    pt2e_quantize: str,
    is_linear_only: bool = False,
) -> Any:
    """Arm Ethos-U's: ``ethosu_8a8w`` or ``ethosu_16a8w``; the first arguments as of its partitioner."""
    module = importlib.import_module("executorch.backends.arm.ethosu")
    system, memory = (None if one == "default" else one for one in (system_config, memory_mode))
    spec = module.EthosUCompileSpec(target, system, memory, extra_flags)
    return _arm("EthosUQuantizer", spec, pt2e_quantize, is_linear_only)


def get_vgf_quantizer(
    compile_spec: str | None,
    compiler_flags: list[str] | None,
    pt2e_quantize: str,
    is_linear_only: bool = False,
) -> Any:
    """Arm VGF's: ``vgf_8a8w`` or ``vgf_16a8w``; the first arguments as of its partitioner."""
    spec = importlib.import_module("executorch.backends.arm.vgf").VgfCompileSpec(compile_spec, compiler_flags)
    return _arm("VgfQuantizer", spec, pt2e_quantize, is_linear_only)


def _arm(name: str, spec: Any, pt2e_quantize: str, is_linear_only: bool) -> Any:
    """One of Arm's, of the bits that a name as ``vgf_16a8w`` says.

    Raises:
        ValueError: activations are to have 16 bits, and the specification has none.
    """
    module = importlib.import_module("executorch.backends.arm.quantizer")
    if "_16a" in pt2e_quantize:
        if not spec.tosa_spec.support_extension("int16"):
            raise RefusalError(
                f"pt2e_quantize {pt2e_quantize} needs INT16 support, which {spec.tosa_spec} has not. Way out: a version with "
                "the extension, as TOSA-1.0+INT+int16"
            )
        config = module.get_symmetric_a16w8_quantization_config()
    else:
        config = module.get_symmetric_quantization_config()
    quantizer = getattr(module, name)(spec)
    return quantizer.set_module_type(nn.Linear, config) if is_linear_only else quantizer.set_global(config)
