"""Options of the partitioner, which reach the backend as compile specs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

from executorch.backends.vulkan.serialization.schema import VkMemoryLayout, VkStorageType
from executorch.partitioner import CompileSpec

_SIZE = "external_constants_max_data_bytes"
_LIMITS = "texture_limits"
_AXES = tuple(f"{_LIMITS}_{axis}" for axis in "xyz")
#: Option that is a number -> how many bytes its spec has; others have one.
_BYTES = {_SIZE: 8, **dict.fromkeys(_AXES, 4)}
_BUFFERS = (VkStorageType.BUFFER, VkStorageType.DEFAULT_STORAGE)


@dataclass(frozen=True)
class VulkanOptions:
    """The keys of ``VulkanPartitioner(compile_options)``.

    ``texture_limits``, three numbers, is the short form of the keys that end with its axes.

    Attributes:
        require_dynamic_shapes: operators whose sizes may not change are left outside, even where they do not.
        force_fp16: float32 is calculated and stored as float16; what comes in and goes out stays float32.
        storage_type_override: where tensors lie: in buffers, or what the delegate chooses.
        memory_layout_override: which dimension is packed; buffers have none, so it says nothing to the delegate of this release.
        skip_memory_planning: every tensor has memory of its own.
        skip_bool_tensors: operators on booleans are left outside.
        downcast_64_bit: int64 has 32 bits in the delegate; otherwise operators on int64 are left outside.
        small_texture_limits: textures are as small as on desktops; this release has none, so it says nothing to it.
        texture_limits_x, texture_limits_y, texture_limits_z: how large textures may be, which say nothing to it either.
        skip_tag_memory_metadata: tensors are not laid out anew between operators; there is one layout, so it says nothing to this release.
        alias_buffer_mutations: state is written where it lies, as it always is; says nothing to this release.
        external_constants_max_data_bytes: weights go to files of their own beside the program, of at most so many bytes each (a single
            weight may be larger); 0 leaves them in the program.
    """

    require_dynamic_shapes: bool = False
    force_fp16: bool = False
    storage_type_override: VkStorageType = VkStorageType.DEFAULT_STORAGE
    memory_layout_override: VkMemoryLayout = VkMemoryLayout.DEFAULT_LAYOUT
    skip_memory_planning: bool = False
    skip_bool_tensors: bool = False
    downcast_64_bit: bool = True
    small_texture_limits: bool = False
    texture_limits_x: int = 0
    texture_limits_y: int = 0
    texture_limits_z: int = 0
    skip_tag_memory_metadata: bool = False
    alias_buffer_mutations: bool = False
    external_constants_max_data_bytes: int = 0

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> VulkanOptions:
        """From what a user wrote.

        Raises:
            ValueError: there is no such key, or the value is none of its kind.
        """
        known = {one.name: one.default for one in fields(cls)}
        asked = _by_axis(dict(given or {}))
        unknown = sorted(set(asked) - set(known))
        if unknown:
            raise ValueError(f"Vulkan has no compile options {unknown}. Way out: it has {sorted(known)}")
        options = cls(**{key: _value(key, value, known[key]) for key, value in asked.items()})
        if options.storage_type_override not in _BUFFERS:
            raise ValueError(
                f"storage_type_override is {options.storage_type_override.name}: tensors of this delegate lie in buffers. Way "
                "out: VkStorageType.BUFFER, or leave it out"
            )
        return options

    def to_specs(self) -> list[CompileSpec]:
        """What is not as by default, a byte each; four of a texture's limit, eight of a number of bytes."""
        default = VulkanOptions()
        return [
            CompileSpec(one.name, int(getattr(self, one.name)).to_bytes(_BYTES.get(one.name, 1), "little"))
            for one in fields(self)
            if getattr(self, one.name) != getattr(default, one.name)
        ]


def parse_compile_options(compile_options: Mapping[str, Any] | None) -> list[CompileSpec]:
    """The specs of what a user wrote, as ``VulkanOptions.of(...).to_specs()``."""
    return VulkanOptions.of(compile_options).to_specs()


def parse_compile_spec(compile_specs: Iterable[CompileSpec]) -> dict[str, Any]:
    """What specs say, by key.

    Raises:
        ValueError: there is no such key, or the bytes are none of its values.
    """
    given: dict[str, int] = {}
    for spec in compile_specs:
        size = _BYTES.get(spec.key, 1)
        if size > 1 and len(spec.value) != size:
            raise ValueError(f"{spec.key} has {len(spec.value)} bytes, it is encoded as uint{8 * size}")
        given[spec.key] = int.from_bytes(spec.value, "little")
    options = VulkanOptions.of(given)
    return {key: getattr(options, key) for key in given}


def _by_axis(given: dict[str, Any]) -> dict[str, Any]:
    """The limits of textures by their axes."""
    if _LIMITS in given:
        limits = given.pop(_LIMITS)
        if not isinstance(limits, list | tuple) or len(limits) != len(_AXES):
            raise ValueError(f"compile option {_LIMITS} is {limits!r}. Way out: three numbers, (x, y, z)")
        given.update(zip(_AXES, limits, strict=True))
    return given


def _value(key: str, value: Any, default: Any) -> Any:
    if isinstance(default, IntEnum):
        try:
            return type(default)(value)
        except ValueError:
            names = [f"{type(default).__name__}.{one.name}" for one in type(default)]
            raise ValueError(f"compile option {key} is {value!r}. Way out: one of {names}") from None
    if key in _BYTES:
        bits = 8 * _BYTES[key]
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << bits:
            raise ValueError(f"compile option {key} is {value!r}. Way out: a positive uint{bits}")
        return value
    if value not in (False, True):
        raise ValueError(f"compile option {key} is {value!r}. Way out: True or False")
    return bool(value)
