"""Flags of the command line to fields of a configuration.

A field has the flag of its own name in most groups, and of its group's name in those of backends (`coreml_ios`).
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import typing
from typing import Any

#: Groups whose fields are flags of the same name.
_GROUPS = ("base", "model", "export", "debug", "quantization")

#: Flags of another name, to the fields that they set.
_RENAMED = {
    "model": ("base.model_class",),
    "quantization_mode": ("quantization.qmode",),
    "group_size": ("quantization.group_size", "backend.openvino.nncf_compression_group_size"),
    "xnnpack_extended_ops": ("backend.xnnpack.extended_ops",),
    "xnnpack_enable_bf16": ("backend.xnnpack.enable_bf16",),
    "coreml_enable_state": ("backend.coreml.enable_state",),
    "coreml_preserve_sdpa": ("backend.coreml.preserve_sdpa",),
    "coreml_quantize": ("backend.coreml.quantize",),
    "coreml_ios": ("backend.coreml.ios",),
    "coreml_compute_units": ("backend.coreml.compute_units",),
    "vulkan_force_fp16": ("backend.vulkan.force_fp16",),
    "use_qnn_sha": ("backend.qnn.use_sha",),
    "soc_model": ("backend.qnn.soc_model",),
    "optimized_rotation_path": ("backend.qnn.optimized_rotation_path",),
    "num_sharding": ("backend.qnn.num_sharding",),
    "openvino_device": ("backend.openvino.device",),
    "openvino_awq": ("backend.openvino.openvino_awq",),
    "openvino_scale_estimation": ("backend.openvino.openvino_scale_estimation",),
    "vgf_compile_spec": ("backend.vgf.compile_spec",),
    "vgf_quantize_scope": ("backend.vgf.quantize_scope",),
    "use_torchao_kernels": (
        "backend.torchao.use_torchao_kernels_linear",
        "backend.torchao.use_torchao_kernels_tied_embedding",
    ),
    "use_torchao_kernels_linear": ("backend.torchao.use_torchao_kernels_linear",),
    "use_torchao_kernels_tied_embedding": ("backend.torchao.use_torchao_kernels_tied_embedding",),
    "xnnpack": ("backend.xnnpack.enabled",),
    "coreml": ("backend.coreml.enabled",),
    "vulkan": ("backend.vulkan.enabled",),
    "mps": ("backend.mps.enabled",),
    "qnn": ("backend.qnn.enabled",),
    "openvino": ("backend.openvino.enabled",),
    "vgf": ("backend.vgf.enabled",),
    # MLX keeps its state itself, and has no path without a cache.
    "mlx": ("backend.mlx.enabled", "model.use_kv_cache"),
}

#: Fields that are no flags, or are set by others.
_NOT_FLAGS = frozenset(("model_class", "lora_config", "qmode"))


def flags(config: Any) -> dict[str, tuple[str, ...]]:
    """Every flag to the fields that it sets, with dots."""
    same = {
        one.name: (f"{group}.{one.name}",)
        for group in _GROUPS
        for one in dataclasses.fields(getattr(config, group))
        if one.name not in _NOT_FLAGS
    }
    return {**same, **_RENAMED}


def from_arguments(config: Any, args: argparse.Namespace) -> None:
    """Sets the fields whose flags are given; what is None or absent stays as it is.

    Args:
        config: of :class:`~executorch.extension.llm.export.config.llm_config.LlmConfig`.

    Raises:
        ValueError: a value is none of a field's choices.
    """
    for flag, targets in flags(config).items():
        value = getattr(args, flag, None)
        if value is None:
            continue
        # A switch that is off sets nothing: several may set one field.
        if value is False and flag in _RENAMED:
            continue
        for target in targets:
            *groups, name = target.split(".")
            group = config
            for one in groups:
                group = getattr(group, one)
            setattr(group, name, _choice(type(group), name, value))


def _choice(group: type, name: str, value: Any) -> Any:
    """The member of an enumeration that a text names, where the field is one."""
    annotation = typing.get_type_hints(group)[name]
    for candidate in (annotation, *typing.get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, enum.Enum):
            return candidate(value)
    return value
