"""What every operator's config checks, and the precisions it may be taken in."""

from __future__ import annotations

import enum
import logging
import math
from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import prepared_constants, program_constants
from executorch.backends.xnnpack.graph.dynamic import DYNAMIC_OPERATORS, DynamicCall, dynamic_call
from executorch.backends.xnnpack.graph.products import product_of
from executorch.backends.xnnpack.graph.quantized import QUANTIZED_OPERATORS, StaticCall, static_call
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import example_int
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner.selection.config_partitioner import PartitionerConfig, format_target_name
from executorch.partitioner.selection.reasons import note_reason

logger = logging.getLogger("executorch.backends.xnnpack.partition")

_DTYPES = (torch.float32, torch.float16)
#: XNNPACK's limit.
MOST_DIMENSIONS = 6


class ConfigPrecisionType(enum.Enum):
    """In which arithmetic an operator may be delegated."""

    FP32 = 1
    STATIC_QUANT = 2
    DYNAMIC_QUANT = 3


def operands_and_results(node: Node) -> list[torch.Tensor]:
    """The tensors that a node reads and makes; the first of several results stands for them."""
    values: list[Any] = [one.meta.get(meta_keys.VAL) for one in [*node.all_input_nodes, node]]
    first = [value[0] if isinstance(value, tuple | list) else value for value in values]
    return [value for value in first if isinstance(value, torch.Tensor)]


class XNNPartitionerConfig(PartitionerConfig):
    """One operator that XNNPACK has.

    A subclass names the operator and says in ``refusal`` what it cannot take. What is refused stays outside, with
    the reason in the table of reasons and, at level DEBUG, in the log.

    Args:
        enable_bf16: takes uses in bfloat16 too, where the subclass has them.
    """

    def __init__(self, enable_bf16: bool = False, **kwargs: Any) -> None:
        super().__init__()
        self.enable_bf16 = enable_bf16
        self.enabled_precision_types: list[ConfigPrecisionType] = self.supported_precision_types()

    def supported_precision_types(self) -> list[ConfigPrecisionType]:
        """In which arithmetic this config can work; ``enabled_precision_types`` narrows it."""
        named = {name for name in QUANTIZED_OPERATORS if format_target_name(name) == self.target_name}
        static = [ConfigPrecisionType.STATIC_QUANT] if named else []
        dynamic = [ConfigPrecisionType.DYNAMIC_QUANT] if named & DYNAMIC_OPERATORS else []
        return [ConfigPrecisionType.FP32, *static, *dynamic]

    def set_enabled_precision_types(self, precision_types: list[ConfigPrecisionType] | None) -> None:
        """Leaves only these of the supported precisions; None or an empty list leaves all."""
        if precision_types:
            supported = self.supported_precision_types()
            self.enabled_precision_types = [one for one in supported if one in precision_types]

    def get_original_aten(self) -> OpOverload | None:
        return None

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        """Why this use of the operator cannot be taken, None if it can."""
        return None

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        """The tensors that XNNPACK gets and makes; their dtypes and sizes are checked."""
        return operands_and_results(node)

    def dtypes(self, node: Node, ep: ExportedProgram) -> tuple[torch.dtype, ...]:
        """The dtypes of which the tensors may have one."""
        return _DTYPES

    def quantized_call(self, node: Node, ep: ExportedProgram) -> StaticCall | DynamicCall | None:
        """How this use of the operator is quantized, None if it calculates in floating point.

        One that is quantized in a way that is not enabled, where floating point is, calculates between the conversions.
        """
        constants = program_constants(ep)
        call = static_call(node, constants) or dynamic_call(node, constants)
        enabled = self.enabled_precision_types
        fits = _PRECISIONS[type(call)] in enabled or ConfigPrecisionType.FP32 not in enabled
        return call if fits else None

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        why = self._common_refusal(node, ep) or self.refusal(node, ep)
        return not self.refuse(node, why)

    def check_common_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        """Whether tensors and precision are such as XNNPACK and this config take, whatever the operator."""
        return not self.refuse(node, self._common_refusal(node, ep))

    def _common_refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        precision = _PRECISIONS[type(self.quantized_call(node, ep))]
        if precision not in self.enabled_precision_types:
            return f"its precision {precision.name} is not enabled"
        if program_constants(ep).has(node):
            return "it is made of constants alone; who reads it takes it"
        return _general_refusal(self.tensors(node, ep), self.dtypes(node, ep))

    def _check_inputs_are_valid_dtypes(self, node: Node, valid_dtypes: Iterable[torch.dtype]) -> bool:
        found = {value.dtype for one in node.all_input_nodes for value in operands_and_results(one)[-1:]}
        return found <= set(valid_dtypes)

    def _check_outputs_are_valid_dtypes(self, node: Node, valid_dtypes: Iterable[torch.dtype]) -> bool:
        return {value.dtype for value in operands_and_results(node)[-1:]} <= set(valid_dtypes)

    def _check_node_has_valid_dtype(self, node: Node) -> bool:
        inputs = self._check_inputs_are_valid_dtypes(node, _DTYPES)
        return inputs and self._check_outputs_are_valid_dtypes(node, _DTYPES)

    def refuse(self, node: Node, why: str | None) -> bool:
        """Notes and logs why ``node`` is not taken; False if there is no reason not to."""
        if why is not None:
            note_reason(node, type(self).__name__, why)
            logger.debug("not taking %s (%s): %s", node.name, self.target_name, why)
        return why is not None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """``node`` with all that is done by the one XNNPACK node that it becomes; nothing if it is not taken."""
        return self.get_node_and_deps(node, ep) if self.check_constraints(node, ep) else []

    def get_node_and_deps(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """``node``, which this config takes, with all that is done by the one XNNPACK node that it becomes."""
        call = self.quantized_call(node, ep)
        if call is not None:
            return call.nodes
        product, constants = product_of(node), program_constants(ep)
        return [*prepared_constants(node, constants), node] if product is None else product.taken(constants)


class GenericNodePartitionerConfig(XNNPartitionerConfig):
    """An operator without weights.

    Args:
        fused_act: operators that are done with it, by name, such as ``relu.default``; what XNNPACK clamps for nothing is
            found in any case.
    """

    def __init__(self, fused_act: list[str] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fused_acts = list(fused_act or [])


class ValuesConfig(GenericNodePartitionerConfig):
    """Maxima without their positions."""

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        positions = any(user.users for user in node.users if user.args[1:] != (0,))
        if positions:
            return not self.refuse(node, "the positions of the maxima are used")
        return super().check_constraints(node, ep)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*taken, *node.users] if taken else []


_PRECISIONS = {
    StaticCall: ConfigPrecisionType.STATIC_QUANT,
    DynamicCall: ConfigPrecisionType.DYNAMIC_QUANT,
    type(None): ConfigPrecisionType.FP32,
}


def _general_refusal(tensors: list[torch.Tensor], taken: tuple[torch.dtype, ...]) -> str | None:
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) != 1 or not dtypes <= set(taken):
        known, found = " or ".join(map(_short, taken)), ", ".join(sorted(map(_short, dtypes)))
        return f"XNNPACK calculates in {known}, here are {found}"
    if any(tensor.dim() > MOST_DIMENSIONS for tensor in tensors):
        return f"a tensor has more than {MOST_DIMENSIONS} dimensions"
    if any(isinstance(size, int) and size == 0 for tensor in tensors for size in tensor.shape):
        return "a tensor is empty"
    if any(example_int(size) < 1 for tensor in tensors for size in tensor.shape):
        return "of a tensor no size is known to begin with: it is calculated from data of the run"
    return None


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def constant_refusal(node: Any, what: str, ep: ExportedProgram) -> str | None:
    """A refusal unless ``node`` is a constant of the program, or made of such (None counts as one)."""
    constants = program_constants(ep)
    if node is None or (isinstance(node, Node) and constants.has(node)):
        return None
    if isinstance(node, Node) and constants.changes(node):
        return f"{what} changes between runs (it is trained, or the model writes it); it has to be a constant"
    return f"{what} is calculated by the model; it has to be a constant"


def symbolic_sizes(value: torch.Tensor) -> int:
    """How many sizes are known at run time only."""
    return sum(map(is_symbolic, value.shape))


def is_single(value: torch.Tensor) -> bool:
    """Whether a tensor has one element."""
    return symbolic_sizes(value) == 0 and math.prod(value.shape) == 1


def argument(node: Node, position: int, name: str, default: Any = None) -> Any:
    """An argument by position or by name."""
    return node.args[position] if len(node.args) > position else node.kwargs.get(name, default)


def is_symbolic(size: object) -> bool:
    """Whether a size is known only when the program runs."""
    return not isinstance(size, int)
