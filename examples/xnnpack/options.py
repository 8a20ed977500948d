"""How each example model is quantized for XNNPACK."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class QuantType(enum.Enum):
    """Where the scales of activations and weights come from."""

    NONE = 1
    STATIC_PER_TENSOR = 2
    STATIC_PER_CHANNEL = 3
    DYNAMIC_PER_CHANNEL = 4


@dataclass(frozen=True)
class XNNPACKOptions:
    """What is done with a model.

    Attributes:
        quantization: when it is asked for.
        delegation: whether XNNPACK takes the model.
    """

    quantization: QuantType
    delegation: bool


MODEL_NAME_TO_OPTIONS = {
    "linear": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "add": XNNPACKOptions(QuantType.STATIC_PER_TENSOR, True),
    "add_mul": XNNPACKOptions(QuantType.STATIC_PER_TENSOR, True),
    "ic3": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "mv2": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "mv2_untrained": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "mv3": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "resnet18": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "resnet50": XNNPACKOptions(QuantType.STATIC_PER_CHANNEL, True),
    "vit": XNNPACKOptions(QuantType.DYNAMIC_PER_CHANNEL, True),
}
