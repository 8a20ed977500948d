"""Operators on integers in place of those in floating point between dequantizations and a quantization."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.cortex_m.passes import fold_layers, fold_simple  # noqa: F401  (register themselves)
from executorch.backends.cortex_m.passes.fold_simple import table
from executorch.backends.cortex_m.passes.folding import Call
from executorch.backends.cortex_m.passes.quantized_values import (
    DTYPES,
    Bounds,
    integers_of,
    limits_of,
    name_of,
    narrow,
    quantized_by,
)
from executorch.backends.cortex_m.passes.replace_quant_nodes_pass import ReplaceQuantNodesPass
from executorch.backends.cortex_m.target_config import InstructionSet
from executorch.ir.rewriter import replace
from executorch.ir.signature import constant_values, sync_signature
from executorch.ir.values import value_of
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

#: Operators whose kernels bound their results, so that an activation behind costs nothing.
_BOUNDED = {"aten::add", "aten::convolution", "aten::linear", "aten::max_pool2d", "aten::sub"}


class FoldQuantizedPass(ExportedProgramPassBase):
    """Makes ``cortex_m`` operators of ``quantize(op(dequantize(x), ...))``; what none is made of stays.

    An activation that clamps becomes the bounds of the layer before it; other functions of one element become tables,
    several in a row one. Quantizations that remain become those of ``cortex_m``.

    Args:
        backend: instructions that kernels may use.
    """

    def __init__(self, backend: InstructionSet = InstructionSet.MVE) -> None:
        self.backend = backend

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        graph = exported_program.graph
        constants = constant_values(exported_program)
        modified = False
        for node in list(graph.nodes):
            output = quantized_by(node)
            if output is None or not isinstance(node.args[0], Node):
                continue
            source = _copied(node.args[0])
            folded = _fold(Call(exported_program, constants, source, node, output, self.backend))
            if folded is not None:
                replace(node, folded)
                modified = True
        modified |= ReplaceQuantNodesPass()(exported_program.graph_module).modified
        if modified:
            graph.eliminate_dead_code()
            sync_signature(exported_program)
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)


def _fold(call: Call) -> Node | None:
    source, output = call.node, call.output
    have = integers_of(source, output.dtype)
    if have is not None and have.quant == output:
        return have.node
    before, bounds = _clamped(source)
    narrowed = None if before is None else narrow(output, bounds)
    if before is not None and narrowed is not None and name_of(before) in _BOUNDED:
        made = _made(dataclasses.replace(call, node=before, output=narrowed))
        if made is not None:
            return made
    made = _made(call)
    if made is None and output.dtype is torch.int8:
        made = table(call)
    if made is None and before is not None and narrowed is not None:
        whole = _made(dataclasses.replace(call, node=before))
        if whole is not None:
            made = call.call(torch.ops.aten.clamp.default, whole, narrowed.low, narrowed.high)
    return made


def _made(call: Call) -> Node | None:
    known = call.folds.get(name_of(call.node))
    return known(call) if known is not None else None


def _copied(node: Node) -> Node:
    """What is copied, if it is a quantized value or nobody reads it but copies that lie in memory as it does; a functional variant of a view makes one."""
    while name_of(node) == "dim_order_ops::_clone_dim_order":
        before: Any = node.args[0]
        if value_of(before).stride() != value_of(node).stride():
            break
        if len(before.users) > 1 and integers_of(before, *DTYPES) is None:
            break
        node = before
    return node


def _clamped(node: Node) -> tuple[Node | None, Bounds]:
    """What an activation that only clamps is applied to, if nobody else reads it, and its bounds."""
    bounds = limits_of(node)
    if bounds is None:
        return None, (None, None)
    before = node.args[0]
    return (before if isinstance(before, Node) and len(before.users) == 1 else None), bounds


__all__ = ["FoldQuantizedPass"]
