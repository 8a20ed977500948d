"""Softmaxes that take care of rows which are masked as a whole, where nothing masks."""

from __future__ import annotations

from typing import Any, Final

from torch.fx import Node

from executorch.backends.cadence.passes.edits import ATEN, dtype
from executorch.ir.rewriter import call_like, is_call, replace
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_PRODUCTS: Final = (ATEN.matmul.default, ATEN.mm.default, ATEN.bmm.default, ATEN.baddbmm.default)
#: Of numbers these make numbers, each of one.
_BETWEEN: Final = (
    ATEN.mul.Tensor,
    ATEN.mul.Scalar,
    ATEN.div.Tensor,
    ATEN.view.default,
    ATEN._unsafe_view.default,
    ATEN.expand.default,
)


class ReplaceSafeSoftmaxWithSoftmax(GraphPass):
    """``_safe_softmax`` of a product of matrices becomes ``_softmax``, before there are edge operators.

    The former gives zeros for a row of nothing but ``-inf``, at the cost of several operators more. A product of numbers has no
    such row; behind a mask there may be one, and the softmax stays as it is.
    """

    def rewrite_node(self, node: Node) -> bool:
        if not is_call(node, ATEN._safe_softmax.default) or not _is_product(node.args[0]):
            return False
        if dtype(node) != dtype(node.args[0]):
            return False
        replace(node, call_like(node, ATEN._softmax.default, (node.args[0], node.args[1], False)))
        return True


def _is_product(node: Any) -> bool:
    while is_call(node, *_BETWEEN):
        others = [one for one in node.all_input_nodes if one is not node.args[0]]
        if any((tensor_of(one) is None or one.op != "get_attr") for one in others):
            return False
        node = node.args[0]
    return is_call(node, *_PRODUCTS)


__all__ = ["ReplaceSafeSoftmaxWithSoftmax"]
