"""A partitioner made of one small object per operator, each of which checks and collects what it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import torch
from torch.export import ExportedProgram
from torch.fx.passes.infra.partitioner import Partition

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.ir.signature import state_inputs
from executorch.partitioner.interface.delegation import DelegationSpec, Partitioner, PartitionResult
from executorch.partitioner.selection.constants import tag_constant_data
from executorch.partitioner.selection.partition_proposals import (
    generate_grouped_partitions_from_list_of_nodes,
    operator_name,
)
from executorch.partitioner.selection.reasons import DELEGATION_REASONS, note_reason


def is_constant_data(ep: ExportedProgram, node: torch.fx.Node) -> bool:
    """Whether ``node`` is the placeholder of a parameter, a buffer or a lifted tensor constant of ``ep``."""
    return node.name in state_inputs(ep.graph_signature)


def format_target_name(target_name: str) -> str:
    """``add.Tensor`` for ``aten.add.Tensor``: the name by which configs are found, without the namespace."""
    return target_name.partition(".")[2]


class PartitionerConfig(ABC):
    """What a backend knows about one operator.

    Set ``target_name = "add.Tensor"`` in the subclass (the operator without its namespace).
    """

    @property
    @abstractmethod
    def target_name(self) -> str:
        """The operator, as ``format_target_name`` spells it."""

    @abstractmethod
    def check_constraints(self, node: torch.fx.Node, ep: ExportedProgram) -> bool:
        """Whether the backend takes this use of the operator (shapes, dtypes, constant weights, ...)."""

    @abstractmethod
    def get_original_aten(self) -> OpOverload | None:
        """The operator to keep from being decomposed, None if the decomposed form is what is matched."""

    @abstractmethod
    def get_partition(self, node: torch.fx.Node, ep: ExportedProgram) -> list[torch.fx.Node]:
        """All nodes that are taken with ``node`` (dequantization before it, activation after it, ...).

        Empty if the node is not taken. ``note_reason`` says why.
        """


class ConfigerationBasedPartitioner(Partitioner):
    """Takes what its configs take, in the largest convex partitions that keep each config's nodes together.

    Constants that they read move in. State that the program writes stays outside, as an argument of the delegate: a
    backend that keeps state calls ``tag_mutated_buffer`` on what was partitioned.

    Args:
        delegation_spec: where everything goes.
        partitioner_configs: one object for each operator; the last of a name wins.
    """

    def __init__(
        self, delegation_spec: DelegationSpec, partitioner_configs: Iterable[PartitionerConfig]
    ) -> None:
        super().__init__()
        self.delegation_spec = delegation_spec
        self.target_partitioner_configs: dict[str, PartitionerConfig] = {
            str(config.target_name): config for config in partitioner_configs
        }

    def _config_of(self, node: torch.fx.Node) -> PartitionerConfig | None:
        if node.op != "call_function":
            return None
        return self.target_partitioner_configs.get(format_target_name(operator_name(node.target)))

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[torch.fx.Node], bool] | None]:
        """What the configs name, kept where their checks pass."""
        kept = [config.get_original_aten() for config in self.target_partitioner_configs.values()]

        def passes(node: torch.fx.Node) -> bool:
            config = self._config_of(node)
            return config is not None and config.check_constraints(node, ep)

        return [op for op in kept if op is not None], passes

    def get_matched_nodes_from_configs(self, ep: ExportedProgram) -> list[list[torch.fx.Node]]:
        """What the configs take, one list for each node that one of them took."""
        matched = []
        for module in ep.graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                matched += self._matched_in(module.graph, ep)
        return matched

    def _matched_in(self, graph: torch.fx.Graph, ep: ExportedProgram) -> list[list[torch.fx.Node]]:
        matched = []
        who = type(self).__name__
        for node in graph.nodes:
            config = self._config_of(node)
            if config is None:
                if node.op == "call_function":
                    note_reason(node, who, "no config for this operator")
                continue
            nodes = config.get_partition(node, ep)
            if nodes:
                matched.append(nodes)
            else:
                refused = type(config).__name__
                said = [why for name, why in node.meta.get(DELEGATION_REASONS, ()) if name == refused]
                note_reason(node, who, said[-1] if said else f"{refused} refused it")
        return matched

    def generate_partitions(self, ep: ExportedProgram) -> list[Partition]:
        """Largest convex partitions of all graphs of the program, numbered through."""
        matched = self.get_matched_nodes_from_configs(ep)
        partitions: list[Partition] = []
        for module in ep.graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                here = [nodes for nodes in matched if nodes[0].graph is module.graph]
                for found in generate_grouped_partitions_from_list_of_nodes(module, here):
                    partitions.append(Partition(id=len(partitions), nodes=found.nodes))
        return partitions

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tags: dict[str, DelegationSpec] = {}
        for found in self.generate_partitions(exported_program):
            tag = f"tag{found.id}"
            for node in found.nodes:
                if node.op == "call_function":
                    node.meta[meta_keys.DELEGATION_TAG] = tag
                    tags[tag] = self.delegation_spec
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)
