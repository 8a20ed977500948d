"""Numbers in place of infinities, which no integer stands for."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.arm.common.pipeline_config import QuantizeInfConfig
from executorch.passes.infrastructure.pass_base import PassBase

#: What no pass before annotation may change: a key of nodes' ``meta``.
DISALLOW_TFA_META_KEY = "_arm_disallow_tfa"
#: A limit or the operand of a comparison may be infinite.
_TAKES_INFINITY = ("clamp", "hardtanh", "norm", "eq", "ne", "gt", "ge", "lt", "le", "isinf", "nan_to_num")


class ReplaceInfAndLimitValuesPass(PassBase):
    """Infinite constants and arguments become finite, in place.

    Args:
        neg_inf, pos_inf: what they become.
    """

    def __init__(
        self,
        neg_inf: float = QuantizeInfConfig.neg_inf,
        pos_inf: float = QuantizeInfConfig.pos_inf,
        *,
        tfa_pass: bool = False,
    ) -> None:
        super().__init__()
        self.neg_inf, self.pos_inf = neg_inf, pos_inf
        #: Whether it runs before annotation, where nodes may be out of bounds.
        self.is_tfa_pass = tfa_pass

    def call(self, graph_module: GraphModule) -> PassResult:
        changed = False
        for node in graph_module.graph.nodes:
            if node.op == "get_attr" and all(map(self._may_change, node.users)):
                changed |= self._constant(graph_module, str(node.target))
            elif node.op == "call_function" and self._may_change(node) and not _takes_infinity(node):
                args = tuple(map(self._finite, node.args))
                changed |= any(one is not other for one, other in zip(args, node.args, strict=True))
                node.args = args
        if changed:
            graph_module.recompile()
        return PassResult(graph_module, changed)

    def _may_change(self, node: Node) -> bool:
        return not (self.is_tfa_pass and node.meta.get(DISALLOW_TFA_META_KEY, False))

    def _finite(self, value: Any) -> Any:
        if not isinstance(value, float) or not math.isinf(value):
            return value
        return self.pos_inf if value > 0 else self.neg_inf

    def _constant(self, module: GraphModule, target: str) -> bool:
        """Under the same name; the tensor of others who have it stays as it is."""
        path, _, name = target.rpartition(".")
        owner: Any = module.get_submodule(path)
        stored = getattr(owner, name)
        if not isinstance(stored, torch.Tensor) or not stored.is_floating_point() or not stored.isinf().any():
            return False
        made = stored.detach().nan_to_num(nan=math.nan, posinf=self.pos_inf, neginf=self.neg_inf)
        setattr(owner, name, torch.nn.Parameter(made, False) if name in owner._parameters else made)
        return True


def _takes_infinity(node: Node) -> bool:
    name = str(node.target).removeprefix("aten.").split(".")[0].rstrip("_")
    return any(name == one or (len(one) > 2 and one in name) for one in _TAKES_INFINITY)
