"""How passes before annotation and before lowering go about what can be done in several ways."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any


class SoftmaxDecompositionConfig(enum.Enum):
    """What becomes of fills by a mask, which mostly stand before a softmax; every softmax subtracts its largest value first."""

    #: A choice between the value and the number, which is quantized.
    MASKED = "MASKED"
    #: Left as it is, for processors that have no choice.
    STABLE = "STABLE"


class LeakyReLULoweringConfig(enum.Enum):
    """What becomes of a leaky ReLU in ``ArmPassManager``. Quantizers keep it whole: on integers it is a table."""

    TABLE = "TABLE"
    DECOMPOSE = "DECOMPOSE"


class SDPASafeSoftmaxGuardPolicy(enum.Enum):
    """What becomes of attention's guard, which makes zeros of rows of which the mask leaves nothing."""

    PRESERVE = "PRESERVE"
    #: As PRESERVE: what the scores are is not known when a program is lowered, so nothing is proven.
    REMOVE_WHEN_PROVEN = "REMOVE_WHEN_PROVEN"
    #: Gone; such rows are NaN then, as of a softmax without it.
    REMOVE = "REMOVE"


@dataclasses.dataclass(frozen=True)
class QuantizeInfConfig:
    """The numbers in place of infinities, which no integer stands for.

    Attributes:
        neg_inf, pos_inf: a softmax makes nothing of what is 255 below, and scales stay small.
    """

    neg_inf: float = -255.0
    pos_inf: float = 255.0


_ENUMS = {
    "softmax": SoftmaxDecompositionConfig,
    "leaky_relu": LeakyReLULoweringConfig,
    "sdpa_safe_softmax_guard": SDPASafeSoftmaxGuardPolicy,
}


@dataclasses.dataclass(frozen=True)
class ArmPassPipelineConfig:
    """For ``ArmCompileSpec.set_pass_pipeline_config``."""

    softmax: SoftmaxDecompositionConfig = SoftmaxDecompositionConfig.MASKED
    leaky_relu: LeakyReLULoweringConfig = LeakyReLULoweringConfig.DECOMPOSE
    quantize_inf: QuantizeInfConfig = dataclasses.field(default_factory=QuantizeInfConfig)
    sdpa_safe_softmax_guard: SDPASafeSoftmaxGuardPolicy = SDPASafeSoftmaxGuardPolicy.PRESERVE

    def is_default(self) -> bool:
        """Whether it says what is done anyway."""
        return self == ArmPassPipelineConfig()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            **{name: getattr(self, name).value for name in _ENUMS},
            "quantize_inf": dataclasses.asdict(self.quantize_inf),
        }

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> ArmPassPipelineConfig:
        """What ``to_dict`` wrote; what is missing is as by default.

        Raises:
            ValueError: it names what no configuration has.
        """
        unknown = sorted(set(told) - {*_ENUMS, "quantize_inf"})
        if unknown:
            raise ValueError(
                f"a pass pipeline has no {', '.join(unknown)}; it has {', '.join([*_ENUMS, 'quantize_inf'])}"
            )
        given: dict[str, Any] = {name: kind(told[name]) for name, kind in _ENUMS.items() if name in told}
        if "quantize_inf" in told:
            given["quantize_inf"] = QuantizeInfConfig(**told["quantize_inf"])
        return cls(**given)
