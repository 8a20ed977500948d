"""Whether the delegate takes a node, and why not."""

from __future__ import annotations

from torch.fx import Node

from executorch.backends.apple.mps.operators import OPERATORS
from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.refusals import (
    changing_sizes,
    tensors_around,
    wrong_shapes,
    wrong_types,
)

#: Of Metal's arrays.
MOST_DIMENSIONS = 16
#: Sizes are numbers of 32 bits, with a sign.
_MOST_ELEMENTS = 2**31 - 1


def refusal(node: Node, constants: Constants) -> str | None:
    """Why a node is not taken, None if it is.

    Args:
        node: a call.
        constants: of the program.
    """
    row = OPERATORS.get(name_of(node))
    if row is None:
        return f"{name_of(node) or node.target} is not in the table of the MPS delegate's operators"
    if any(constants.changes(one) for one in node.all_input_nodes):
        return "it reads state that the program writes; such state stays outside"
    values = tensors_around(node)
    if changing_sizes(values):
        return "its sizes change from run to run; the graph of the delegate has fixed ones"
    return (
        wrong_shapes(values, MOST_DIMENSIONS, _MOST_ELEMENTS)
        or wrong_types(node, row.dtypes, row.results, row.others)
        or next((why for check in row.checks if (why := check(node, constants)) is not None), None)
    )
