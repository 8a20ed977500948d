"""What every operator's config checks, and the precisions it may be taken in."""

from __future__ import annotations

import enum
import logging
import math
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import prepared_constants, program_constants
from executorch.backends.xnnpack.graph.dynamic import DYNAMIC_OPERATORS, DynamicCall, dynamic_call
from executorch.backends.xnnpack.graph.products import product_of
from executorch.backends.xnnpack.graph.quantized import QUANTIZED_OPERATORS, StaticCall, static_call
from executorch.dialects import meta_keys
from executorch.partitioner.config_partitioner import PartitionerConfig, format_target_name
from executorch.partitioner.reasons import note_reason

logger = logging.getLogger("executorch.backends.xnnpack.partition")

_DTYPES = (torch.float32, torch.float16)
#: XNNPACK's limit.
_MOST_DIMENSIONS = 6


class ConfigPrecisionType(enum.Enum):
    """In which arithmetic an operator may be delegated."""

    FP32 = 1
    STATIC_QUANT = 2
    DYNAMIC_QUANT = 3


def tensors_of(node: Node) -> list[torch.Tensor]:
    """The tensors that a node reads and makes; the first of several results stands for them."""
    values: list[Any] = [one.meta.get(meta_keys.VAL) for one in [*node.all_input_nodes, node]]
    first = [value[0] if isinstance(value, tuple | list) else value for value in values]
    return [value for value in first if isinstance(value, torch.Tensor)]


class XNNPartitionerConfig(PartitionerConfig):
    """One operator that XNNPACK has.

    A subclass names the operator and says in ``refusal`` what it cannot take. What is refused stays outside, with
    the reason in the table of reasons and, at level DEBUG, in the log.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.enabled_precision_types: list[ConfigPrecisionType] = self.supported_precision_types()

    def supported_precision_types(self) -> list[ConfigPrecisionType]:
        """In which arithmetic this config can work; ``enabled_precision_types`` narrows it."""
        named = {name for name in QUANTIZED_OPERATORS if format_target_name(name) == self.target_name}
        static = [ConfigPrecisionType.STATIC_QUANT] if named else []
        dynamic = [ConfigPrecisionType.DYNAMIC_QUANT] if named & DYNAMIC_OPERATORS else []
        return [ConfigPrecisionType.FP32, *static, *dynamic]

    def set_enabled_precision_types(self, wanted: list[ConfigPrecisionType] | None) -> None:
        """Leaves only these of the supported precisions; None or an empty list leaves all."""
        if wanted:
            self.enabled_precision_types = [one for one in self.supported_precision_types() if one in wanted]

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return None

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        """Why this use of the operator cannot be taken, None if it can."""
        return None

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        """The tensors that XNNPACK gets and makes; their dtypes and sizes are checked."""
        return tensors_of(node)

    def quantized_call(self, node: Node, ep: ExportedProgram) -> StaticCall | DynamicCall | None:
        """How this use of the operator is quantized, None if it calculates in floating point."""
        constants = program_constants(ep)
        return static_call(node, constants) or dynamic_call(node, constants)

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        why = _general_refusal(self.tensors(node, ep)) or self.refusal(node, ep)
        precision = _PRECISIONS[type(self.quantized_call(node, ep))]
        if precision not in self.enabled_precision_types:
            why = f"its precision {precision.name} is not enabled"
        return not self.refuse(node, why)

    def refuse(self, node: Node, why: str | None) -> bool:
        """Notes and logs why ``node`` is not taken; False if there is no reason not to."""
        if why is not None:
            note_reason(node, type(self).__name__, why)
            logger.debug("not taking %s (%s): %s", node.name, self.target_name, why)
        return why is not None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """``node`` with all that is done by the one XNNPACK node that it becomes."""
        if not self.check_constraints(node, ep):
            return []
        call = self.quantized_call(node, ep)
        if call is not None:
            return call.nodes
        product, constants = product_of(node), program_constants(ep)
        return [*prepared_constants(node, constants), node] if product is None else product.taken(constants)


_PRECISIONS = {
    StaticCall: ConfigPrecisionType.STATIC_QUANT,
    DynamicCall: ConfigPrecisionType.DYNAMIC_QUANT,
    type(None): ConfigPrecisionType.FP32,
}


def _general_refusal(tensors: list[torch.Tensor]) -> str | None:
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) != 1 or not dtypes <= set(_DTYPES):
        found = ", ".join(sorted(str(dtype).removeprefix("torch.") for dtype in dtypes))
        return f"XNNPACK calculates in float32 or float16, here are {found}"
    if any(tensor.dim() > _MOST_DIMENSIONS for tensor in tensors):
        return f"a tensor has more than {_MOST_DIMENSIONS} dimensions"
    if any(isinstance(size, int) and size == 0 for tensor in tensors for size in tensor.shape):
        return "a tensor is empty"
    return None


def constant_refusal(node: Any, what: str, ep: ExportedProgram) -> str | None:
    """A refusal unless ``node`` is a constant of the program, or made of such (None counts as one)."""
    if node is None or (isinstance(node, Node) and program_constants(ep).has(node)):
        return None
    return f"{what} is calculated by the model; it has to be a constant"


def symbolic_sizes(value: torch.Tensor) -> int:
    """How many sizes are known at run time only."""
    return sum(not isinstance(size, int) for size in value.shape)


def is_single(value: torch.Tensor) -> bool:
    """Whether a tensor has one element."""
    return symbolic_sizes(value) == 0 and math.prod(value.shape) == 1
