"""The choices of an export's configuration; a value is what is written in a file or on a command line."""

from __future__ import annotations

from enum import Enum


class ModelType(str, Enum):
    """Models whose export is configured by name."""

    stories110m = "stories110m"
    llama2 = "llama2"
    llama3 = "llama3"
    llama3_1 = "llama3_1"
    llama3_2 = "llama3_2"
    llama3_2_vision = "llama3_2_vision"
    static_llama = "static_llama"
    qwen2_5_0_5b = "qwen2_5_0_5b"
    qwen2_5_1_5b = "qwen2_5_1_5b"
    qwen2_5_coder_32b = "qwen2_5_coder_32b"
    qwen3_0_6b = "qwen3_0_6b"
    qwen3_1_7b = "qwen3_1_7b"
    qwen3_4b = "qwen3_4b"
    qwen3_5_0_8b = "qwen3_5_0_8b"
    qwen3_5_2b = "qwen3_5_2b"
    qwen3_5_4b = "qwen3_5_4b"
    phi_4_mini = "phi_4_mini"
    smollm2 = "smollm2"
    lfm2_350m = "lfm2_350m"
    lfm2_700m = "lfm2_700m"
    lfm2_1_2b = "lfm2_1_2b"
    lfm2_5_350m = "lfm2_5_350m"
    lfm2_5_1_2b = "lfm2_5_1_2b"


class PreqMode(str, Enum):
    """How a checkpoint was quantized before."""

    preq_8da4w = "8da4w"
    preq_8da4w_out_8da8w = "8da4w_output_8da8w"


class DtypeOverride(str, Enum):
    """The dtype of a model's weights and activations."""

    fp32 = "fp32"
    fp16 = "fp16"
    bf16 = "bf16"


class Pt2eQuantize(str, Enum):
    """Quantizers of the PT2E flow."""

    xnnpack_dynamic = "xnnpack_dynamic"
    xnnpack_dynamic_qc4 = "xnnpack_dynamic_qc4"
    openvino_4wo = "openvino_4wo"
    openvino_8wo = "openvino_8wo"
    qnn_8a8w = "qnn_8a8w"
    qnn_16a16w = "qnn_16a16w"
    qnn_16a4w = "qnn_16a4w"
    coreml_c4w = "coreml_c4w"
    coreml_8a_c8w = "coreml_8a_c8w"
    coreml_8a_c4w = "coreml_8a_c4w"
    coreml_baseline_8a_c8w = "coreml_baseline_8a_c8w"
    coreml_baseline_8a_c4w = "coreml_baseline_8a_c4w"
    vulkan_8w = "vulkan_8w"
    tosa_8a8w = "tosa_8a8w"
    ethosu_8a8w = "ethosu_8a8w"
    ethosu_16a8w = "ethosu_16a8w"
    vgf_8a8w = "vgf_8a8w"
    vgf_16a8w = "vgf_16a8w"


class SpinQuant(str, Enum):
    """Which rotations a checkpoint of SpinQuant needs at run time."""

    cuda = "cuda"
    native = "native"


class QuantizeScope(str, Enum):
    """What PT2E quantizes."""

    full = "full"
    linear = "linear"


class VgfQuantizeScope(str, Enum):
    """What PT2E quantizes for VGF."""

    full = "full"
    linear = "linear"


class CoreMLQuantize(str, Enum):
    """Core ML's own quantization of weights: by blocks, or by channels."""

    b4w = "b4w"
    c4w = "c4w"


class CoreMLComputeUnit(str, Enum):
    """Where Core ML may run."""

    cpu_only = "cpu_only"
    cpu_and_gpu = "cpu_and_gpu"
    cpu_and_ne = "cpu_and_ne"
    all = "all"
