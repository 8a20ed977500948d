"""Base classes and functions of passes that move, merge and remove transpositions and views."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket, aten_op
from executorch.ir.rewriter import arguments, edit
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.infrastructure.pass_base import GraphPass


def get_edge_overload_packet(edge_op: EdgeOpOverload) -> EdgeOpOverloadPacket:
    """All overloads of the operator that ``edge_op`` is one of."""
    return edge_op.overloadpacket


def get_shape(graph_module: GraphModule, node: Node) -> torch.Size | None:
    """The sizes of a node's tensor, also of an attribute of the module; None where it has none."""
    value = tensor_of(node)
    if value is None and node.op == "get_attr":
        value = getattr(graph_module, str(node.target), None)
    return value.shape if isinstance(value, torch.Tensor) else None


def get_transposed_dims(node: Node, dims: list[int] | None = None) -> list[int]:
    """``dims`` (by default 0, 1, 2, ...) with the two places exchanged that the transposition ``node`` exchanges."""
    named = arguments(node)
    first, second = named["dim0"], named["dim1"]
    if dims is None:
        source = tensor_of(named["self"])
        assert source is not None, node
        dims = list(range(source.dim()))
    new = list(dims)
    new[first], new[second] = new[second], new[first]
    return new


def get_permuted_dims(node: Node, dims: list[int]) -> list[int]:
    """``dims`` in the order that the permutation ``node`` gives them."""
    return [dims[dim] for dim in arguments(node)["dims"]]


def get_arg(node: Node, kwarg_name: str, expected_type: Any = None) -> Any:
    """The argument of this name, wherever it stands; its default where it is left out.

    Raises:
        KeyError: the operator has no such argument.
        TypeError: the argument is of another type than ``expected_type``, a class.
    """
    # Of a function that is no operator only what is given by name is known.
    named = dict(node.kwargs) if aten_op(node.target) is None else arguments(node)
    if kwarg_name not in named:
        raise KeyError(f"{node.target} has no argument {kwarg_name!r}: it has {', '.join(named)}")
    value = named[kwarg_name]
    if isinstance(expected_type, type) and not isinstance(value, expected_type):
        raise TypeError(
            f"argument {kwarg_name!r} of {node} is a {type(value).__name__}, not a {expected_type.__name__}"
        )
    return value


def set_arg(node: Node, kwarg_name: str, value: Any) -> None:
    """Gives the argument of this name another value, at its place.

    Raises:
        KeyError: the operator has no such argument.
    """
    op = aten_op(node.target)
    schema = [] if op is None else op._schema.arguments
    for position, argument in enumerate(schema):
        if argument.name == kwarg_name:
            if position < len(node.args):
                node.update_arg(position, value)
            else:
                node.update_kwarg(kwarg_name, value)
            return
    raise KeyError(f"{node.target} has no argument {kwarg_name!r}")


class HierarchicalInplacePassInterface(GraphPass, ExportPass):
    """The published face of a :class:`GraphPass` over a whole graph: ``_apply_flat_inplace`` is its ``rewrite_graph``.

    It is an ``ExportPass`` too, since published code asks for one. Own passes are plain ``GraphPass``es, unless they
    are published as one of these, with ``apply_inplace``, ``targets`` and what else their users call and override.
    """

    @abc.abstractmethod
    def _apply_flat_inplace(self, graph_module: GraphModule) -> bool:
        """Edits one graph; returns whether it changed."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        return self._apply_flat_inplace(graph_module)

    def _apply_hierarchical_inplace(self, graph_module: GraphModule) -> bool:
        return GraphPass.call(self, graph_module).modified

    def apply_inplace(self, graph_module: GraphModule) -> bool:
        """Edits the graph and those it calls; returns whether any changed."""
        return self._apply_hierarchical_inplace(graph_module)

    def call(self, graph_module: GraphModule) -> PassResult:
        return PassResult(graph_module, self.apply_inplace(graph_module))


class RemoveOrReplacePassInterface(HierarchicalInplacePassInterface):
    """Looks once at each call of ``targets``."""

    @property
    @abc.abstractmethod
    def targets(self) -> list[Any]:
        """The operators to look at."""

    @abc.abstractmethod
    def maybe_remove_or_replace(self, node: Node) -> bool:
        """Removes or replaces ``node`` if it should; returns whether the graph changed."""

    def _apply_flat_inplace(self, graph_module: GraphModule) -> bool:
        targets = set(self.targets)
        modified = False
        for node in list(graph_module.graph.nodes):
            # One that an earlier step left without users is dead, or has already been replaced.
            if node.op == "call_function" and node.target in targets and node.users:
                modified |= self.maybe_remove_or_replace(node)
        return modified


class FuseOpPairsAcrossBranchesPass(ExportPass):
    """Merges an operator with all that undo or continue it, through operators in between that do not mind.

    A subclass calls ``find_and_fuse`` and says in ``get_fused_node`` what stands for such a pair.
    """

    def check_ok_to_fuse(self, producer: Node, consumers: list[Node]) -> bool:
        """Whether ``producer`` may be merged with all of ``consumers``; by default, whether there are any."""
        return bool(consumers)

    def can_fuse_for_chain(
        self, producer: Node, consumer: Node, consumer_op_packets: set[EdgeOpOverloadPacket]
    ) -> bool:
        """Whether ``consumer`` is an operator of ``consumer_op_packets``."""
        return (
            isinstance(consumer.target, EdgeOpOverload)
            and get_edge_overload_packet(consumer.target) in consumer_op_packets
        )

    def get_fuse_candidates(
        self,
        producer: Node,
        consumer_op_packets: set[EdgeOpOverloadPacket],
        bypass_ops: set[EdgeOpOverload],
    ) -> list[Node]:
        """The consumers at the end of all ways from ``producer`` over ``bypass_ops``; empty if one way ends otherwise."""
        found: list[Node] = []
        pending = list(producer.users)
        while pending:
            user = pending.pop(0)
            if user.target in bypass_ops and user.users:
                pending.extend(user.users)
            elif self.can_fuse_for_chain(producer, user, consumer_op_packets):
                found.append(user)
            else:
                return []
        return found if self.check_ok_to_fuse(producer, found) else []

    def find_and_fuse(
        self,
        graph_module: GraphModule,
        producer_op_packets: set[EdgeOpOverloadPacket],
        consumer_op_packets: set[EdgeOpOverloadPacket],
        bypass_ops: set[EdgeOpOverload],
    ) -> bool:
        """Merges every producer with its consumers; returns whether any was."""

        def fuse_all(module: GraphModule) -> bool:
            modified = False
            for node in list(module.graph.nodes):
                if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
                    continue
                if get_edge_overload_packet(node.target) not in producer_op_packets:
                    continue
                candidates = self.get_fuse_candidates(node, consumer_op_packets, bypass_ops)
                if candidates:
                    self.fuse(node, candidates, module)
                    modified = True
            return modified

        return edit(graph_module, fuse_all)

    def get_fused_node(self, producer: Node, consumer: Node, graph_module: GraphModule) -> Node:
        """What stands for ``consumer`` once ``producer`` is gone; by default what ``consumer`` reads."""
        return consumer.all_input_nodes[0]

    def fuse(self, node: Node, removal_candidates: Sequence[Node], graph_module: GraphModule) -> None:
        """Takes ``node`` out and puts ``get_fused_node`` where each of ``removal_candidates`` was."""
        node.replace_all_uses_with(node.all_input_nodes[0], propagate_meta=False)
        for candidate in removal_candidates:
            fused = self.get_fused_node(node, candidate, graph_module)
            candidate.replace_all_uses_with(fused, propagate_meta=False)
            graph_module.graph.erase_node(candidate)
        graph_module.graph.erase_node(node)


__all__ = [
    "FuseOpPairsAcrossBranchesPass",
    "HierarchicalInplacePassInterface",
    "RemoveOrReplacePassInterface",
    "get_arg",
    "get_edge_overload_packet",
    "get_permuted_dims",
    "get_shape",
    "get_transposed_dims",
    "set_arg",
]
