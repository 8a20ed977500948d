"""Released passes over ranks, sizes and types of operands."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

import executorch.backends.arm.tosa.dialect  # noqa: F401 - registers its operators.
from executorch.backends.arm.published._passes.rule_pass import RulePass
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.specification import get_context_spec
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, new_call
from executorch.ir.values import shape_of, tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


def _repeat(node: Node) -> Node | None:
    source, size = node.args[0], list(node.meta[meta_keys.VAL].shape)
    shape = shape_of(source)
    if shape is None or any(isinstance(one, torch.SymInt) for one in (*shape, *size)):
        return None
    wide = [1] * (len(size) - len(shape)) + list(shape)
    return call_like(node, _aten.repeat.default, (source, [a // b for a, b in zip(size, wide, strict=True)]))


class ConvertExpandCopyToRepeatPass(RulePass):
    """``expand_copy`` as ``repeat``."""

    rules = {_aten.expand_copy.default: _repeat}


def _unsqueezed(node: Node) -> Node | None:
    shape, times = list(shape_of(node.args[0]) or []), node.args[1]
    missing = len(times) - len(shape)  # type: ignore[arg-type]
    if missing <= 0:
        return None
    wide = call_like(node, _aten.view_copy.default, (node.args[0], [1] * missing + shape))
    return call_like(node, _aten.repeat.default, (wide, times))


class UnsqueezeBeforeRepeatPass(RulePass):
    """A tensor has as many dimensions as it is repeated in."""

    rules = {_aten.repeat.default: _unsqueezed}


#: Operators whose operands TOSA wants of one rank.
_ELEMENTWISE = {
    *("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "maximum.default", "minimum.default"),
    *("pow.Tensor_Tensor", "where.self", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor"),
    *("bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor"),
    *("logical_and.default", "logical_or.default", "logical_xor.default"),
    *(f"{one}.Tensor" for one in ("eq", "ne", "gt", "ge", "lt", "le")),
}
_TOSA = {
    *(
        "ADD",
        "SUB",
        "MUL",
        "INTDIV",
        "MAXIMUM",
        "MINIMUM",
        "POW",
        "SELECT",
        "EQUAL",
        "GREATER",
        "GREATER_EQUAL",
    ),
    *("ARITHMETIC_RIGHT_SHIFT", "LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT"),
    *(f"{kind}_{one}" for kind in ("BITWISE", "LOGICAL") for one in ("AND", "OR", "XOR")),
}


def _operands(node: Node) -> list[Node]:
    """The tensors that an elementwise operator takes together; none of another node."""
    kind, _, name = name_of(node).partition(".")
    if name not in _ELEMENTWISE and (kind != "tosa" or name.partition(".")[0] not in _TOSA):
        return []
    return [one for one in node.args if isinstance(one, Node) and tensor_of(one) is not None]


class MatchArgRanksPass(GraphPass):
    """Operands of one rank, by dimensions of size 1 in front.

    Args:
        exported_program: taken as released passes take it; what is stored is reshaped where it is read.
    """

    def __init__(self, exported_program: Any = None) -> None:
        super().__init__()

    def rewrite_node(self, node: Node) -> bool:
        found = _operands(node) if node.op == "call_function" else []
        ranks = [len(shape_of(one) or ()) for one in found]
        changed = False
        for one, rank in zip(found, ranks, strict=True):
            if rank < max(ranks):
                shape = [1] * (max(ranks) - rank) + list(shape_of(one) or ())
                with node.graph.inserting_before(node):
                    view = new_call(node, ops.edge.aten.view_copy.default, (one, shape))
                node.replace_input_with(one, view)
                changed = True
        return changed


class BroadcastArgsPass(GraphPass):
    """Ethos-U55 broadcasts one operand; where both would be, the first is repeated. Other targets broadcast both."""

    def rewrite_node(self, node: Node) -> bool:
        if not get_context_spec().is_U55_subset or node.op != "call_function":
            return False
        found, made = _operands(node), shape_of(node)
        if made is None:
            return False
        wide = [one for one in found if list(shape_of(one) or ()) != list(made)]
        if len(wide) < 2:
            return False
        for one in wide[1:]:
            shape = list(shape_of(one) or ())
            shape = [1] * (len(made) - len(shape)) + shape
            times = [a // b for a, b in zip(made, shape, strict=True)]
            node.replace_input_with(one, call_like(node, _aten.repeat.default, (one, times)))
        return True


class DeduplicateGetAttrPass(GraphPass):
    """Each reader of a stored tensor reads it under a name of its own; the tensor is one."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.find_nodes(op="get_attr")):
            path, _, name = str(node.target).rpartition(".")
            owner: Any = graph_module.get_submodule(path)
            for number, user in enumerate(list(node.users)[1:], 1):
                free = f"{name}_reader_{number}"
                while hasattr(owner, free):
                    free += "_"
                stored = getattr(owner, name)
                if isinstance(stored, torch.nn.Parameter):
                    owner.register_parameter(free, stored)
                elif isinstance(stored, torch.Tensor):
                    owner.register_buffer(free, stored)
                else:
                    break
                with graph_module.graph.inserting_after(node):
                    copy = graph_module.graph.get_attr(f"{path}.{free}" if path else free)
                copy.meta = dict(node.meta)
                user.replace_input_with(node, copy)
                changed = True
        return changed


class EnsureUniqueOutputNodesPass(GraphPass):
    """What is returned more than once is each time a copy of its own."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        output = graph_module.graph.output_node()
        results: Any = list(output.args[0])  # type: ignore[arg-type]
        again = {one for one in results if isinstance(one, Node) and results.count(one) > 1}
        if not again:
            return False
        for place, one in enumerate(results):
            if one in again:
                with graph_module.graph.inserting_before(output):
                    results[place] = new_call(one, ops.backend.tosa.IDENTITY.default, (one,))
        output.args = (tuple(results),)
        return True


def _of_a_batch(node: Node) -> Node | None:
    source = node.args[0]
    if len(shape_of(source) or ()) != 3:
        return None
    batch = call_like(node, _aten.unsqueeze_copy.default, (source, 0))
    pooled = call_like(node, _aten.max_pool2d.default, (batch, *node.args[1:]))
    return call_like(node, _aten.squeeze_copy.dims, (pooled, [0]))


class NormalizeMaxPool2dInputRankPass(RulePass):
    """A pool over one image as one over a batch of it."""

    rules = {_aten.max_pool2d.default: _of_a_batch}


class PromoteBoolOperandsPass(GraphPass):
    """Truths among numbers become numbers of their type; truths alone stay on operators that have them."""

    def rewrite_node(self, node: Node) -> bool:
        found = _operands(node) if isinstance(node.target, EdgeOpOverload) else []
        if is_call(node, _aten.where.self):
            found = found[1:]
        types = [one.meta[meta_keys.VAL].dtype for one in found]
        numbers = [one for one in types if one is not torch.bool]
        if not numbers or len(numbers) == len(types):
            return False
        for one, dtype in zip(found, types, strict=True):
            if dtype is torch.bool:
                to = ops.edge.dim_order_ops._to_dim_order_copy.default
                node.replace_input_with(one, call_like(node, to, (one,), {"dtype": numbers[0]}))
        return True
