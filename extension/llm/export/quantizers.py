"""The quantizers of the PT2E flow that a configuration asks for, and what they do to a model."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from executorch.extension.llm.export import quantizer_lib as lib
from executorch.extension.llm.export.builder import LLMEdgeManager
from executorch.extension.llm.export.config.choices import QuantizeScope, VgfQuantizeScope
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.models.refusal import MissingBackendError, refusals


def quantize(made: LLMEdgeManager, config: LlmConfig) -> LLMEdgeManager:
    """Quantizes an exported graph as ``quantization.pt2e_quantize`` says, OpenVINO's with what it looks at data for.

    Raises:
        ValueError, NotImplementedError, ImportError: as of :func:`quantizers_of`, and where data or NNCF is missing.
    """
    quantizers, openvino = quantizers_of(config), config.backend.openvino
    if not (openvino.openvino_awq or openvino.openvino_scale_estimation):
        return made.pt2e_quantize(quantizers)
    module = importlib.import_module("executorch.backends.openvino.quantizer.llm_compression")
    compressed: LLMEdgeManager = module.apply_nncf_data_aware_compression(
        made, quantizers[0], openvino.openvino_awq, openvino.openvino_scale_estimation
    )
    return compressed


def quantizers_of(config: LlmConfig) -> list[Any]:
    """Those of ``quantization.pt2e_quantize``, none if nothing is asked for.

    Raises:
        ValueError: weights are quantized by ``qmode`` already, or the quantizer has no such bits.
        NotImplementedError: no backend that it is for comes with this release.
        ImportError: the backend is not installed.
    """
    return get_quantizer_and_quant_params(config)[1]


def get_quantizer_and_quant_params(
    llm_config: LlmConfig,
) -> tuple[lib.PT2EQuantOptions | None, list[Any], Any]:
    """Options of XNNPACK's quantizer, None for others; the quantizers; and what Qualcomm's calls its dtype, None for others.

    Raises:
        ValueError, NotImplementedError, ImportError: as of :func:`quantizers_of`.
    """
    asked, quantization = llm_config.quantization.pt2e_quantize, llm_config.quantization
    if asked is None:
        return None, [], None
    params = lib.get_pt2e_quantization_params(asked.value, quantization.qmode)
    if params is not None:
        return params, lib.get_pt2e_quantizers(params, llm_config.export.so_library), None
    return None, [_of_backend(llm_config, asked.value)], None


def _of_backend(config: LlmConfig, name: str) -> Any:
    backend = config.backend
    openvino, ethosu, vgf = backend.openvino, backend.ethosu, backend.vgf
    is_linear_only = config.quantization.quantize_scope is QuantizeScope.linear
    is_vgf_linear_only = is_linear_only or vgf.quantize_scope is VgfQuantizeScope.linear
    makers: dict[str, Callable[[], Any]] = {
        "vulkan": lambda: lib.get_vulkan_quantizer(name),
        "openvino": lambda: lib.get_openvino_quantizer(name, openvino.nncf_compression_group_size),
        "coreml": lambda: lib.get_coreml_quantizer(name),
        "tosa": lambda: lib.get_tosa_quantizer(backend.tosa.version, name, is_linear_only),
        "ethosu": lambda: lib.get_ethosu_quantizer(
            ethosu.target, ethosu.system_config, ethosu.memory_mode, ethosu.extra_flags, name, is_linear_only
        ),
        "vgf": lambda: lib.get_vgf_quantizer(vgf.compile_spec, vgf.compiler_flags, name, is_vgf_linear_only),
    }
    kind = name.partition("_")[0]
    if kind not in makers:
        raise MissingBackendError(
            f"no backend comes with this release that pt2e_quantize {name} is for: use xnnpack_dynamic or xnnpack_dynamic_qc4, or "
            f"one of {', '.join(makers)}"
        )
    with refusals():
        return makers[kind]()
