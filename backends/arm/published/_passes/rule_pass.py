"""Passes that write calls of some operators with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.arm.quantizer.decompositions import Rule, apply_rule
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.dialects.edge_ops import aten_op
from executorch.passes.infrastructure.pass_base import GraphPass


class RulePass(GraphPass):
    """Applies a rule to each call of an operator that has one, of either dialect.

    Args:
        exported_program: taken as released passes take it; no rule needs it.
        tfa_pass: it runs before annotation, where nodes may be out of bounds.
    """

    rules: Mapping[Any, Rule] = {}

    def __init__(self, exported_program: ExportedProgram | None = None, *, tfa_pass: bool = False) -> None:
        super().__init__()
        self.is_tfa_pass = tfa_pass

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            changed |= node.op == "call_function" and self.rewrite_node(node)
        return changed

    def rewrite_node(self, node: Node) -> bool:
        rule = self.rules.get(aten_op(node.target))
        if rule is None or (self.is_tfa_pass and node.meta.get(DISALLOW_TFA_META_KEY, False)):
            return False
        return apply_rule(rule, node)
