"""Why a backend leaves a call because of its tensors, in words; None where nothing speaks against it."""

from __future__ import annotations

import operator
from collections.abc import Collection, Container, Iterable

import torch
from torch.fx import Node

from executorch.backends.transforms.operands import rank, results_read
from executorch.dialects.dim_order import dim_order_of
from executorch.ir.rewriter import arguments
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

Types = Collection[torch.dtype]


def tensors_around(node: Node) -> list[torch.Tensor]:
    """The tensors that a call makes and reads."""
    return [*results_read(node), *(one for source in node.all_input_nodes for one in results_read(source))]


def wrong_shapes(values: Iterable[torch.Tensor], most_dimensions: int, most_elements: int) -> str | None:
    """Dimensions, elements and strides that a backend of contiguous tensors does not have."""
    for value in values:
        if value.dim() > most_dimensions:
            return f"{value.dim()} dimensions; there are {most_dimensions} at most"
        bounds = [upper_bound(size) for size in value.shape]
        if None in bounds:
            return f"sizes {tuple(value.shape)} have no upper bound. Way out: torch.export.Dim(..., max=...)"
        elements = 1
        for bound in bounds:
            elements *= bound or 0
        if elements == 0:
            return "a tensor has no elements"
        if elements > most_elements:
            return f"a tensor of {elements} elements; there are {most_elements} at most"
        if dim_order_of(value.shape, value.stride()) != tuple(range(value.dim())):
            return f"a tensor of strides {value.stride()}; tensors of the delegate are contiguous"
    return None


def changing_sizes(values: Iterable[torch.Tensor]) -> bool:
    """Whether one of the tensors has sizes that change from run to run."""
    return any(not isinstance(size, int) for value in values for size in value.shape)


def first_result_only(node: Node, _: Container[Node]) -> str | None:
    """For operators of several results of which a backend gives the first."""
    for user in node.users:
        if user.users and (user.target is not operator.getitem or user.args[1] != 0):
            return "more than its first result is read"
    return None


def images(node: Node, _: Container[Node]) -> str | None:
    """For operators on four dimensions."""
    dimensions = rank(node.args[0])
    return None if dimensions == 4 else f"an input of {dimensions} dimensions; it takes four"


def constant_weights(node: Node, constants: Container[Node]) -> str | None:
    """For layers whose weight and bias are prepared ahead of time."""
    named = arguments(node)
    if any(named[one] is not None and named[one] not in constants for one in ("weight", "bias")):
        return "its weight or bias is calculated by the model"
    return None


def operand_types(node: Node, others: Collection[int] = ()) -> set[torch.dtype]:
    """The element types of the operands, without those at positions ``others``."""
    found: set[torch.dtype] = set()
    for position, argument in enumerate(node.args):
        if position not in others:
            sources = argument if isinstance(argument, list | tuple) else [argument]
            read = [one for source in sources if isinstance(source, Node) for one in results_read(source)]
            found |= {one.dtype for one in read}
    return found


def wrong_types(
    node: Node, dtypes: Types, results: Types = (), others: Collection[tuple[int, Types]] = ()
) -> str | None:
    """Element types that an operator of a backend does not take or make.

    Args:
        node: the call.
        dtypes: of the tensors that it works on, which have one type together.
        results: those of its results where they are others.
        others: position of an argument -> the element types of that one, where they are others.
    """
    apart = dict(others)
    allowed = [(apart[position], operand_types_at(node, position)) for position in apart]
    kinds = operand_types(node, apart)
    for wanted, found in [*allowed, (dtypes, kinds)]:
        for one in found:
            if one not in wanted:
                return f"an operand of type {one}; it takes {listed(wanted)}"
    if len(kinds) > 1:
        return f"operands of types {listed(kinds)}; all must have one"
    made = {one.dtype for one in results_read(node)}
    if not made <= set(results or dtypes):
        return f"a result of type {listed(made)}; it makes {listed(results or dtypes)}"
    if not results and kinds and not made <= kinds:
        return f"a result of type {listed(made)} of operands of type {listed(kinds)}"
    return None


def operand_types_at(node: Node, position: int) -> set[torch.dtype]:
    """The element types of the argument at one position."""
    return operand_types(node, set(range(len(node.args))) - {position})


def listed(kinds: Iterable[torch.dtype]) -> str:
    """Types in order."""
    return ", ".join(sorted(str(one) for one in kinds))
