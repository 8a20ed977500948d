"""Cuts partitions out of a program and puts delegate calls in their place."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, OutputSpec

from executorch.dialects import meta_keys
from executorch.ir.clone import copy_node
from executorch.ir.debug_handles import DebugHandles
from executorch.ir.mutations import state_mutations
from executorch.partitioner.extraction.partition_order import Step, order_steps
from executorch.partitioner.extraction.submodule_program import (
    Owner,
    Subgraph,
    argument_spec,
    extract,
    getitems_follow_their_source,
    program_of_parts,
)
from executorch.partitioner.interface.call_delegate import executorch_call_delegate
from executorch.partitioner.interface.delegation import DelegationSpec
from executorch.partitioner.interface.errors import PartitionerContractError
from executorch.partitioner.interface.lowered_module import LoweredBackendModule


@dataclass
class GraphPlan:
    """A tagged graph in execution order, with its partitions cut out.

    Attributes:
        graph_module: the tagged graph.
        steps: its nodes in an order in which each partition is one step.
        subgraphs: tag -> the partition as a program.
        children: attribute name -> plan of a control-flow submodule in which something was tagged.
    """

    graph_module: torch.fx.GraphModule
    steps: list[Step]
    subgraphs: dict[str, Subgraph]
    children: dict[str, GraphPlan]

    def all_subgraphs(self) -> Iterator[Subgraph]:
        """Subgraphs of this graph in execution order, then those of its submodules."""
        for step in self.steps:
            if step.tag is not None:
                yield self.subgraphs[step.tag]
        for child in self.children.values():
            yield from child.all_subgraphs()


def plan_program(program: ExportedProgram, tags: Mapping[str, DelegationSpec]) -> GraphPlan:
    """Checks the tags of ``program`` and cuts its partitions out; changes only tags of ``getitem`` nodes.

    Raises:
        PartitionCycleError: partitions are not convex.
        PartitionerContractError: a tag is unknown, or on something that cannot be delegated.
    """
    return _plan(program.graph_module, tags, Owner.of(program))


def _plan(graph_module: torch.fx.GraphModule, tags: Mapping[str, DelegationSpec], owner: Owner) -> GraphPlan:
    _check_tags(graph_module.graph, tags, owner)
    getitems_follow_their_source(graph_module.graph, set(tags))
    steps = order_steps(graph_module.graph, tags)
    subgraphs = {step.tag: extract(step, graph_module, owner) for step in steps if step.tag is not None}
    children = {}
    for name in _control_flow_submodules(graph_module.graph):
        child = graph_module.get_submodule(name)
        if isinstance(child, torch.fx.GraphModule):
            plan = _plan(child, tags, owner.for_submodule())
            if any(plan.all_subgraphs()):
                children[name] = plan
    return GraphPlan(graph_module, steps, subgraphs, children)


def _control_flow_submodules(graph: torch.fx.Graph) -> list[str]:
    """Attributes that nodes outside all partitions refer to; those inside a partition belong to its backend."""
    names: dict[str, None] = {}
    for node in graph.find_nodes(op="get_attr"):
        if any(meta_keys.DELEGATION_TAG not in user.meta for user in node.users):
            names[str(node.target)] = None
    return list(names)


def _check_tags(graph: torch.fx.Graph, tags: Mapping[str, DelegationSpec], owner: Owner) -> None:
    for node in graph.nodes:
        tag = node.meta.get(meta_keys.DELEGATION_TAG)
        if tag is None:
            continue
        if tag not in tags:
            raise PartitionerContractError(
                f"node {node.name} has tag {tag!r}, which partition_tags does not name (it names "
                f"{sorted(tags)}). Way out: add the tag's DelegationSpec, or do not tag the node."
            )
        if node.op == "output":
            raise PartitionerContractError(
                f"output node {node.name} should not be tagged, but has tag {tag!r}"
            )
        if node.op == "placeholder" and node.name not in owner.state:
            raise PartitionerContractError(
                "placeholder node for non-params, non-buffer, and non-tensor constants should not be tagged, but "
                f"{node.name}, an input of the graph, has tag {tag!r}. Way out: tag operators and constants only."
            )


class _Rebuilder:
    """Writes the graph of a plan anew, with calls of lowered modules for its partitions."""

    def __init__(
        self,
        plan: GraphPlan,
        lowered: Mapping[int, LoweredBackendModule],
        handles: DebugHandles,
        dropped_outputs: frozenset[int] = frozenset(),
    ) -> None:
        self._plan = plan
        self._lowered = lowered
        self._graph = torch.fx.Graph()
        self._root = torch.nn.Module()
        self._mapping: dict[torch.fx.Node, torch.fx.Node] = {}
        self._handles = handles
        self._next_module = 0
        self._dropped_outputs = dropped_outputs

    def run(self) -> torch.fx.GraphModule:
        source = self._plan.graph_module
        self._take_over_submodules(source)
        for step in self._plan.steps:
            if step.tag is not None:
                self._call(self._plan.subgraphs[step.tag])
            elif step.nodes[0].op == "output":
                self._output(step.nodes[0])
            elif not self._moved_away(step.nodes[0]):
                self._keep(step.nodes[0])
        result = torch.fx.GraphModule(self._root, self._graph)
        result.meta.update(source.meta)
        return result

    def _take_over_submodules(self, source: torch.fx.GraphModule) -> None:
        for name, child in source.named_children():
            plan = self._plan.children.get(name)
            self._root.add_module(
                name, _Rebuilder(plan, self._lowered, self._handles).run() if plan else child
            )

    def _keep(self, node: torch.fx.Node) -> None:
        if node.op == "placeholder":
            copy_node(node, self._graph, self._mapping)
        else:
            # Its name may have been given to a new `getitem` in the meantime.
            self._mapping[node] = self._graph.node_copy(node, lambda arg: self._mapping[arg])
        # The tag has done its work; the next partitioner's tags are others.
        self._mapping[node].meta.pop(meta_keys.DELEGATION_TAG, None)

    def _moved_away(self, node: torch.fx.Node) -> bool:
        """Whether nothing is left that needs this placeholder or reference, though something did before."""
        if node.op == "get_attr":
            stays = [user for user in node.users if not self._in_partition(user)]
            return bool(node.users) and not stays
        subgraphs = [s for s in self._plan.subgraphs.values() if node in s.state]
        if node.op != "placeholder" or not subgraphs:
            return False
        return all(self._in_partition(user) for user in node.users)

    def _in_partition(self, node: torch.fx.Node) -> bool:
        return node.meta.get(meta_keys.DELEGATION_TAG) in self._plan.subgraphs

    def _call(self, subgraph: Subgraph) -> None:
        module = self._lowered[id(subgraph)]
        while hasattr(self._root, f"lowered_module_{self._next_module}"):
            self._next_module += 1
        name = f"lowered_module_{self._next_module}"
        self._root.add_module(name, module)
        # Not graph.get_attr: that checks the name against an owning module which does not exist yet.
        reference = self._graph.create_node("get_attr", name, name=name)
        arguments = tuple(self._mapping[node] for node in subgraph.inputs)
        call = self._graph.call_function(executorch_call_delegate, (reference, *arguments))
        values = tuple(node.meta.get(meta_keys.VAL) for node in subgraph.outputs)
        call.meta[meta_keys.VAL] = values
        if self._handles.last:  # A program without handles stays without.
            call.meta[meta_keys.DEBUG_HANDLE] = self._handles.next()
        for position, node in enumerate(subgraph.outputs):
            result = self._graph.call_function(operator.getitem, (call, position))
            result.meta[meta_keys.VAL] = values[position]
            if meta_keys.STACK_TRACE in node.meta:
                result.meta[meta_keys.STACK_TRACE] = node.meta[meta_keys.STACK_TRACE]
            self._mapping[node] = result

    def _output(self, node: torch.fx.Node) -> None:
        def keep(arg: Any) -> Any:
            return self._mapping[arg] if isinstance(arg, torch.fx.Node) else arg

        if self._dropped_outputs:
            results = [arg for index, arg in enumerate(_results(node)) if index not in self._dropped_outputs]
            copied = self._graph.output(tuple(keep(arg) for arg in results))
        else:
            copied = self._graph.output(pytree.tree_map(keep, node.args[0]))
        copied.meta = dict(node.meta)


def _results(output: torch.fx.Node) -> list[object]:
    return list(output.args[0])  # type: ignore[arg-type]


def _kept_by_delegates(program: ExportedProgram, plan: GraphPlan) -> frozenset[int]:
    """Positions of the outputs that were new values of what has moved into delegates."""
    taken = {spec.target for subgraph in plan.subgraphs.values() for _, spec in subgraph.taken_mutations}
    return frozenset(one.index for one in state_mutations(program.graph_signature) if one.target in taken)


def rebuild_program(
    program: ExportedProgram, plan: GraphPlan, lowered: Mapping[int, LoweredBackendModule]
) -> ExportedProgram:
    """The program with each subgraph of ``plan`` replaced by a call of its lowered module.

    Args:
        program: the tagged program that ``plan`` was made of.
        plan: what to replace.
        lowered: ``id(subgraph)`` -> lowered module, for every subgraph of the plan.
    """
    dropped = _kept_by_delegates(program, plan)
    graph_module = _Rebuilder(plan, lowered, DebugHandles(plan.graph_module), dropped).run()
    signature = program.graph_signature
    left = {node.name for node in graph_module.graph.find_nodes(op="placeholder")}
    input_specs = [spec for spec in signature.input_specs if spec.arg.name in left]
    gone = {spec.target for spec in signature.input_specs} - {spec.target for spec in input_specs}
    return program_of_parts(
        verifiers=program.verifiers,
        root=graph_module,
        graph=graph_module.graph,
        graph_signature=ExportGraphSignature(input_specs, _output_specs(program, graph_module, dropped)),
        state_dict={key: value for key, value in program.state_dict.items() if key not in gone},
        range_constraints=dict(program.range_constraints),
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants={key: value for key, value in program.constants.items() if key not in gone},
    )


def _output_specs(
    program: ExportedProgram, graph_module: torch.fx.GraphModule, dropped: frozenset[int]
) -> list[OutputSpec]:
    """The old output specs that are left, with the names of the new nodes."""
    before = program.graph_signature.output_specs
    kept = [spec for index, spec in enumerate(before) if index not in dropped]
    specs = []
    for arg, spec in zip(_results(graph_module.graph.output_node()), kept, strict=True):
        if isinstance(arg, torch.fx.Node):
            spec = OutputSpec(spec.kind, argument_spec(arg.name, arg.meta.get(meta_keys.VAL)), spec.target)
        specs.append(spec)
    return specs
