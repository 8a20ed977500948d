"""Makes an exported program of its own out of the nodes of one partition."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.export import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)

from executorch.dialects import meta_keys
from executorch.dialects.errors import describe_node
from executorch.dialects.torch_types import Verifier
from executorch.dialects.verifiers import UncheckedEdgeVerifier
from executorch.ir.clone import replace_parts
from executorch.ir.mutations import MUTATION_KINDS, Mutation, mutated_state
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner.extraction.partition_order import Step
from executorch.partitioner.interface.errors import PartitionerContractError
from executorch.partitioner.selection.constants import NO_COPY


@dataclass
class Owner:
    """The program that a graph belongs to, with the facts about its state that extraction asks for.

    Attributes:
        program: the tagged program.
        state: placeholder name -> input spec of a parameter, buffer or lifted constant; empty for the graph
            of a control-flow submodule, which receives all of its data as inputs.
        mutations: placeholder name of a buffer or parameter that is written -> its new value; empty in submodules.
        copies: constant -> how many partitions besides its own have received a copy.
    """

    program: ExportedProgram
    state: dict[str, InputSpec]
    mutations: dict[str, Mutation]
    copies: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, program: ExportedProgram) -> Owner:
        signature = program.graph_signature
        return cls(program, state_inputs(signature), mutated_state(signature))

    def for_submodule(self) -> Owner:
        return Owner(self.program, {}, {})

    def name_in(self, node: torch.fx.Node, tag: str) -> str:
        """What the placeholder ``node`` is called in partition ``tag``: a copy of a constant is called so."""
        if node.meta.get(meta_keys.DELEGATION_TAG) == tag:
            return node.name
        number = self.copies.get(node.name, 0)
        self.copies[node.name] = number + 1
        return f"{node.name}_copy_{number}"


@dataclass
class Subgraph:
    """One partition as a program, and how it hangs in the graph it came from.

    Attributes:
        tag: the partition's tag.
        program: the program for ``preprocess``.
        inputs: nodes of the tagged graph that arrive at run time, in the order of the user inputs.
        outputs: nodes of the tagged graph that the delegate returns, in the order of the user outputs.
        state: placeholders of the tagged graph whose data the program holds.
        taken_mutations: buffers and parameters that are written, with the node of their new value; the delegate keeps it.
    """

    tag: str
    program: ExportedProgram
    inputs: list[torch.fx.Node]
    outputs: list[torch.fx.Node]
    state: list[torch.fx.Node]
    taken_mutations: list[tuple[torch.fx.Node, InputSpec]]


def argument_spec(name: str, value: Any) -> ArgumentSpec:
    """The signature's description of a graph input or output that holds ``value`` (a fake value)."""
    if isinstance(value, torch.Tensor):
        return TensorArgument(name)
    if isinstance(value, torch.SymInt):
        return SymIntArgument(name)
    if isinstance(value, torch.SymFloat):
        return SymFloatArgument(name)
    if isinstance(value, torch.SymBool):
        return SymBoolArgument(name)
    if value is None or isinstance(value, (int, float, bool, str)):
        return ConstantArgument(name, value)
    raise PartitionerContractError(
        f"value {name} crosses the border of a partition but is a {type(value).__name__}; "
        "only tensors and numbers can. Way out: tag the nodes that make and use it alike."
    )


def _border(step: Step) -> tuple[list[torch.fx.Node], list[torch.fx.Node], list[torch.fx.Node]]:
    """Nodes that the partition needs, submodule references it needs, and its nodes that others need."""
    inside = set(step.nodes)
    needed = {arg for node in step.nodes for arg in node.all_input_nodes if arg not in inside}
    references = [node for node in needed if node.op == "get_attr"]
    inputs = sorted(needed.difference(references))
    outputs = [node for node in step.nodes if any(user not in inside for user in node.users)]
    return inputs, sorted(references), outputs


def _moves_in(node: torch.fx.Node, tag: str, owner: Owner) -> bool:
    """Whether the placeholder's data becomes part of the partition ``tag`` that uses it."""
    owner_tag = node.meta.get(meta_keys.DELEGATION_TAG)
    if node.op != "placeholder" or node.name not in owner.state or owner_tag is None:
        return False
    if node.meta.get(NO_COPY):
        for user in node.users:
            if user.meta.get(meta_keys.DELEGATION_TAG) != owner_tag:
                raise PartitionerContractError(
                    f"constant data node ({node.name}) is tagged with ({owner_tag}) but has user ({user.name}) which "
                    f"has tag ({user.meta.get(meta_keys.DELEGATION_TAG)}), and it must not be copied. The user is "
                    f'{describe_node(user)}. Way out: clear meta["{NO_COPY}"], or leave the constant without a tag.'
                )
    return True


def _taken_mutations(
    state: Sequence[torch.fx.Node], outputs: Sequence[torch.fx.Node], tag: str, owner: Owner
) -> list[tuple[torch.fx.Node, InputSpec]]:
    """New values of what is written among ``state``; all its readers and the writer must be inside."""
    by_name = {node.name: node for node in outputs}
    taken: list[tuple[torch.fx.Node, InputSpec]] = []
    for node in state:
        spec = owner.state[node.name]
        mutation = owner.mutations.get(node.name)
        if mutation is None:
            continue
        writer = mutation.value
        strangers = [user for user in node.users if user.meta.get(meta_keys.DELEGATION_TAG) != tag]
        if writer not in by_name or strangers:
            who = describe_node(strangers[0]) if strangers else f"its writer {writer}"
            kind = spec.kind.name.lower()
            raise PartitionerContractError(
                f"{kind} {spec.target} is written by the program and tagged {tag!r}, but {who} is outside that "
                f"partition. Way out: tag all its readers and its writer alike, or leave the {kind} untagged."
            )
        taken.append((by_name[writer], spec))
    return taken


def _copy_body(
    step: Step, placeholders: Mapping[torch.fx.Node, str], references: Sequence[torch.fx.Node]
) -> tuple[torch.fx.Graph, dict[torch.fx.Node, torch.fx.Node]]:
    graph = torch.fx.Graph()
    mapping: dict[torch.fx.Node, torch.fx.Node] = {}
    for node, name in placeholders.items():
        copied = graph.create_node("placeholder", name, name=name)
        copied.name = name  # See copy_node; the inputs of a subgraph keep the names of what they were.
        copied.meta = dict(node.meta)
        mapping[node] = copied
    for node in (*references, *step.nodes):
        mapping[node] = graph.node_copy(node, lambda arg: mapping[arg])
    for copied in mapping.values():  # A backend may partition in turn, with tags of its own.
        copied.meta.pop(meta_keys.DELEGATION_TAG, None)
    return graph, mapping


def call_entry(inputs: int, outputs: int) -> ModuleCallEntry:
    """How a program is called that takes and returns flat tuples."""
    in_spec = pytree.tree_structure((tuple([0] * inputs), {}))
    out_spec = pytree.tree_structure(tuple([0] * outputs))
    return ModuleCallEntry("", ModuleCallSignature(inputs=[], outputs=[], in_spec=in_spec, out_spec=out_spec))


def extract(step: Step, graph_module: torch.fx.GraphModule, owner: Owner) -> Subgraph:
    """The nodes of one partition as a program.

    Placeholders stand in the order of the original graph (parameters, buffers, inputs, then values of
    other nodes); the outputs are a flat tuple: new values of buffers that moved in, then what others need.
    """
    assert step.tag is not None
    inputs, references, outputs = _border(step)
    state = [node for node in inputs if _moves_in(node, step.tag, owner)]
    inputs_at_run_time = [node for node in inputs if node not in state]
    taken = _taken_mutations(state, outputs, step.tag, owner)
    kept = [node for node, _ in taken]
    returned = [
        node
        for node in outputs
        if node not in kept or _used_beyond_mutation(node, step, owner.program, [spec for _, spec in taken])
    ]
    names = {node: owner.name_in(node, step.tag) if node in state else node.name for node in inputs}
    graph, mapping = _copy_body(step, names, references)
    results = [*kept, *returned]
    output = graph.output(tuple(mapping[node] for node in results))
    output.meta[meta_keys.VAL] = tuple(node.meta.get(meta_keys.VAL) for node in results)
    signature = ExportGraphSignature(
        input_specs=[
            _input_spec(mapping[node], owner.state.get(node.name) if node in state else None)
            for node in inputs
        ],
        output_specs=[
            *(
                OutputSpec(MUTATION_KINDS[spec.kind], TensorArgument(mapping[node].name), spec.target)
                for node, spec in taken
            ),
            *(OutputSpec(OutputKind.USER_OUTPUT, _argument(mapping[node]), None) for node in returned),
        ],
    )
    state_dict: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    for node in state:
        spec = owner.state[node.name]
        assert spec.target is not None
        home = state_dict if spec.target in owner.program.state_dict else constants
        home[spec.target] = state_value(owner.program, spec)
    program = program_of_parts(
        verifiers=owner.program.verifiers,
        root={str(node.target): graph_module.get_submodule(str(node.target)) for node in _references(graph)},
        graph=graph,
        graph_signature=signature,
        state_dict=state_dict,
        range_constraints=dict(owner.program.range_constraints),
        module_call_graph=[call_entry(len(inputs_at_run_time), len(returned))],
        constants=constants,
    )
    return Subgraph(step.tag, program, inputs_at_run_time, returned, state, taken)


def program_of_parts(verifiers: list[type[Verifier]], **parts: Any) -> ExportedProgram:
    """A program of operators that stood in a verified one before, and of calls of delegates.

    They are not verified again; torch's own checks, of the graph against its signature, belong to every verifier.

    Args:
        verifiers: of the program that the operators come from.
        parts: the other arguments of the constructor.
    """
    return replace_parts(ExportedProgram(**parts, verifiers=[UncheckedEdgeVerifier]), verifiers=verifiers)


def _references(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    return list(graph.find_nodes(op="get_attr"))


def _argument(node: torch.fx.Node) -> ArgumentSpec:
    return argument_spec(node.name, node.meta.get(meta_keys.VAL))


def _input_spec(node: torch.fx.Node, state: InputSpec | None) -> InputSpec:
    if state is None:
        return InputSpec(InputKind.USER_INPUT, _argument(node), None)
    return InputSpec(state.kind, TensorArgument(node.name), state.target, state.persistent)


def _used_beyond_mutation(
    node: torch.fx.Node, step: Step, program: ExportedProgram, kept: Sequence[InputSpec]
) -> bool:
    """Whether a new value is needed outside for anything but being that of what the partition keeps."""
    inside = set(step.nodes)
    if any(user not in inside and user.op != "output" for user in node.users):
        return True
    own = {(MUTATION_KINDS[spec.kind], spec.target) for spec in kept}
    specs = program.graph_signature.output_specs
    return any(getattr(s.arg, "name", None) == node.name and (s.kind, s.target) not in own for s in specs)


def getitems_follow_their_source(graph: torch.fx.Graph, tags: set[str]) -> None:
    """Moves every ``getitem`` into the partition of the node it takes from, so that no tuple crosses a border."""
    for node in graph.find_nodes(op="call_function", target=operator.getitem):
        source_tag = node.args[0].meta.get(meta_keys.DELEGATION_TAG)
        if source_tag in tags and node.args[0].op != "placeholder":
            node.meta[meta_keys.DELEGATION_TAG] = source_tag
        else:
            node.meta.pop(meta_keys.DELEGATION_TAG, None)
