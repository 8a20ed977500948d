"""Which processor a program is for."""

from __future__ import annotations

import dataclasses
import enum


class InstructionSet(enum.Enum):
    """What its kernels may use: Helium, the DSP extension, or neither."""

    MVE = "mve"
    DSP = "dsp"
    SCALAR = "scalar"


class CortexM(enum.Enum):
    """The processors."""

    M0 = "cortex-m0"
    M0PLUS = "cortex-m0plus"
    M3 = "cortex-m3"
    M4 = "cortex-m4"
    M7 = "cortex-m7"
    M23 = "cortex-m23"
    M33 = "cortex-m33"
    M35P = "cortex-m35p"
    M55 = "cortex-m55"
    M85 = "cortex-m85"


#: The most that a processor has; those that are not named have plain instructions only.
_BEST = {
    **dict.fromkeys((CortexM.M4, CortexM.M7, CortexM.M33, CortexM.M35P), InstructionSet.DSP),
    **dict.fromkeys((CortexM.M55, CortexM.M85), InstructionSet.MVE),
}
_RANK = [InstructionSet.SCALAR, InstructionSet.DSP, InstructionSet.MVE]


@dataclasses.dataclass(frozen=True)
class CortexMTargetConfig:
    """A processor, and what of it may be used.

    Kernels of this library run programs for any of them: work space is planned for whichever kernels are linked, and the firmware's
    build chooses those. Kernels of released runtimes want biases of linear layers in one place with Helium, in another without.

    Args:
        cpu: the processor.
        isa: less than it has, for one that was built without an extension.

    Raises:
        ValueError: the processor has no such instructions.
    """

    cpu: CortexM
    isa: InstructionSet | None = None

    def __post_init__(self) -> None:
        best = _BEST.get(self.cpu, InstructionSet.SCALAR)
        if self.isa is not None and _RANK.index(self.isa) > _RANK.index(best):
            raise ValueError(
                f"{self.isa.name} is not supported by {self.target_string}, which has {best.name}"
            )

    @property
    def backend(self) -> InstructionSet:
        """The instructions that may be used."""
        return self.isa or _BEST.get(self.cpu, InstructionSet.SCALAR)

    @property
    def target_string(self) -> str:
        """As compilers call it, ``cortex-m55``."""
        return self.cpu.value

    @classmethod
    def from_target_string(cls, target_string: str) -> CortexMTargetConfig:
        """The processor that a compiler calls so.

        Raises:
            ValueError: there is none.
        """
        try:
            return cls(CortexM(target_string))
        except ValueError:
            known = ", ".join(one.value for one in CortexM)
            raise ValueError(f"no processor {target_string!r}; there are {known}") from None
