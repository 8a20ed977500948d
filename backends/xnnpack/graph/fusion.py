"""What one XNNPACK node can do at once: a convolution with its batch norm, any arithmetic with a clamp behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import Constants
from executorch.backends.xnnpack.graph.products import product_of
from executorch.ir.rewriter import is_call
from executorch.partitioner.selection.partition_proposals import operator_name
from executorch.passes.optimization.batch_norm import BATCH_NORMS, first_result

#: XNNPACK nodes that clamp their result for nothing.
CLAMPING = {
    "aten.add.Scalar",
    "aten.add.Tensor",
    "aten.addmm.default",
    "aten.avg_pool2d.default",
    "aten.convolution.default",
    "aten.div.Scalar",
    "aten.div.Tensor",
    "aten.linear.default",
    "aten.max_pool2d.default",
    "aten.mm.default",
    "aten.mul.Scalar",
    "aten.mul.Tensor",
    "aten.sub.Scalar",
    "aten.sub.Tensor",
}


@dataclass
class Fusions:
    """Which nodes are done by which.

    Attributes:
        absorbed: nodes that add nothing of their own.
        activation: node -> (the node whose result it produces, lower limit, upper limit).
        batch_norm: convolution -> the batch norm folded into its weights.
    """

    absorbed: set[Node] = field(default_factory=set)
    activation: dict[Node, tuple[Node, float, float]] = field(default_factory=dict)
    batch_norm: dict[Node, Node] = field(default_factory=dict)

    def result_of(self, node: Node) -> tuple[Node, tuple[float, float] | None]:
        """The node whose value ``node`` computes with everything fused into it, and the limits of that value."""
        last = first_result(self.batch_norm[node]) if node in self.batch_norm else node
        if last in self.activation:
            result, low, high = self.activation[last]
            return result, (low, high)
        return last, None


def clamp_limits(node: Node) -> tuple[float, float] | None:
    """The range of an activation that only clamps, None for any other node."""
    name = operator_name(node.target)
    if name == "aten.relu.default":
        return 0.0, math.inf
    if name not in ("aten.hardtanh.default", "aten.clamp.default"):
        return None
    defaults = (-1.0, 1.0) if name == "aten.hardtanh.default" else (None, None)
    names = ("min_val", "max_val") if name == "aten.hardtanh.default" else ("min", "max")
    given = [
        node.args[1 + i] if len(node.args) > 1 + i else node.kwargs.get(names[i], defaults[i])
        for i in range(2)
    ]
    if any(isinstance(limit, Node) for limit in given):
        return None
    low = -math.inf if given[0] is None else float(given[0])  # type: ignore[arg-type]
    high = math.inf if given[1] is None else float(given[1])  # type: ignore[arg-type]
    return (low, high) if low < high else None


def foldable_batch_norm(node: Node) -> Node | None:
    """The batch norm that is all that happens to a convolution's result, if it can be folded into the weights."""
    if operator_name(node.target) != "aten.convolution.default" or len(node.users) != 1:
        return None
    user = next(iter(node.users))
    if not is_call(user, *BATCH_NORMS) or user.args[0] is not node:
        return None
    if node.args[6] and node.args[8] != 1:
        return None
    used = [one for one in user.users if one.users or one.args[1:] == (0,)]
    return user if len(used) == 1 and used[0].args[1:] == (0,) else None


def find_fusions(program: ExportedProgram, constants: Constants) -> Fusions:
    """Everything in a subgraph that one XNNPACK node does with its predecessor."""
    found = Fusions()
    for node in program.graph.nodes:
        if node.op != "call_function":
            continue
        batch_norm = foldable_batch_norm(node)
        if batch_norm is None:
            continue
        weight = node.args[1]
        # A quantized weight stays as it is.
        if isinstance(weight, Node) and weight.op == "placeholder" and constants.has(weight):
            found.batch_norm[node] = batch_norm
            found.absorbed.update([batch_norm, *batch_norm.users])
    products = {one.result: one.node for one in map(product_of, program.graph.nodes) if one is not None}
    for node in program.graph.nodes:
        if node.op != "call_function":
            continue
        limits = clamp_limits(node)
        before = node.args[0] if limits is not None else None
        if isinstance(before, Node) and before in products and len(before.users) == 1:
            before = products[before]
        if isinstance(before, Node) and limits and _clamps(before, found) and len(before.users) == 1:
            found.activation[before] = (node, *limits)
            found.absorbed.add(node)
    return found


def _clamps(node: Node, found: Fusions) -> bool:
    if node in found.absorbed:
        return any(first_result(norm) is node for norm in found.batch_norm.values())
    return node.op == "call_function" and operator_name(node.target) in CLAMPING
