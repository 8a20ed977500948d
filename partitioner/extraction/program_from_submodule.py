"""An exported program of what ``create_submodule_from_nodes`` moved out, for backends that cut partitions out themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.ir.mutations import MUTATION_KINDS, Mutation, mutated_state
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner.extraction.submodule_program import argument_spec, call_entry, program_of_parts
from executorch.partitioner.interface.errors import PartitionerContractError


def nodes_with_tag(graph_module: GraphModule, tag: str, program: ExportedProgram) -> list[Node]:
    """The calls of a graph that are tagged so, in order; constants may be tagged too, inputs and outputs not.

    Raises:
        PartitionerContractError: an input of the program or its output has the tag.
    """
    state = state_inputs(program.graph_signature)
    found = []
    for node in graph_module.graph.nodes:
        if node.meta.get(meta_keys.DELEGATION_TAG) != tag:
            continue
        if node.op == "output" or (node.op == "placeholder" and node.name not in state):
            raise PartitionerContractError(
                f"node {node.name}, an {'output' if node.op == 'output' else 'input'} of the program, should not be tagged, "
                f"but has tag {tag!r}. Way out: tag operators and constants only."
            )
        if node.op != "placeholder":
            found.append(node)
    return found


def create_exported_program_from_submodule(
    submodule: GraphModule,
    owning_program: ExportedProgram,
    tag: str,
    call_module_node: Node,
    is_submodule: bool = False,
) -> tuple[ExportedProgram, dict[str, InputSpec], dict[str, OutputSpec]]:
    """The submodule as a program. Parameters, buffers and constants that are tagged alike move in, others arrive as inputs.

    Args:
        submodule: of ``create_submodule_from_nodes``.
        owning_program: whose state it reads.
        tag: that of its nodes.
        call_module_node: the call that stands for it.
        is_submodule: it comes from a graph of control flow, which receives all of its data as inputs.

    Returns:
        The program; by name, the inputs of ``owning_program`` that moved in; by name, the new values of such inputs.
    """
    signature = owning_program.graph_signature
    graph = Graph()
    copies: dict[Node, Node] = {}
    results: Any = graph.graph_copy(submodule.graph, copies)
    state = {} if is_submodule else state_inputs(signature)
    moved: dict[str, InputSpec] = {}
    inputs = []
    for placeholder, source in zip(
        submodule.graph.find_nodes(op="placeholder"), call_module_node.args, strict=True
    ):
        assert isinstance(source, Node)
        copy = copies[placeholder]
        if source.name in state and source.meta.get(meta_keys.DELEGATION_TAG) == tag:
            spec = moved[source.name] = state[source.name]
            inputs.append(InputSpec(spec.kind, TensorArgument(copy.name), spec.target, spec.persistent))
        else:
            value = copy.meta.get(meta_keys.VAL)
            inputs.append(InputSpec(InputKind.USER_INPUT, argument_spec(copy.name, value), None))
    written = {one.value: one for one in mutated_state(signature).values() if one.placeholder in moved}
    outputs = _outputs(results, call_module_node, written)
    graph.output(tuple(node for node, _, _ in outputs))
    program = program_of_parts(
        verifiers=owning_program.verifiers,
        root={
            str(node.target): submodule.get_submodule(str(node.target))
            for node in graph.find_nodes(op="get_attr")
        },
        graph=graph,
        graph_signature=ExportGraphSignature(inputs, [spec for _, spec, _ in outputs]),
        range_constraints=dict(owning_program.range_constraints),
        module_call_graph=[
            call_entry(len(inputs) - len(moved), sum(mutation is None for _, _, mutation in outputs))
        ],
        **_data(owning_program, moved),
    )
    taken = {one.value: one for _, _, one in outputs if one is not None}
    gone = {
        spec.arg.name: spec for spec in signature.output_specs if getattr(spec.arg, "name", None) in taken
    }
    return program, moved, gone


def _outputs(
    results: Sequence[Node], call: Node, written: Mapping[str, Mutation]
) -> list[tuple[Node, OutputSpec, Mutation | None]]:
    """The results with what the signature says of each, new values of state first."""
    names = {user.args[1]: user.name for user in call.users if len(user.args) == 2}
    found: list[tuple[Node, OutputSpec, Mutation | None]] = []
    for index, node in enumerate(results):
        # By the name of the node that moved, or of the one that stands for it now, if a hook said so to the signature.
        mutation = written.get(names.get(index, node.name)) or written.get(node.name)
        if mutation is None:
            argument = argument_spec(node.name, node.meta.get(meta_keys.VAL))
            found.append((node, OutputSpec(OutputKind.USER_OUTPUT, argument, None), None))
        else:
            spec = OutputSpec(MUTATION_KINDS[mutation.kind], TensorArgument(node.name), mutation.target)
            found.append((node, spec, mutation))
    return sorted(found, key=lambda one: one[2] is None)


def _data(program: ExportedProgram, moved: Mapping[str, InputSpec]) -> dict[str, dict[str, torch.Tensor]]:
    """The tensors of what moved in, by where a program keeps them."""
    values = {str(spec.target): state_value(program, spec) for spec in moved.values()}
    return {
        "state_dict": {name: one for name, one in values.items() if name in program.state_dict},
        "constants": {name: one for name, one in values.items() if name not in program.state_dict},
    }
