"""The quantizer of the example backend: 8 bits, one scale a tensor, from one table of patterns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.passes.utils.source_matcher_utils import SourcePartition
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver
from torchao.quantization.pt2e.quantizer import OperatorConfig, QuantizationSpec, Quantizer

from executorch.backends.example.example_operators.matching import find_patterns
from executorch.backends.example.example_operators.ops import module_to_annotator
from executorch.backends.example.example_operators.utils import _nodes_are_annotated


def get_uint8_tensor_spec(observer_or_fake_quant_ctr: Any) -> QuantizationSpec:
    """Unsigned 8 bits, affine, one scale and zero point a tensor, from what this observer sees."""
    return QuantizationSpec(
        dtype=torch.uint8,
        observer_or_fake_quant_ctr=observer_or_fake_quant_ctr,
        quant_min=0,
        quant_max=255,
        qscheme=torch.per_tensor_affine,
        is_dynamic=False,
    )


@dataclass
class ExampleQuantConfig:
    """How the tensors of an operator are quantized; None leaves them as they are."""

    input_quant_spec: QuantizationSpec | None
    output_quant_spec: QuantizationSpec | None
    weight_quant_spec: QuantizationSpec | None
    bias_quant_spec: QuantizationSpec | None


#: What the quantizer does unless told otherwise; a bias is added in float.
default_static_config = ExampleQuantConfig(
    get_uint8_tensor_spec(HistogramObserver),
    get_uint8_tensor_spec(HistogramObserver),
    get_uint8_tensor_spec(MinMaxObserver),
    None,
)


def check_for_outside_users(partitions: Iterable[SourcePartition]) -> bool:
    """Whether something other than the next part of a pattern reads what one of its parts but the last yields."""
    parts = list(partitions)
    for part, following in itertools.pairwise(parts):
        if any(user not in following.nodes for node in part.output_nodes for user in node.users):
            return True
    return False


class ExampleQuantizer(Quantizer):
    """Annotates the patterns of ``module_to_annotator``, in its order.

    Args:
        quantizer_supported_modules: pattern -> ``OpBase``; ``module_to_annotator`` if None.
        quant_config: an ``ExampleQuantConfig``; ``default_static_config`` if None.
    """

    def __init__(self, quantizer_supported_modules: Any = None, quant_config: Any = None) -> None:
        super().__init__()
        self.quantizer_supported_modules = (
            module_to_annotator if quantizer_supported_modules is None else quantizer_supported_modules
        )
        self.quant_config = default_static_config if quant_config is None else quant_config

    def annotate(self, model: GraphModule) -> GraphModule:
        for pattern, operator in self.quantizer_supported_modules.items():
            for partitions in find_patterns(model.graph, pattern):
                if check_for_outside_users(partitions):
                    continue
                nodes = [node for part in partitions for node in part.output_nodes]
                if not _nodes_are_annotated(nodes):
                    operator.annotate_handle(partitions, self.quant_config)
        return model

    def validate(self, model: GraphModule) -> None:
        """Every annotation of this quantizer is valid: the patterns do not overlap."""

    @classmethod
    def get_supported_operators(cls) -> list[OperatorConfig]:
        """None: the patterns are in ``module_to_annotator``."""
        return []


__all__ = [
    "ExampleQuantConfig",
    "ExampleQuantizer",
    "check_for_outside_users",
    "default_static_config",
    "get_uint8_tensor_spec",
]
