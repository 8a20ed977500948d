"""Chooses what the Vulkan delegate runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, final

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.partitions import is_taken, tag_partitions, worth_a_call
from executorch.backends.vulkan.graph.call import called
from executorch.backends.vulkan.graph.complex_numbers import complex_groups, is_complex
from executorch.backends.vulkan.graph.quantized import CONVERSIONS, LINEAR, groups_of
from executorch.backends.vulkan.graph.state import split_states, states_of
from executorch.backends.vulkan.graph.support import STATE_OUTSIDE, is_size, refusal
from executorch.backends.vulkan.graph.tokens import floats_of, token_groups
from executorch.backends.vulkan.op_registry import vulkan_supported_ops
from executorch.backends.vulkan.options import VulkanOptions, parse_compile_options
from executorch.backends.vulkan.vulkan_preprocess import VulkanBackend
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import OpOverload
from executorch.ir.graph import output_arguments
from executorch.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
    note_reason,
    read_outside,
    tag_mutated_buffer,
)
from executorch.partitioner.selection.partition_proposals import operator_name

_COMPLEX_OUTSIDE = (
    "its complex numbers come from what is left, or go there; within the delegate they are pairs of floats"
)


@final
class VulkanPartitioner(Partitioner):
    """Delegates as much of a program as the Vulkan delegate can run.

    What is left has a reason: ``executorch.exir.backend.utils.print_reasons`` prints them.

    Args:
        compile_options: keys of :class:`~executorch.backends.vulkan.options.VulkanOptions`, as ``{"force_fp16": True}``.
        operator_blocklist: operators to leave outside, by overload or name (``aten.add.Tensor``).
        operator_allowlist: if given, no others are taken.
        nn_module_blocklist: types of modules (``torch.nn.modules.linear.Linear``, or the end of such a name) whose
            operators are left outside.
        nn_module_allowlist: if given, only operators of such modules are taken.

    Raises:
        ValueError: no such option.
    """

    def __init__(
        self,
        compile_options: Mapping[str, Any] | None = None,
        operator_blocklist: Sequence[Any] | None = None,
        operator_allowlist: Sequence[Any] | None = None,
        nn_module_blocklist: Sequence[str] | None = None,
        nn_module_allowlist: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self.options = VulkanOptions.of(compile_options)
        self.delegation_spec = DelegationSpec(VulkanBackend.__name__, parse_compile_options(compile_options))
        self._block = {operator_name(one) for one in operator_blocklist or ()}
        self._allow = (
            None if operator_allowlist is None else {operator_name(one) for one in operator_allowlist}
        )
        self._block_modules = tuple(nn_module_blocklist or ())
        self._allow_modules = None if nn_module_allowlist is None else tuple(nn_module_allowlist)

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """What the delegate has whole, and torchao's conversions, which say how weights are quantized."""
        called = {aten_op(node.target) for node in ep.graph.nodes}
        kept = [op for op in called if op is not None and operator_name(op) in CONVERSIONS]
        for row in vulkan_supported_ops.values():
            if row.whole:
                _, packet, overload = row.name.split(".")
                kept.append(getattr(getattr(torch.ops.aten, packet), overload))
        return kept, None

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken, and the state that is read and written there alone."""

        def partitions(module: GraphModule, constants: Constants) -> list[list[Node]]:
            if module is not exported_program.graph_module:
                return worth_a_call(self._partitions(module, constants, {}), self, _is_work)
            found = self._partitions(module, constants, states_of(exported_program))
            found = found or self._of_numbers(module, constants)
            is_all = _is_all(module, constants, found)
            return found if is_all else worth_a_call(found, self, _is_work)

        result = tag_partitions(exported_program, "vulkan", self.delegation_spec, partitions)
        tag_mutated_buffer(exported_program)
        return result

    def _partitions(
        self, module: GraphModule, constants: Constants, states: dict[Node, Node]
    ) -> list[list[Node]]:
        """Large convex groups. Sizes and state that others read stay outside."""
        chains = groups_of(list(module.graph.nodes), constants)
        chained = {node for nodes in chains for node in nodes if name_of(node) != LINEAR}
        taken = {
            node
            for node in module.graph.nodes
            if node not in chained and self._is_taken(node, constants, states)
        }
        groups = [nodes for nodes in chains if taken.issuperset(set(nodes) - chained)]
        for node in chained - {node for nodes in groups for node in nodes}:
            note_reason(node, type(self).__name__, "a linear layer that reads it is left")
        for tokens in token_groups(module.graph.nodes):
            ends = {tokens.nodes[0], tokens.nodes[-1]}
            if ends <= taken:
                groups.append(list(tokens.nodes))
            else:
                for node in ends & taken:
                    note_reason(node, type(self).__name__, "the other call of what quantizes is left")
            taken -= ends  # The group has them, or nothing does.
        spectra = complex_groups(module.graph, constants)
        while True:
            spectra = self._whole(spectra, taken)
            together = [*groups, *spectra, *_with_zero_points(module, taken)]
            made = group_nodes(module.graph, taken.__contains__, together, join_unrelated=True)
            found = made.partitions
            crossing = read_outside(found, is_size)
            split = split_states(states, found)
            states = {state: value for state, value in states.items() if state not in split}
            for node in taken & {node for calls in split.values() for node in calls}:
                note_reason(node, type(self).__name__, STATE_OUTSIDE)
                crossing.add(node)
            pairs = {node for nodes in spectra for node in nodes}
            crossing |= {node for nodes in made.dissolved for node in nodes if node in pairs}
            if not crossing:
                return found
            taken -= crossing

    def _whole(self, spectra: list[list[Node]], taken: set[Node]) -> list[list[Node]]:
        """Those all of whose nodes are taken; of the others none is any more."""
        for nodes in spectra:
            for node in taken.intersection(nodes) if not taken.issuperset(nodes) else ():
                note_reason(node, type(self).__name__, _COMPLEX_OUTSIDE)
                taken.remove(node)
        return [nodes for nodes in spectra if taken.issuperset(nodes)]

    def _of_numbers(self, module: GraphModule, constants: Constants) -> list[list[Node]]:
        """All calls of a graph that makes tensors of numbers, and does nothing else; what it returns is said to the delegate."""
        calls = [node for node in module.graph.nodes if node.op == "call_function"]
        returned = [node for node in output_arguments(module.graph) if node in calls]
        is_taken = all(node in constants for node in calls) and all(
            not is_complex(node) and (self._unwanted(node) or refusal(node, constants, self.options)) is None
            for node in returned
        )
        return [calls] if returned and is_taken else []

    def _is_taken(self, node: Node, constants: Constants, states: Collection[Node]) -> bool:
        def why_not(node: Node) -> str | None:
            return self._unwanted(node) or refusal(node, constants, self.options, states)

        return is_taken(node, constants, self, why_not)

    def _unwanted(self, node: Node) -> str | None:
        name = called(node)
        if name in self._block:
            return "operator_blocklist has its operator"
        if self._allow is not None and name not in self._allow and not is_size(node):
            return "operator_allowlist has not its operator"
        types = _module_types(node)
        if any(_ends_with(one, self._block_modules) for one in types):
            return "nn_module_blocklist has a module around it"
        if self._allow_modules is not None and not any(_ends_with(one, self._allow_modules) for one in types):
            return "nn_module_allowlist has no module around it"
        return None


def _with_zero_points(module: GraphModule, taken: Collection[Node]) -> list[list[Any]]:
    """What makes floats of tokens, each with the conversion of its zero points, which is no call of its own."""
    return [
        [node.args[2], node] for node in module.graph.nodes if node in taken and floats_of(node) is not None
    ]


def _module_types(node: Node) -> list[str]:
    """The types of the modules around a node, by their whole names."""
    stack = node.meta.get("nn_module_stack") or {}
    return [
        kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        for _, kind in stack.values()
    ]


def _ends_with(name: str, ends: Collection[str]) -> bool:
    return any(name == end or name.endswith("." + end) for end in ends)


def _is_all(module: GraphModule, constants: Constants, partitions: Sequence[list[Node]]) -> bool:
    """Whether one group is all that a graph does: whoever asks for a GPU gets it, whatever it is good for."""
    inside = {node for nodes in partitions for node in nodes}
    return len(partitions) == 1 and all(
        node in inside or node in constants or node.target is operator.getitem
        for node in module.graph.nodes
        if node.op == "call_function"
    )


def _is_work(node: Node) -> bool:
    row = vulkan_supported_ops.get(called(node))
    return row is not None and not row.moves
