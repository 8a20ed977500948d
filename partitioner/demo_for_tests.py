"""A backend and partitioners for the tests: subgraphs are written down as text, one line per operator."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

import torch
from torch.export import ExportedProgram

from executorch.dialects import meta_keys
from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    tag_constant_data,
    tag_mutated_buffer,
)


def op_name(node: torch.fx.Node) -> str:
    """``add.Tensor`` for the ATen or edge operator of that name."""
    return str(node.target).split("aten.")[-1]


class TextBackend(BackendDetails):
    """Blob: the subgraph's operators as text, and the names of the constants it received."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        lines = [f"option {spec.key}" for spec in compile_specs]
        lines += [f"constant {name}" for name in (*edge_program.state_dict, *edge_program.constants)]
        handles: dict[int, tuple[int, ...]] = {}
        for node in edge_program.graph.nodes:
            if node.op == "call_function" and node.target is not operator.getitem:
                handles[len(lines)] = (node.meta.get(meta_keys.DEBUG_HANDLE, 0),)
                lines.append(f"op {op_name(node)}")
        return PreprocessResult("\n".join(lines).encode(), debug_handle_map=handles)


class OtherTextBackend(TextBackend):
    """A second backend, so that tests can tell them apart; counts its multi-method calls."""

    calls: list[dict[str, int]] = []

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: dict[str, list[ExportedProgram]],
        compile_specs: dict[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        cls.calls.append({method: len(programs) for method, programs in edge_programs.items()})
        return super().preprocess_multimethod(edge_programs, compile_specs)


class OpPartitioner(Partitioner):
    """Tags operators by name; neighbours in graph order that are both wanted share a tag.

    Args:
        ops: names such as ``add.Tensor``.
        backend_id: where they go.
        constants: whether to take constants over.
        mutable: whether to take mutable buffers over.
        tag_of: overrides the choice of tag: called with the node, gives a tag or None.
        compile_specs: options for every partition.
    """

    def __init__(
        self,
        ops: Iterable[str],
        backend_id: str = "TextBackend",
        constants: bool = True,
        mutable: bool = False,
        tag_of: Callable[[torch.fx.Node], str | None] | None = None,
        compile_specs: list[CompileSpec] | None = None,
    ) -> None:
        super().__init__()
        self._ops = set(ops)
        self._delegation = DelegationSpec(backend_id, compile_specs or [])
        self._constants = constants
        self._mutable = mutable
        self._tag_of = tag_of

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tags: dict[str, DelegationSpec] = {}
        for module in exported_program.graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                self._tag_graph(module.graph, tags)
        if self._constants:
            tag_constant_data(exported_program)
        if self._mutable:
            tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, tags)

    def _tag_graph(self, graph: torch.fx.Graph, tags: dict[str, DelegationSpec]) -> None:
        run = 0
        for node in graph.nodes:
            if node.op != "call_function":
                continue
            if self._tag_of is not None:
                tag = self._tag_of(node)
            else:
                wanted = op_name(node) in self._ops
                run += not wanted
                tag = f"{self._delegation.backend_id}_{run}" if wanted else None
            if tag is not None:
                node.meta[meta_keys.DELEGATION_TAG] = tag
                tags[tag] = self._delegation
