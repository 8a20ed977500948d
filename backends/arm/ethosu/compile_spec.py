"""Compile spec for Ethos-U."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.common.pipeline_config import (
    ArmPassPipelineConfig,
    SoftmaxDecompositionConfig,
)
from executorch.backends.arm.ethosu.vela import check_placements
from executorch.backends.arm.tosa.specification import TosaSpecification

#: The file of configurations that comes with Vela.
_CONFIGURATION = "Arm/vela.ini"

#: Processor -> system configuration and memory mode of Vela's file if none is named, and the TOSA it takes.
_PROCESSORS = {
    "ethos-u55": ("Ethos_U55_High_End_Embedded", "Shared_Sram", "TOSA-1.0+INT+int16+u55"),
    "ethos-u65": ("Ethos_U65_High_End", "Dedicated_Sram_384KB", "TOSA-1.0+INT+int16+u55"),
    "ethos-u85": ("Ethos_U85_SYS_DRAM_Mid", "Sram_Only", "TOSA-1.0+INT+int16"),
}
_USUAL_UNITS = {"ethos-u55": 128, "ethos-u65": 256, "ethos-u85": 256}
#: The key of what goes into files beside the program.
_PLACEMENTS = "external_block_placements"
_MASKED = SoftmaxDecompositionConfig.MASKED
_UNITS = {
    "ethos-u55": (32, 64, 128, 256),
    "ethos-u65": (256, 512),
    "ethos-u85": (128, 256, 512, 1024, 2048),
}


@dataclasses.dataclass(frozen=True)
class VelaExternalBlockPlacements:
    """Blocks of a delegate's blob that go into files beside the program, by name without ``.ptd``; those of None stay in it.

    The firmware places each file where the board wants it, and gives the files to ``load_method`` as named data.
    """

    cmd_data: str | None = None
    weight_data: str | None = None

    def to_block_placements(self) -> dict[str, str]:
        """Block -> file, of those that have one."""
        return {name: place for name, place in dataclasses.asdict(self).items() if place is not None}


class EthosUCompileSpec(ArmCompileSpec):
    """Which processor, in which system, with which memory.

    Args:
        target: processor and multiply-accumulate units, ``ethos-u55-128``; without them 128 on U55, 256 on U65 and U85.
        system_config: a section of the configuration file, ``Ethos_U55_High_End_Embedded``; one that fits the processor if None.
        memory_mode: ``Shared_Sram``, ``Sram_Only``, ``Dedicated_Sram...``; one that fits if None. The firmware must be built with the same.
        extra_flags: handed to Vela besides; they stand above the arguments.
        config_ini: the file, as Vela finds it; None is the default too.
        external_block_placements: what goes into files beside the program.

    Raises:
        ValueError: there is no such target, or the memory mode is not one of its own, or a file has no name.
    """

    def __init__(
        self,
        target: str,
        system_config: str | None = None,
        memory_mode: str | None = None,
        extra_flags: list[str] | None = None,
        config_ini: str | None = _CONFIGURATION,
        external_block_placements: VelaExternalBlockPlacements | None = None,
    ) -> None:
        self.target = target
        self.external_block_placements = external_block_placements or VelaExternalBlockPlacements()
        check_placements(self.external_block_placements.to_block_placements())
        name = target.lower()
        full = f"{name}-{_USUAL_UNITS[name]}" if name in _PROCESSORS else name
        processor, _, units = full.rpartition("-")
        if processor not in _PROCESSORS or units not in map(str, _UNITS[processor]):
            known = (f"{name}-{count}" for name, counts in _UNITS.items() for count in counts)
            raise ValueError(f"unknown target {target!r}; there are {', '.join(known)}")
        system, memory, tosa = _PROCESSORS[processor]
        memory = memory_mode or memory
        if processor == "ethos-u55" and memory.startswith("Dedicated_Sram"):
            raise ValueError(f"{target} has no mode {memory}; use Shared_Sram or Sram_Only")
        self.tosa_spec = TosaSpecification.create_from_string(tosa)
        extra = [one for one in extra_flags or [] if one and not one.startswith("--output-format")]
        given = {one.partition("=")[0] for one in extra}
        own = {
            "--accelerator-config": full,
            "--config": config_ini or _CONFIGURATION,
            "--system-config": system_config or system,
            "--memory-mode": memory,
        }
        self.compiler_flags = [
            *extra,
            *(f"{flag}={value}" for flag, value in own.items() if flag not in given),
            "--output-format=raw",
        ]

    @staticmethod
    def get_output_format() -> str:
        return "vela"

    def _default_pipeline(self) -> ArmPassPipelineConfig:
        # U55 and U65 have no choice between two values.
        stable = self.tosa_spec.is_U55_subset
        return ArmPassPipelineConfig(softmax=SoftmaxDecompositionConfig.STABLE if stable else _MASKED)

    def _more(self) -> dict[str, str]:
        placements = self.external_block_placements.to_block_placements()
        told = {_PLACEMENTS: json.dumps(placements, separators=(",", ":"))} if placements else {}
        return {"target": self.target, **told}

    def _read(self, fields: dict[str, Any]) -> None:
        flag = "--accelerator-config="
        named = [one.removeprefix(flag) for one in self.compiler_flags if one.startswith(flag)]
        if "target" not in fields and not named:
            raise ValueError(
                f"compile specs for Ethos-U without a target: neither 'target' nor {flag}... among the flags"
            )
        self.target = fields.get("target") or named[0]
        self.external_block_placements = VelaExternalBlockPlacements(
            **json.loads(fields.get(_PLACEMENTS, "{}"))
        )
