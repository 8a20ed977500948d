"""Says how a captured graph is quantized for XNNPACK, with torchao's PT2E flow.

``prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)``, calibrate, ``convert_pt2e``, export again.
Int8: activations asymmetric, one scale for each tensor; weights symmetric, one scale or one for each output.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.fake_quantize import FakeQuantize, FusedMovingAvgObsFakeQuantize
from torchao.quantization.pt2e.observer import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
)
from torchao.quantization.pt2e.quantizer import (
    OperatorConfig,
    OperatorPatternType,
    QuantizationConfig,
    QuantizationSpec,
    Quantizer,
    get_module_name_filter,
)

from executorch.backends.xnnpack.quantizer.explicit_padding import with_numbers
from executorch.backends.xnnpack.quantizer.left_in_float import note_reasons
from executorch.backends.xnnpack.quantizer.published_patterns import (
    ADAPTIVE_AVG_POOL2D_TARGETS,
    SUPPORTED_PATTERNS,
    QuantPattern,
    _get_dynamo_graph,
    _get_linear_patterns,
    _get_module_type_filter,
    _get_not_module_type_or_name_filter,
    _supported_symmetric_quantized_operators,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import (
    ADD_TARGETS,
    CAT_TARGETS,
    CONV_TARGETS,
    CONV_TRANSPOSE_TARGETS,
    LINEAR_TARGETS,
    MUL_TARGETS,
    OP_TO_ANNOTATOR,
    _convert_scalars_to_attrs,
    propagate_annotation,
)
from executorch.dialects.torch_types import OpOverload, OpOverloadPacket

__all__ = [
    "ADAPTIVE_AVG_POOL2D_TARGETS",
    "ADD_TARGETS",
    "CAT_TARGETS",
    "CONV_TARGETS",
    "CONV_TRANSPOSE_TARGETS",
    "LINEAR_TARGETS",
    "MUL_TARGETS",
    "QuantPattern",
    "XNNPACKQuantizer",
    "_get_dynamo_graph",
    "_get_linear_patterns",
    "_get_module_type_filter",
    "_get_not_module_type_or_name_filter",
    "get_symmetric_quantization_config",
]

#: Smallest scale: smaller ones are lost in XNNPACK's arithmetic.
_EPS = 2**-12
_STATIC_KINDS = ("conv", "conv_transpose", "linear", "add", "sub", "mul", "adaptive_avg_pool2d", "cat")
_DYNAMIC_KINDS = ("linear", "conv", "conv_transpose")

FilterFunction = Callable[[Node], bool]
#: Which setter made it, what it is for, and its config.
_Group = tuple[str, FilterFunction, QuantizationConfig | None]


@functools.lru_cache
def get_symmetric_quantization_config(
    is_per_channel: bool = False,
    is_qat: bool = False,
    is_dynamic: bool = False,
    act_qmin: int = -128,
    act_qmax: int = 127,
    weight_qmin: int = -127,
    weight_qmax: int = 127,
) -> QuantizationConfig:
    """The int8 scheme that XNNPACK has.

    Args:
        is_per_channel: a scale for each output of a weight, one for the whole weight otherwise.
        is_qat: for training with fake quantization, for calibration otherwise.
        is_dynamic: scales of activations are found at run time (linear layers and convolutions only).
        act_qmin, act_qmax: range of the integers of activations.
        weight_qmin, weight_qmax: of weights.
    """
    activation = QuantizationSpec(
        dtype=torch.int8,
        quant_min=act_qmin,
        quant_max=act_qmax,
        qscheme=torch.per_tensor_affine,
        is_dynamic=is_dynamic,
        observer_or_fake_quant_ctr=_activation_observer(is_qat, is_dynamic),
    )
    weight = QuantizationSpec(
        dtype=torch.int8,
        quant_min=weight_qmin,
        quant_max=weight_qmax,
        qscheme=torch.per_channel_symmetric if is_per_channel else torch.per_tensor_symmetric,
        ch_axis=0,
        is_dynamic=False,
        observer_or_fake_quant_ctr=_weight_observer(is_per_channel, is_qat),
    )
    return QuantizationConfig(activation, None if is_dynamic else activation, weight, None, is_qat)


def _activation_observer(is_qat: bool, is_dynamic: bool) -> Any:
    if is_qat and is_dynamic:
        last_only = MovingAverageMinMaxObserver.with_args(averaging_constant=1)
        return FakeQuantize.with_args(eps=_EPS, observer=last_only)
    if is_qat:
        return FusedMovingAvgObsFakeQuantize.with_args(eps=_EPS)
    return (PlaceholderObserver if is_dynamic else HistogramObserver).with_args(eps=_EPS)


def _weight_observer(is_per_channel: bool, is_qat: bool) -> Any:
    if is_qat:
        observer = MovingAveragePerChannelMinMaxObserver if is_per_channel else MovingAverageMinMaxObserver
        return FusedMovingAvgObsFakeQuantize.with_args(eps=_EPS, observer=observer)
    return (PerChannelMinMaxObserver if is_per_channel else MinMaxObserver).with_args(eps=_EPS)


class XNNPACKQuantizer(Quantizer):
    """Quantizes what XNNPACK runs on int8.

    Where several configs fit a node, the most special wins: by module name, by module type, by operator, global. A
    config of None leaves what it names in floating point. Setters return the quantizer. On calls that stay in floating
    point the reason is noted (``executorch.devtools.quantization.float_layers`` reports it).

    Attributes:
        SUPPORTED_PATTERNS: what is quantized, by kind.
        supported_config_and_operators: the same by config.
    """

    SUPPORTED_PATTERNS = SUPPORTED_PATTERNS
    supported_config_and_operators: list[OperatorConfig]

    def __init__(self) -> None:
        super().__init__()
        self.global_config: QuantizationConfig | None = None
        self.operator_type_config: dict[Any, QuantizationConfig | None] = {}
        self.module_type_config: dict[Callable[..., Any], QuantizationConfig | None] = {}
        self.module_name_config: dict[str, QuantizationConfig | None] = {}
        self.filter_fn: FilterFunction | None = None

    def set_global(self, quantization_config: QuantizationConfig) -> XNNPACKQuantizer:
        """For everything that no other config names."""
        self.global_config = quantization_config
        return self

    def set_operator_type(
        self, operator_type: OpOverloadPacket, quantization_config: QuantizationConfig
    ) -> XNNPACKQuantizer:
        """For all calls of an operator, as ``torch.ops.aten.linear``."""
        self.operator_type_config[operator_type] = quantization_config
        return self

    def set_module_type(
        self, module_type: Callable[..., Any], quantization_config: QuantizationConfig | None
    ) -> XNNPACKQuantizer:
        """For all that happens in submodules of a class."""
        self.module_type_config[module_type] = quantization_config
        return self

    def set_module_name(
        self, module_name: str, quantization_config: QuantizationConfig | None
    ) -> XNNPACKQuantizer:
        """For all that happens in one submodule, as ``blocks.sub``."""
        self.module_name_config[module_name] = quantization_config
        return self

    def set_object_type(
        self, object_type: Callable[..., Any], quantization_config: QuantizationConfig | None
    ) -> XNNPACKQuantizer:
        """For a module class, as ``set_module_type``, or for a function such as ``torch.nn.functional.linear``."""
        if isinstance(object_type, type):
            return self.set_module_type(object_type, quantization_config)
        self.operator_type_config[object_type] = quantization_config
        return self

    def set_filter_function(self, filter_fn: FilterFunction) -> XNNPACKQuantizer:
        """Nodes for which this is false are left in floating point."""
        self.filter_fn = filter_fn
        return self

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        model = _convert_scalars_to_attrs(model)
        in_training = any(config is not None and config.is_qat for _, _, config in self._groups())
        return with_numbers(model) if in_training else model

    def annotate(self, model: GraphModule) -> GraphModule:
        groups = self._groups()
        special: list[FilterFunction] = []
        for _, accepts, config in groups:
            self._annotate(model, config, accepts, special)
            special.append(accepts)
        propagate_annotation(model)
        note_reasons(model, functools.partial(_config_of, groups), self._wants)
        return model

    def _groups(self) -> list[_Group]:
        """What has a config of its own, the most special first; everything last, if there is a global config."""
        groups: list[_Group] = [
            *(
                (f"set_module_name({name!r})", get_module_name_filter(name), config)
                for name, config in self.module_name_config.items()
            ),
            *(
                (f"set_module_type({_name_of(kind)})", _get_module_type_filter(kind), config)
                for kind, config in self.module_type_config.items()
            ),
            *(
                (f"set_operator_type({_name_of(kind)})", _operator_filter(kind), config)
                for kind, config in self.operator_type_config.items()
            ),
        ]
        if self.global_config is not None:
            groups.append(("set_global", lambda node: True, self.global_config))
        return groups

    def _wants(self, node: Node) -> bool:
        return self.filter_fn is None or self.filter_fn(node)

    def _annotate(
        self,
        model: GraphModule,
        config: QuantizationConfig | None,
        accepts: FilterFunction,
        others: Sequence[FilterFunction],
    ) -> None:
        if config is None:
            return
        claimed = list(others)

        def mine(node: Node) -> bool:
            return self._wants(node) and accepts(node) and not any(other(node) for other in claimed)

        for kind in _kinds(config):
            OP_TO_ANNOTATOR[kind](model, config, mine)

    def validate(self, model: GraphModule) -> None:
        """Everything that ``annotate`` writes is known to XNNPACK."""

    @classmethod
    def get_supported_quantization_configs(cls) -> list[QuantizationConfig]:
        """The configs of ``get_symmetric_quantization_config``."""
        flags = [
            (channel, qat, dynamic)
            for dynamic in (False, True)
            for qat in (False, True)
            for channel in (False, True)
        ]
        return [get_symmetric_quantization_config(*one) for one in flags]

    @classmethod
    def get_supported_operator_for_quantization_config(
        cls, quantization_config: QuantizationConfig | None
    ) -> list[OperatorPatternType]:
        """Operators that a config quantizes, as lists of modules and functions that run as one."""
        if quantization_config is None:
            return [pattern for kind in _STATIC_KINDS for pattern in _PATTERNS[kind]]
        return [pattern for kind in _kinds(quantization_config) for pattern in _PATTERNS[kind]]

    @classmethod
    def get_supported_operators(cls) -> list[OperatorConfig]:
        """Each config with its operators."""
        configs = cls.get_supported_quantization_configs()
        return [
            OperatorConfig(one, cls.get_supported_operator_for_quantization_config(one)) for one in configs
        ]


def _config_of(groups: Sequence[_Group], node: Node) -> tuple[str, QuantizationConfig | None]:
    found = ((origin, config) for origin, accepts, config in groups if accepts(node))
    return next(found, ("", None))


def _name_of(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _kinds(config: QuantizationConfig) -> tuple[str, ...]:
    dynamic = config.input_activation is not None and config.input_activation.is_dynamic
    return _DYNAMIC_KINDS if dynamic else _STATIC_KINDS


def _operator_filter(kind: Any) -> FilterFunction:
    """Calls of an operator, or of the operator that a function of the same name becomes."""
    name = _name_of(kind)

    def accepts(node: Node) -> bool:
        overload = node.target
        if not isinstance(overload, OpOverload):
            return False
        if isinstance(kind, OpOverload | OpOverloadPacket):
            return kind in (overload, overload.overloadpacket)
        return str(overload.overloadpacket.__name__).rstrip("_") == name

    return accepts


_F = torch.nn.functional
_ACTIVATIONS = (torch.nn.ReLU, _F.relu, torch.nn.Hardtanh, _F.hardtanh)


def _with_activations(*operators: Any) -> list[Any]:
    alone = [[one] for one in operators]
    return alone + [[one, activation] for one in operators for activation in _ACTIVATIONS]


_PATTERNS: dict[str, list[Any]] = {
    "adaptive_avg_pool2d": [[torch.nn.AdaptiveAvgPool2d], [_F.adaptive_avg_pool2d]],
    "add": _with_activations(torch.add),
    "cat": [[torch.cat]],
    "conv": _with_activations(torch.nn.Conv1d, torch.nn.Conv2d, _F.conv1d, _F.conv2d),
    "conv_transpose": _with_activations(torch.nn.ConvTranspose2d, _F.conv_transpose2d),
    "linear": _with_activations(torch.nn.Linear, _F.linear),
    "mul": _with_activations(torch.mul),
    "sub": _with_activations(torch.sub),
}


def _get_supported_symmetric_config_and_operators() -> list[OperatorConfig]:
    """Each config of ``get_symmetric_quantization_config`` for calibration and training, with what it quantizes."""
    operators = [one for chains in _supported_symmetric_quantized_operators().values() for one in chains]
    configs = [
        get_symmetric_quantization_config(is_per_channel=channel, is_qat=qat)
        for channel in (False, True)
        for qat in (False, True)
    ]
    return [OperatorConfig(config, list(operators)) for config in configs]


def _get_supported_config_and_operators() -> list[OperatorConfig]:
    return _get_supported_symmetric_config_and_operators()


XNNPACKQuantizer.supported_config_and_operators = _get_supported_config_and_operators()
