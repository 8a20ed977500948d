"""What a configuration of coremltools's asks for, layer by layer, as ``prepare_pt2e`` wants it said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node
from torchao.quantization.pt2e import (
    FakeQuantize,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    PerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import QuantizationSpec, get_module_name_filter

from executorch.dialects import meta_keys

_DTYPES = {
    torch.qint8: torch.int8,
    torch.int8: torch.int8,
    torch.quint8: torch.uint8,
    torch.uint8: torch.uint8,
}


@dataclass(frozen=True)
class LayerSettings:
    """Of one layer.

    Attributes:
        weights: integers of its weights.
        activations: integers of what it reads and gives; None: weights alone are quantized.
        by_channel: whether each output channel of the weights has a scale.
        is_symmetric: whether there are no zero points.
    """

    weights: torch.dtype
    activations: torch.dtype | None
    by_channel: bool
    is_symmetric: bool

    @classmethod
    def of(cls, settings: Any) -> LayerSettings:
        """Those of a ``ModuleLinearQuantizerConfig``.

        Raises:
            ValueError: widths that are not there.
        """
        wanted = {"weight_dtype": settings.weight_dtype, "activation_dtype": settings.activation_dtype}
        wrong = [
            f"{name}={value}" for name, value in wanted.items() if value not in (*_DTYPES, torch.float32)
        ]
        if wrong or settings.weight_dtype == torch.float32 or getattr(settings, "weight_n_bits", 8) != 8:
            raise ValueError(
                f"CoreMLQuantizer: {', '.join(wrong) or 'weights of other than eight bits'}: not supported. Way out: weights in "
                "torch.qint8, activations in torch.quint8 or torch.float32; quantize_ of torchao for fewer bits"
            )
        scheme = getattr(settings.quantization_scheme, "value", settings.quantization_scheme)
        return cls(
            _DTYPES[settings.weight_dtype],
            _DTYPES.get(settings.activation_dtype),
            bool(settings.weight_per_channel),
            str(scheme) == "symmetric",
        )

    def of_activations(self) -> QuantizationSpec:
        """How activations are observed."""
        is_signed = self.activations == torch.int8
        return QuantizationSpec(
            dtype=self.activations or torch.uint8,
            observer_or_fake_quant_ctr=_rounding(MovingAverageMinMaxObserver),
            quant_min=-128 if is_signed else 0,
            quant_max=127 if is_signed else 255,
            qscheme=torch.per_tensor_symmetric if self.is_symmetric else torch.per_tensor_affine,
        )

    def of_weights(self, channels: int) -> QuantizationSpec:
        """How weights are observed whose output channels lie along a dimension."""
        is_signed = self.weights == torch.int8
        affine, symmetric = (
            (torch.per_channel_affine, torch.per_channel_symmetric)
            if self.by_channel
            else (torch.per_tensor_affine, torch.per_tensor_symmetric)
        )
        observer: Any = PerChannelMinMaxObserver if self.by_channel else MinMaxObserver
        return QuantizationSpec(
            dtype=self.weights,
            observer_or_fake_quant_ctr=_rounding(observer),
            quant_min=-127 if is_signed else 0,
            quant_max=127 if is_signed else 255,
            qscheme=symmetric if self.is_symmetric else affine,
            ch_axis=channels if self.by_channel else None,
        )


class Configuration:
    """A ``LinearQuantizerConfig``: settings of modules by name, else by class, else those of all others.

    Raises:
        ValueError: it asks for what is not there.
    """

    def __init__(self, config: Any) -> None:
        named, typed = config.module_name_configs, config.module_type_configs
        for kind in typed:
            if not (isinstance(kind, type) and issubclass(kind, torch.nn.Module)):
                raise ValueError(
                    f"CoreMLQuantizer: settings of {kind}: not supported. Way out: those of classes of modules"
                )
        self._ordered: list[tuple[Callable[[Node], bool], LayerSettings | None]] = [
            *((get_module_name_filter(name), _or_none(one)) for name, one in named.items()),
            *((_of_class(kind), _or_none(one)) for kind, one in typed.items()),
            (lambda node: True, _or_none(config.global_config)),
        ]

    def of(self, node: Node) -> LayerSettings | None:
        """The settings of a call; None: it stays in floating point."""
        return next(settings for accepts, settings in self._ordered if accepts(node))


def _or_none(settings: Any) -> LayerSettings | None:
    return None if settings is None else LayerSettings.of(settings)


def _of_class(kind: type) -> Callable[[Node], bool]:
    full = f"{kind.__module__}.{kind.__qualname__}"
    return lambda node: any(
        found in (kind, full) for _, found in node.meta.get(meta_keys.NN_MODULE_STACK, {}).values()
    )


def _rounding(observer: Any) -> Any:
    """Observes and rounds, so that training (``prepare_qat_pt2e``) sees what the integers will hold."""
    return FakeQuantize.with_args(observer=observer, eps=2**-12)
