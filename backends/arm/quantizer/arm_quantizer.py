"""Says how a captured graph is quantized for TOSA, with torchao's PT2E flow.

``prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)``, calibrate, ``convert_pt2e``, export again.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer, get_module_name_filter

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.quantizer.annotations import (
    annotate,
    is_real,
    mark_node_as_annotated,
)
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.backends.arm.quantizer.quantization_config import (
    QuantizationConfig,
    as_config,
    get_symmetric_a8w4_quantization_config,
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
    get_uint8_io_quantization_config,
)
from executorch.backends.arm.quantizer.transform import transform_for_annotation
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.dialects import meta_keys

__all__ = [
    "EthosUQuantizer",
    "QuantizationConfig",
    "TOSAQuantizer",
    "VgfQuantizer",
    "get_symmetric_a8w4_quantization_config",
    "get_symmetric_a16w8_quantization_config",
    "get_symmetric_quantization_config",
    "get_uint8_io_quantization_config",
]

logger = logging.getLogger(__name__)

Filter = Callable[[Node], bool]


class TOSAQuantizer(Quantizer):
    """Quantizes what the INT profile has.

    Where several configs fit, the most special wins: by module name, by module type, global. A config of None leaves what it names
    in floating point. Setters return the quantizer. At level INFO the log has what stays in floating point, and why.

    Args:
        compile_spec_or_tosa_spec: which TOSA.
        use_composable_quantizer: as released versions take it; there is one quantizer here.

    Raises:
        ValueError: that has no profile INT.
    """

    #: Whether what picks elements by numbers of int64 stays as it is.
    _indices_stay = False

    def __init__(
        self,
        compile_spec_or_tosa_spec: TosaSpecification | ArmCompileSpec,
        use_composable_quantizer: bool = False,
    ) -> None:
        super().__init__()
        given = compile_spec_or_tosa_spec
        self.tosa_spec = given.tosa_spec if isinstance(given, ArmCompileSpec) else given
        if not self.tosa_spec.support_integer():
            raise ValueError(f"{self.tosa_spec} has no profile INT, so nothing can be quantized for it")
        self._compile_spec = given if isinstance(given, ArmCompileSpec) else None
        self.global_config: QuantizationConfig | None = None
        self.io_config: QuantizationConfig | None = None
        self.module_type_config: dict[Callable[..., Any], QuantizationConfig | None] = {}
        self.module_name_config: dict[str, QuantizationConfig | None] = {}

    def set_global(self, quantization_config: QuantizationConfig | None) -> TOSAQuantizer:
        """For everything that no other config names."""
        self.global_config = self._checked(quantization_config)
        return self

    def set_io(self, quantization_config: QuantizationConfig | None) -> TOSAQuantizer:
        """For the inputs and outputs of the model."""
        self.io_config = self._checked(quantization_config)
        return self

    def set_module_type(
        self, module_type: Callable[..., Any], quantization_config: QuantizationConfig | None
    ) -> TOSAQuantizer:
        """For all that happens in submodules of a class."""
        self.module_type_config[module_type] = self._checked(quantization_config)
        return self

    def set_module_name(
        self, module_name: str, quantization_config: QuantizationConfig | None
    ) -> TOSAQuantizer:
        """For all that happens in one submodule, as ``blocks.sub``."""
        self.module_name_config[module_name] = self._checked(quantization_config)
        return self

    def _checked(self, config: QuantizationConfig | None) -> Any:
        config = as_config(config)
        activation = None if config is None else config.get_input_act_qspec()
        wide = getattr(activation, "dtype", None) is torch.int16
        if wide and not self.tosa_spec.support_extension("int16"):
            logger.warning(
                "activations of int16 need the extension int16, which %s has not; what they reach is left to the CPU",
                self.tosa_spec,
            )
        return config

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        """Numbers in sums and products become tensors, a division by one a product; attention is taken apart.

        What a config of None names is marked, and stays as it is written.
        """
        for node in model.graph.nodes:
            node.meta[DISALLOW_TFA_META_KEY] = self.config_of(node) is None
        spec = self._compile_spec
        pipeline = None if spec is None else spec.get_pass_pipeline_config()
        return transform_for_annotation(model, pipeline, self._indices_stay)

    def annotate(self, model: GraphModule) -> GraphModule:
        for node, why in annotate(model, self.config_of):
            logger.info("%s (%s) stays in floating point: %s", node.name, node.target, why)
        if self.io_config is not None:
            _annotate_io(model, self.io_config)
        return model

    def config_of(self, node: Node) -> QuantizationConfig | None:
        """The config of a node: the most special that fits."""
        groups: list[tuple[Filter, QuantizationConfig | None]] = [
            *((get_module_name_filter(name), one) for name, one in self.module_name_config.items()),
            *((module_type_filter(kind), one) for kind, one in self.module_type_config.items()),
        ]
        return next((config for accepts, config in groups if accepts(node)), self.global_config)

    def validate(self, model: GraphModule) -> None:
        """Everything that ``annotate`` writes is known to the lowering.

        Raises:
            ValueError: a call has operands on several devices.
        """
        for node in model.graph.nodes:
            values = (one.meta.get(meta_keys.VAL) for one in node.all_input_nodes)
            devices = {str(one.device) for one in values if isinstance(one, torch.Tensor)}
            if node.op == "call_function" and len(devices) > 1:
                raise ValueError(
                    f"Quantizer detected operator {node.name} ({node.target}) with operands on {', '.join(sorted(devices))}; "
                    "move them to one device before the model is captured"
                )

    def quantize_with_submodules(
        self,
        model: GraphModule,
        calibration_samples: list[tuple[Any, ...]],
        is_qat: bool = False,
        fold_quantize: bool = True,
    ) -> GraphModule:
        """Prepares, runs copies of the samples and converts.

        Args:
            model: a captured graph without control flow.
            calibration_samples: inputs, one tuple for each run.
            is_qat: prepares for training; the samples only set the ranges.
            fold_quantize: as for ``convert_pt2e``: whether weights are kept as integers.

        Raises:
            ValueError: there is no sample, or the graph has branches of control flow.
        """
        if not calibration_samples:
            raise ValueError("no calibration sample; give at least one tuple of inputs")
        if any("cond" in str(node.target) for node in model.graph.nodes if node.op == "call_function"):
            raise ValueError("branches of control flow are not quantized; quantize the model of each branch")
        prepared = (prepare_qat_pt2e if is_qat else prepare_pt2e)(model, self)
        for sample in calibration_samples:
            # A model may write to its inputs, which are the caller's.
            prepared(*copy.deepcopy(sample))
        return convert_pt2e(prepared, fold_quantize=fold_quantize)

    #: As released versions call it.
    _quantize_with_submodules = quantize_with_submodules


class EthosUQuantizer(TOSAQuantizer):
    """For Ethos-U, which runs nothing in floating point: what stays so is left to the CPU.

    Args:
        compile_spec: an ``EthosUCompileSpec``.
    """

    def __init__(self, compile_spec: ArmCompileSpec, use_composable_quantizer: bool = False) -> None:
        if compile_spec.get_output_format() != "vela":
            raise ValueError(
                f"{type(compile_spec).__name__} is no compile spec of Ethos-U; use EthosUCompileSpec"
            )
        super().__init__(compile_spec, use_composable_quantizer)


class VgfQuantizer(TOSAQuantizer):
    """For VGF; what a config of None names is calculated in floating point, in the same delegate.

    Args:
        compile_spec: a ``VgfCompileSpec``.
    """

    def __init__(self, compile_spec: ArmCompileSpec, use_composable_quantizer: bool = False) -> None:
        if compile_spec.get_output_format() != "vgf":
            raise ValueError(f"{type(compile_spec).__name__} is no compile spec of VGF; use VgfCompileSpec")
        super().__init__(compile_spec, use_composable_quantizer)


def module_type_filter(kind: Callable[..., Any]) -> Filter:
    """Whether a node is called within a submodule of a class."""
    full = f"{kind.__module__}.{kind.__qualname__}"

    def accepts(node: Node) -> bool:
        return any(found in (kind, full) for _, found in node.meta.get("nn_module_stack", {}).values())

    return accepts


def _annotate_io(model: GraphModule, config: QuantizationConfig) -> None:
    for node in model.graph.find_nodes(op="placeholder"):
        if is_real(node):
            mark_node_as_annotated(node, {}, config.get_input_act_qspec(node))
    last = model.graph.output_node()
    mark_node_as_annotated(
        last, {one: config.get_output_act_qspec(one) for one in last.all_input_nodes if is_real(one)}, None
    )
