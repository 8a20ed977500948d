"""What ``XNNPACKQuantizer`` quantizes, in the forms that released ExecuTorch 1.x describes it in."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, Node
from torchao.quantization.pt2e.quantizer import get_module_name_filter

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import (
    ADD_TARGETS,
    CAT_TARGETS,
    CONV_TARGETS,
    CONV_TRANSPOSE_TARGETS,
    LINEAR_TARGETS,
    MUL_TARGETS,
)

ADAPTIVE_AVG_POOL2D_TARGETS = {torch.ops.aten.adaptive_avg_pool2d.default}


@dataclasses.dataclass(frozen=True)
class QuantPattern:
    """One kind of operators that is quantized as a whole.

    Attributes:
        name: of the annotator in ``OP_TO_ANNOTATOR``.
        is_dynamic: scales of its inputs may be found at run time.
        is_qat: it is looked for in training only.
        op_overloads: with which operator it begins.
    """

    name: str
    is_dynamic: bool
    is_qat: bool
    op_overloads: set[Any] = dataclasses.field(hash=False)

    def is_dynamic_supported(self) -> bool:
        return self.is_dynamic

    def is_qat_supported(self) -> bool:
        return self.is_qat


def _patterns() -> list[QuantPattern]:
    convolutions = (("conv", CONV_TARGETS), ("conv_transpose", CONV_TRANSPOSE_TARGETS))
    in_training = [
        QuantPattern(f"{name}_bn{activation}", False, True, targets)
        for name, targets in convolutions
        for activation in ("_relu", "")
    ]
    with_activations = [
        QuantPattern("linear_relu", False, False, LINEAR_TARGETS),
        QuantPattern("linear", True, False, LINEAR_TARGETS),
        *(QuantPattern(f"{name}_relu", False, False, targets) for name, targets in convolutions),
        *(QuantPattern(name, True, False, targets) for name, targets in convolutions),
    ]
    others = [
        QuantPattern("adaptive_avg_pool2d", False, False, ADAPTIVE_AVG_POOL2D_TARGETS),
        QuantPattern("add_relu", False, False, ADD_TARGETS),
        QuantPattern("add", False, False, ADD_TARGETS),
        QuantPattern("mul_relu", False, False, MUL_TARGETS),
        QuantPattern("mul", False, False, MUL_TARGETS),
        QuantPattern("cat", False, False, CAT_TARGETS),
    ]
    return [*in_training, *with_activations, *others]


SUPPORTED_PATTERNS = _patterns()


def _supported_symmetric_quantized_operators() -> dict[str, list[Any]]:
    """Kind of operators -> chains of modules and functions that run as one."""
    functional = torch.nn.functional
    activations = (torch.nn.ReLU, functional.relu)
    found: dict[str, list[Any]] = {
        "conv2d": [[one, act] for one in (torch.nn.Conv2d, functional.conv2d) for act in activations],
        "linear": [[torch.nn.Linear], [functional.linear]],
        "add": [[torch.add]],
        "adaptive_avg_pool2d": [[torch.nn.AdaptiveAvgPool2d], [functional.adaptive_avg_pool2d]],
    }
    return copy.deepcopy(found)


def _get_module_type_filter(tp: Callable[..., Any]) -> Callable[[Node], bool]:
    """Accepts nodes from within modules of a class, which traces name by itself or in full."""
    full = f"{tp.__module__}.{tp.__qualname__}"

    def accepts(node: Node) -> bool:
        return any(found in (tp, full) for _, found in node.meta.get("nn_module_stack", {}).values())

    return accepts


def _get_not_module_type_or_name_filter(
    tp_list: list[Callable[..., Any]], module_name_list: list[str]
) -> Callable[[Node], bool]:
    """Accepts nodes from within none of these modules."""
    filters = [*map(_get_module_type_filter, tp_list), *map(get_module_name_filter, module_name_list)]

    def accepts(node: Node) -> bool:
        return not any(one(node) for one in filters)

    return accepts


def _get_dynamo_graph(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Graph:
    """The captured graph of a function of tensors."""

    class _Module(torch.nn.Module):
        def forward(self, *args: Any) -> Any:
            return function(*args)

    graph = torch.export.export(_Module(), tuple(inputs)).module().graph
    graph.eliminate_dead_code()
    return graph


def _get_linear_patterns(input_size: list[int]) -> list[Graph]:
    """Captured graphs of linear layers with a bias and without one, for inputs of this size."""
    features, outputs = input_size[-1], 8
    weight, bias, source = torch.ones(outputs, features), torch.ones(outputs), torch.ones(*input_size)
    return [
        _get_dynamo_graph(torch.nn.functional.linear, (source, weight)),
        _get_dynamo_graph(torch.nn.functional.linear, (source, weight, bias)),
    ]
