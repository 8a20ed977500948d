"""What all compile specs of this family say, and how it travels to ``preprocess``."""

from __future__ import annotations

import enum
import json
import shlex
import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from executorch.backends.arm.common.pipeline_config import ArmPassPipelineConfig
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.partitioner import CompileSpec, PreprocessOnlySpec

_Spec = TypeVar("_Spec", bound="ArmCompileSpec")


class ArmCompileSpec(ABC):
    """Target, flags for its compiler, and what is kept for debugging.

    Attributes:
        tosa_spec: which TOSA is written.
        compiler_flags: handed to the target's compiler.
        path_for_intermediates: folder for what is made on the way, None for none.
        tosa_debug_mode: whether and where debugging information is written.
        preserve_io_quantization: whether the conversions of the model's inputs and outputs stay outside of the delegate, where
            ``QuantizeInputs`` and ``QuantizeOutputs`` take them away.
    """

    class DebugMode(enum.Enum):
        """Where the node of the model that a TOSA operator comes from is written."""

        JSON = 1
        TOSA = 2

    #: The key under which the target's output format stands in a program's compile specs.
    _FORMAT_KEY: ClassVar[str] = "output_format"

    tosa_spec: TosaSpecification
    compiler_flags: list[str]
    path_for_intermediates: str | None = None
    tosa_debug_mode: ArmCompileSpec.DebugMode | None = None
    preserve_io_quantization: bool = False
    _pipeline: ArmPassPipelineConfig | None = None

    @staticmethod
    @abstractmethod
    def get_output_format() -> str:
        """What ``preprocess`` makes: ``tosa``, ``vela`` or ``vgf``."""

    def dump_intermediate_artifacts_to(self: _Spec, output_path: str | None) -> _Spec:
        """Keeps what is made on the way in this folder (created when needed); None keeps nothing."""
        self.path_for_intermediates = output_path
        return self

    def dump_debug_info(self: _Spec, debug_mode: ArmCompileSpec.DebugMode | None) -> _Spec:
        """Writes which node each operator comes from: into the TOSA file, or as JSON among the intermediates.

        Raises:
            ValueError: JSON is asked for, and no folder for it was named.
        """
        if debug_mode is ArmCompileSpec.DebugMode.JSON and self.path_for_intermediates is None:
            raise ValueError(
                "DebugMode.JSON writes a file; call dump_intermediate_artifacts_to(folder) before it"
            )
        self.tosa_debug_mode = debug_mode
        return self

    def get_intermediate_path(self) -> str | None:
        """The folder that ``dump_intermediate_artifacts_to`` named."""
        return self.path_for_intermediates

    def set_preserve_io_quantization(self: _Spec, preserve_io_quantization: bool) -> _Spec:
        """Keeps the conversions of inputs and outputs outside; where there is no floating point they are outside anyway."""
        if preserve_io_quantization and not self.tosa_spec.support_float():
            warnings.warn(
                f"preserve_io_quantization=True is redundant for INT-only TOSA ({self.tosa_spec})",
                stacklevel=2,
            )
        self.preserve_io_quantization = preserve_io_quantization
        return self

    def set_pass_pipeline_config(self: _Spec, config: ArmPassPipelineConfig) -> _Spec:
        """How passes go about what can be done in several ways."""
        self._pipeline = config
        return self

    def get_pass_pipeline_config(self) -> ArmPassPipelineConfig:
        """What ``set_pass_pipeline_config`` said, or what fits the target."""
        return self._pipeline or self._default_pipeline()

    def _default_pipeline(self) -> ArmPassPipelineConfig:
        return ArmPassPipelineConfig()

    def to_list(self) -> list[CompileSpec]:
        """As compile specs; a program has them without what only lowering asks."""
        fields = {
            "tosa_spec": str(self.tosa_spec),
            self._FORMAT_KEY: self.get_output_format(),
            "compile_flags": shlex.join(self.compiler_flags),
            **self._more(),
        }
        pipeline = self.get_pass_pipeline_config()
        tells_pipeline = self._pipeline is not None or not pipeline.is_default()
        told = {
            "debug_artifact_path": self.path_for_intermediates,
            "dump_debug_info": self.tosa_debug_mode and self.tosa_debug_mode.name,
            "transform_pipeline_config": tells_pipeline and json.dumps(pipeline.to_dict()),
            "preserve_io_quantization": self.preserve_io_quantization and "True",
        }
        return [
            *(CompileSpec(key, value.encode()) for key, value in fields.items()),
            *(PreprocessOnlySpec(key, str(value).encode()) for key, value in told.items() if value),
        ]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_list() == other.to_list()  # type: ignore[attr-defined]

    #: It changes: what is kept for debugging is set afterwards.
    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def accepts(cls, compile_specs: list[CompileSpec]) -> bool:
        """Whether ``from_list`` can read these."""
        wanted = cls.get_output_format().encode()
        return any(one.key == cls._FORMAT_KEY and bytes(one.value) == wanted for one in compile_specs)

    @classmethod
    def from_list(cls: type[_Spec], compile_specs: list[CompileSpec]) -> _Spec:
        """What ``to_list`` wrote.

        Raises:
            ValueError: these are compile specs of another target, or none of this family, or do not say which TOSA.
        """
        fields = {one.key: bytes(one.value).decode() for one in compile_specs}
        if not cls.accepts(compile_specs):
            raise ValueError(
                f"Incorrect output format: {cls.__name__} cannot read compile specs for "
                f"{fields.get(cls._FORMAT_KEY)!r}; its own have {cls._FORMAT_KEY}={cls.get_output_format()!r}"
            )
        if "tosa_spec" not in fields:
            raise ValueError("No tosa_spec in compile spec.")
        made = cls.__new__(cls)
        made.tosa_spec = TosaSpecification.create_from_string(fields["tosa_spec"])
        made.compiler_flags = _flags_of(fields.get("compile_flags", ""))
        made.path_for_intermediates = fields.get("debug_artifact_path")
        mode = fields.get("dump_debug_info")
        made.tosa_debug_mode = ArmCompileSpec.DebugMode[mode] if mode else None
        made.preserve_io_quantization = fields.get("preserve_io_quantization") == "True"
        pipeline = fields.get("transform_pipeline_config")
        made._pipeline = ArmPassPipelineConfig.from_dict(json.loads(pipeline)) if pipeline else None
        made._read(fields)
        return made

    # As released versions call them.

    def _to_list(self) -> list[CompileSpec]:
        return self.to_list()

    @classmethod
    def _from_list(cls: type[_Spec], compile_specs: list[CompileSpec]) -> _Spec:
        return cls.from_list(compile_specs)

    def _get_intermediate_path(self) -> str | None:
        return self.get_intermediate_path()

    def _get_output_format(self) -> str:
        return self.get_output_format()

    def _get_pass_pipeline_config(self) -> ArmPassPipelineConfig:
        return self.get_pass_pipeline_config()

    def _set_preserve_io_quantization(self: _Spec, preserve_io_quantization: bool) -> _Spec:
        return self.set_preserve_io_quantization(preserve_io_quantization)

    def _more(self) -> dict[str, str]:
        """What a subclass adds."""
        return {}

    def _read(self, fields: dict[str, Any]) -> None:
        """Takes over what ``_more`` wrote."""
        return


def _flags_of(told: str) -> list[str]:
    """Of a command line; of a list as JSON, which programs of 0.1.0 before its recipes have."""
    if told.startswith("["):
        return [str(one) for one in json.loads(told)]
    return shlex.split(told)
