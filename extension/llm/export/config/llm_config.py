"""All that an export of a language model can be asked for, by groups: ``base.checkpoint``, ``model.use_kv_cache``, ...

Plain dataclasses, which OmegaConf and Hydra take as the structure of a file or of overrides.
"""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass, field
from typing import ClassVar

from executorch.extension.llm.export.config.arguments import from_arguments
from executorch.extension.llm.export.config.backend_config import (
    BackendConfig,
    CoreMLConfig,
    EthosUConfig,
    MLXConfig,
    MPSConfig,
    OpenvinoConfig,
    QNNConfig,
    TorchAOKernelsConfig,
    TosaConfig,
    VgfConfig,
    VulkanConfig,
    XNNPackConfig,
)
from executorch.extension.llm.export.config.choices import (
    CoreMLComputeUnit,
    CoreMLQuantize,
    DtypeOverride,
    ModelType,
    PreqMode,
    Pt2eQuantize,
    QuantizeScope,
    SpinQuant,
    VgfQuantizeScope,
)
from executorch.extension.llm.models.refusal import RefusalError


@dataclass
class LoraConfig:
    """A LoRA adapter.

    Attributes:
        adapter_checkpoint: file of its weights.
        adapter_config: JSON file that has the next three.
        lora_rank, lora_alpha: of its matrices, and what they are scaled by.
        target_modules: layers that it changes.
        adapter_quant: how its weights are quantized.
    """

    adapter_checkpoint: str
    adapter_config: str | None = None
    lora_rank: int = 0
    lora_alpha: int = 0
    target_modules: list[str] = field(default_factory=list)
    adapter_quant: str | None = None


@dataclass
class BaseConfig:
    """The model.

    Attributes:
        model_class: which.
        params: JSON file of its sizes.
        checkpoint: file of its weights.
        lora_config: adapter to be part of it.
        tokenizer_path: file of its tokenizer, for calibration.
        metadata: JSON of methods that give constants.
        use_lora: rank of adapters in a checkpoint that was quantized before; 0: none.
        preq_mode: how the checkpoint was quantized before,
        preq_group_size: in groups of how many,
        preq_embedding_quantize: and its embeddings, ``bits,group``.
        adapter_checkpoint, adapter_config: older names of the two in ``lora_config``, which they become.

    Raises:
        ValueError: only one of these two is there, or ``lora_config`` as well.
    """

    model_class: ModelType = ModelType.llama3
    params: str | None = None
    checkpoint: str | None = None
    lora_config: LoraConfig | None = None
    tokenizer_path: str | None = None
    metadata: str | None = None
    use_lora: int = 0
    preq_mode: PreqMode | None = None
    preq_group_size: int = 32
    preq_embedding_quantize: str = "8,0"
    adapter_checkpoint: str | None = None
    adapter_config: str | None = None

    def __post_init__(self) -> None:
        if self.adapter_checkpoint is None and self.adapter_config is None:
            return
        if self.adapter_checkpoint is None or self.adapter_config is None:
            raise RefusalError("adapter_checkpoint requires adapter_config, and the other way round")
        if self.lora_config is not None:
            raise RefusalError("base.adapter_checkpoint and base.lora_config name an adapter each: give one")
        self.lora_config = LoraConfig(self.adapter_checkpoint, self.adapter_config)
        self.adapter_checkpoint = self.adapter_config = None


@dataclass
class ModelConfig:
    """How the model is written.

    Attributes:
        dtype_override: dtype of weights and activations.
        enable_dynamic_shape: a call takes any number of tokens up to ``export.max_seq_length``.
        use_shared_embedding: embedding and output layer share quantized weights.
        use_sdpa_with_kv_cache: attention by ``llama::custom_sdpa``.
        expand_rope_table: the table of rotations has a row for each head.
        use_attention_sink: ``sink_size,window_size``: the first tokens are always seen, and a window.
        output_prune_map, input_prune_map: JSON files: which tokens remain.
        use_kv_cache: keeps keys and values between calls.
        quantize_kv_cache: in int8, with a scale for each token.
        static_quantize_kv_cache: in int8, with one scale,
        static_quantize_kv_cache_scale: which is this if there is no calibration.
        local_global_attention: window of each layer, 0 for all positions; repeated.
        use_moe_quantized_op: experts by one quantized operator.

    Raises:
        ValueError: of options that contradict each other.
    """

    dtype_override: DtypeOverride = DtypeOverride.fp32
    enable_dynamic_shape: bool = True
    use_shared_embedding: bool = False
    use_sdpa_with_kv_cache: bool = False
    expand_rope_table: bool = False
    use_attention_sink: str | None = None
    output_prune_map: str | None = None
    input_prune_map: str | None = None
    use_kv_cache: bool = False
    quantize_kv_cache: bool = False
    static_quantize_kv_cache: bool = False
    static_quantize_kv_cache_scale: float = 1 / 127
    local_global_attention: list[int] | None = None
    use_moe_quantized_op: bool = False

    def __post_init__(self) -> None:
        self._check_attention_sink()
        if self.quantize_kv_cache and self.static_quantize_kv_cache:
            raise RefusalError(
                "Cannot enable both dynamic quantized KV cache (quantize_kv_cache) and static quantized KV cache "
                "(static_quantize_kv_cache)"
            )
        needs_cache = {
            "quantize the KV cache (quantize_kv_cache)": self.quantize_kv_cache,
            "statically quantize the KV cache (static_quantize_kv_cache)": self.static_quantize_kv_cache,
            "use local_global_attention": self.local_global_attention,
        }
        for what, is_asked in needs_cache.items():
            if is_asked and not self.use_kv_cache:
                raise RefusalError(f"Cannot {what} without enabling the KV cache (use_kv_cache)")
        self._check_static_quantization()

    def _check_static_quantization(self) -> None:
        scale = self.static_quantize_kv_cache_scale
        if not (math.isfinite(scale) and scale > 0):
            raise RefusalError(f"static_quantize_kv_cache_scale must be finite and positive, not {scale}")
        if not self.static_quantize_kv_cache:
            return
        if self.enable_dynamic_shape:
            raise RefusalError(
                "static_quantize_kv_cache requires static export shapes (enable_dynamic_shape=False)"
            )
        for other in ("local_global_attention", "use_attention_sink"):
            if getattr(self, other):
                raise RefusalError(f"static_quantize_kv_cache does not support {other}")

    def _check_attention_sink(self) -> None:
        if self.use_attention_sink and not re.fullmatch(r"\d+,\d+", self.use_attention_sink):
            raise RefusalError(
                "The value of use_attention_sink must be structured like '<sink_size>,<window_size>', not "
                f"'{self.use_attention_sink}'"
            )


@dataclass
class ExportConfig:
    """The program.

    Attributes:
        max_seq_length: the most tokens of one call.
        max_context_length: the most positions, at least as many.
        output_dir, output_name: where the file goes; named after the model if no name is given.
        so_library: library of further operators, loaded first.
        export_only: stops at the exported program.
        foundation_weights_file, lora_weights_file: `.ptd` files that weights go to.

    Raises:
        ValueError: of lengths that contradict each other.
    """

    max_seq_length: int = 128
    max_context_length: int = 128
    output_dir: str = "."
    output_name: str | None = None
    so_library: str | None = None
    export_only: bool = False
    foundation_weights_file: str | None = None
    lora_weights_file: str | None = None

    def __post_init__(self) -> None:
        if self.max_context_length < self.max_seq_length:
            raise RefusalError(
                f"max_context_length of {self.max_context_length} cannot be shorter than max_seq_length of "
                f"{self.max_seq_length}"
            )


@dataclass
class MethodConfig:
    """One method of several.

    Attributes:
        method_name: its name.
        lora_config: its adapter.
        export_seq_len: the tokens of its call, if fixed.
    """

    method_name: str
    lora_config: LoraConfig | None = None
    export_seq_len: int | None = None


@dataclass
class MultimethodConfig:
    """Several methods in one program.

    Attributes:
        methods: one `forward` if empty.
        share_mutable_buffers: caches are common to all.
    """

    methods: list[MethodConfig] = field(default_factory=list)
    share_mutable_buffers: bool = False

    @property
    def enabled(self) -> bool:
        """Whether methods are named."""
        return bool(self.methods)


@dataclass
class DebugConfig:
    """What is told of the export.

    Attributes:
        profile_memory: writes a chart of the planned memory.
        profile_path: file for a profile of the export itself.
        generate_etrecord: keeps a record for the developer tools.
        generate_full_logits: the program gives the logits of all tokens.
        verbose: logs more.
    """

    profile_memory: bool = False
    profile_path: str | None = None
    generate_etrecord: bool = False
    generate_full_logits: bool = False
    verbose: bool = False


@dataclass
class QuantizationConfig:
    """How weights and activations are quantized.

    Attributes:
        qmode: of linear layers: `int8`, `8da4w`, `8da4w-gptq`, `4w`, `torchao:8daNw`, `torchao:fpaNw`.
        embedding_quantize: `bits,group` of embeddings, 0 for a scale for each row; or `torchao:bits,group`.
        pt2e_quantize: quantizer of the PT2E flow.
        group_size: weights of a linear layer that share a scale.
        use_spin_quant: rotations of SpinQuant.
        use_qat: the checkpoint comes of quantization-aware training.
        quantize_scope: what PT2E quantizes.
        calibration_tasks, calibration_limit, calibration_seq_length, calibration_data: what observers see.
        use_hqq: scales of weights by half-quadratic quantization.

    Raises:
        ValueError: there is no such quantization.
    """

    QMODE_OPTIONS: ClassVar[list[str]] = ["int8", "8da4w", "8da4w-gptq", "4w"]
    AO_QUANT_PATTERNS: ClassVar[list[str]] = [r"torchao:8da(\d+)w", r"torchao:fpa(\d+)w"]
    EMBEDDING_PATTERN: ClassVar[str] = r"(torchao:)?\d+(,-?\d+)*"

    qmode: str | None = None
    embedding_quantize: str | None = None
    pt2e_quantize: Pt2eQuantize | None = None
    group_size: int | None = None
    use_spin_quant: SpinQuant | None = None
    use_qat: bool = False
    quantize_scope: QuantizeScope = QuantizeScope.full
    calibration_tasks: list[str] | None = None
    calibration_limit: int | None = None
    calibration_seq_length: int | None = None
    calibration_data: str = "Once upon a time"
    use_hqq: bool = True

    def __post_init__(self) -> None:
        if self.qmode and not (self.qmode in self.QMODE_OPTIONS or self.is_low_bit()):
            raise RefusalError(
                f"Got qmode {self.qmode}, but expected one of {self.QMODE_OPTIONS}, or one of the regex patterns "
                f"{self.AO_QUANT_PATTERNS}."
            )
        if self.embedding_quantize and not re.fullmatch(self.EMBEDDING_PATTERN, self.embedding_quantize):
            raise RefusalError(
                f"Got embedding_quantize {self.embedding_quantize}, but expected '<bits>,<group_size>' or "
                "'torchao:<bits>,<group_size>'."
            )

    def is_low_bit(self) -> bool:
        """Whether linear layers are quantized for torchao's kernels of few bits."""
        return bool(self.qmode) and any(
            re.fullmatch(pattern, self.qmode or "") for pattern in self.AO_QUANT_PATTERNS
        )


@dataclass
class LlmConfig:
    """An export: all groups.

    Raises:
        ValueError: of groups that contradict each other.
    """

    base: BaseConfig = field(default_factory=BaseConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    export: ExportConfig = field(default_factory=ExportConfig)
    debug: DebugConfig = field(default_factory=DebugConfig)
    multimethod: MultimethodConfig = field(default_factory=MultimethodConfig)
    quantization: QuantizationConfig = field(default_factory=QuantizationConfig)
    backend: BackendConfig = field(default_factory=BackendConfig)

    def __post_init__(self) -> None:
        if self.model.use_shared_embedding and self.quantization.qmode and not self.quantization.is_low_bit():
            raise RefusalError("Can only use shared embeddings with low-bit ops (with qmode=torchao:...).")
        if self.quantization.is_low_bit() and self.backend.xnnpack.enabled:
            raise RefusalError(
                "Cannot use low-bit Ao ops (from qmode=torchao:...) while also delegating to XNNPack."
            )

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> LlmConfig:
        """From the flags of `export_llama`; see :mod:`executorch.extension.llm.export.config.arguments`.

        Raises:
            ValueError: a value is none of the choices, or values contradict each other.
        """
        config = cls()
        from_arguments(config, args)
        for group in (
            config.base,
            config.model,
            config.export,
            config.quantization,
            config.backend.coreml,
            config,
        ):
            group.__post_init__()
        return config


__all__ = [
    "BackendConfig",
    "BaseConfig",
    "CoreMLComputeUnit",
    "CoreMLConfig",
    "CoreMLQuantize",
    "DebugConfig",
    "DtypeOverride",
    "EthosUConfig",
    "ExportConfig",
    "LlmConfig",
    "LoraConfig",
    "MLXConfig",
    "MPSConfig",
    "MethodConfig",
    "ModelConfig",
    "ModelType",
    "MultimethodConfig",
    "OpenvinoConfig",
    "PreqMode",
    "Pt2eQuantize",
    "QNNConfig",
    "QuantizationConfig",
    "QuantizeScope",
    "SpinQuant",
    "TorchAOKernelsConfig",
    "TosaConfig",
    "VgfConfig",
    "VgfQuantizeScope",
    "VulkanConfig",
    "XNNPackConfig",
]
