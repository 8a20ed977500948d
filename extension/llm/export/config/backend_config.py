"""Which backends a language model is lowered for; each is off unless ``enabled``."""

from __future__ import annotations

from dataclasses import dataclass, field

from executorch.extension.llm.export.config.choices import CoreMLComputeUnit, CoreMLQuantize, VgfQuantizeScope
from executorch.extension.llm.models.refusal import RefusalError

#: Versions of iOS whose Core ML can be named as a target.
COREML_IOS = (15, 16, 17, 18)


@dataclass
class XNNPackConfig:
    """XNNPACK.

    Attributes:
        extended_ops: what its partitioner leaves to others by default goes there too.
        enable_bf16: linear layers of a model in bfloat16 go there too.
    """

    enabled: bool = False
    extended_ops: bool = False
    enable_bf16: bool = False


@dataclass
class CoreMLConfig:
    """Core ML.

    Attributes:
        enable_state: caches are Core ML's state.
        preserve_sdpa: insists that attention stays one operator, as it does wherever Core ML has it (from iOS 18 on).
        quantize: of weights, by Core ML's own tools.
        ios: the oldest iOS.
        compute_units: where it may run.

    Raises:
        ValueError: there is no such version of iOS.
    """

    enabled: bool = False
    enable_state: bool = False
    preserve_sdpa: bool = False
    quantize: CoreMLQuantize | None = None
    ios: int = 15
    compute_units: CoreMLComputeUnit = CoreMLComputeUnit.cpu_only

    def __post_init__(self) -> None:
        if self.ios not in COREML_IOS:
            raise RefusalError(
                f"Invalid coreml ios version: {self.ios}; give one of {', '.join(map(str, COREML_IOS))}"
            )


@dataclass
class VulkanConfig:
    """Vulkan.

    Attributes:
        force_fp16: calculates in half precision.
    """

    enabled: bool = False
    force_fp16: bool = False


@dataclass
class MPSConfig:
    """Metal Performance Shaders, in half precision; sizes do not change there."""

    enabled: bool = False


@dataclass
class QNNConfig:
    """Qualcomm's AI Engine Direct.

    Attributes:
        use_sha, use_qnn_sha: attention of each head by itself.
        soc_model: the chip.
        optimized_rotation_path: file of SpinQuant's rotations.
        num_sharding: parts that the model is cut into.
    """

    enabled: bool = False
    use_sha: bool = False
    soc_model: str = "SM8650"
    use_qnn_sha: bool = False
    optimized_rotation_path: str | None = None
    num_sharding: int = 0


@dataclass
class OpenvinoConfig:
    """OpenVINO.

    Attributes:
        device: CPU, GPU or NPU.
        nncf_compression_group_size: weights that share a scale.
        openvino_awq, openvino_scale_estimation: further steps of its compression of weights.
    """

    enabled: bool = False
    device: str = "CPU"
    nncf_compression_group_size: int = 32
    openvino_awq: bool = False
    openvino_scale_estimation: bool = False


@dataclass
class TorchAOKernelsConfig:
    """torchao's kernels of few bits, for ``torchao:`` quantizations.

    Attributes:
        use_torchao_kernels_linear: for linear layers.
        use_torchao_kernels_tied_embedding: for embeddings and the output layer that shares their weights.
    """

    use_torchao_kernels_linear: bool = False
    use_torchao_kernels_tied_embedding: bool = False


@dataclass
class TosaConfig:
    """Arm's TOSA.

    Attributes:
        version: profile and version of the specification.
    """

    enabled: bool = False
    version: str = "TOSA-1.0+INT"


@dataclass
class EthosUConfig:
    """Arm's Ethos-U.

    Attributes:
        target: NPU and number of multipliers.
        memory_mode, system_config, extra_flags: of its compiler.
    """

    enabled: bool = False
    target: str = "ethos-u85-128"
    memory_mode: str = "default"
    system_config: str = "default"
    extra_flags: list[str] = field(default_factory=list)


@dataclass
class VgfConfig:
    """Arm's VGF.

    Attributes:
        compile_spec: profile and version of TOSA.
        compiler_flags: of its compiler.
        quantize_scope: what PT2E quantizes.
    """

    enabled: bool = False
    compile_spec: str | None = "TOSA-1.0+INT"
    compiler_flags: list[str] = field(default_factory=list)
    quantize_scope: VgfQuantizeScope = VgfQuantizeScope.full


@dataclass
class MLXConfig:
    """MLX."""

    enabled: bool = False


@dataclass
class BackendConfig:
    """All of them."""

    xnnpack: XNNPackConfig = field(default_factory=XNNPackConfig)
    coreml: CoreMLConfig = field(default_factory=CoreMLConfig)
    vulkan: VulkanConfig = field(default_factory=VulkanConfig)
    mps: MPSConfig = field(default_factory=MPSConfig)
    qnn: QNNConfig = field(default_factory=QNNConfig)
    openvino: OpenvinoConfig = field(default_factory=OpenvinoConfig)
    torchao: TorchAOKernelsConfig = field(default_factory=TorchAOKernelsConfig)
    tosa: TosaConfig = field(default_factory=TosaConfig)
    ethosu: EthosUConfig = field(default_factory=EthosUConfig)
    vgf: VgfConfig = field(default_factory=VgfConfig)
    mlx: MLXConfig = field(default_factory=MLXConfig)
