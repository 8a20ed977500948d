"""What a program changes: the one answer for passes, partitioners, memory planning and backends.

``torch.export`` makes programs functional: what is written goes in as a placeholder, and its new value comes out as an
extra output, whose entry in the signature says what it belongs to. Training changes parameters too, between two runs: by
the gradients that a program returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec
from torch.fx import Node

#: What may be written -> the kind of output that its new value is.
MUTATION_KINDS: Final = {
    InputKind.BUFFER: OutputKind.BUFFER_MUTATION,
    InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
    InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION,
}
#: Outputs that are written back into an input instead of being returned.
MUTATIONS: Final = frozenset(MUTATION_KINDS.values())


@dataclass(frozen=True)
class Mutation:
    """One input that a program writes.

    Attributes:
        index: of the output that is its new value.
        value: name of the node that is this output.
        placeholder: name of the input.
        target: the name in the model of a buffer or parameter; of a user's input, that of its placeholder.
        kind: what the input is.
    """

    index: int
    value: str
    placeholder: str
    target: str
    kind: InputKind


def written_name(spec: InputSpec) -> str | None:
    """By which name the output that is the new value of this input calls it; None for what cannot be written."""
    if spec.kind not in MUTATION_KINDS or not hasattr(spec.arg, "name"):
        return None
    return spec.arg.name if spec.kind is InputKind.USER_INPUT else spec.target


def mutations(signature: ExportGraphSignature) -> Iterator[Mutation]:
    """All inputs that the program writes, in the order of the outputs that are their new values."""
    outputs = [(index, one) for index, one in enumerate(signature.output_specs) if one.kind in MUTATIONS]
    if not outputs:  # Asked often, of programs with thousands of inputs.
        return
    wanted = {output.target for _, output in outputs}
    inputs = {
        (MUTATION_KINDS[spec.kind], name): spec
        for spec in signature.input_specs
        # Looking up kinds is Python code, and names are not: most inputs are out by theirs.
        if (spec.target in wanted or getattr(spec.arg, "name", None) in wanted)
        and (name := written_name(spec)) is not None
    }
    for index, output in outputs:
        spec = inputs.get((output.kind, output.target))  # type: ignore[arg-type]
        if spec is not None and hasattr(output.arg, "name"):
            yield Mutation(index, output.arg.name, spec.arg.name, str(output.target), spec.kind)


def state_mutations(signature: ExportGraphSignature) -> Iterator[Mutation]:
    """Those of ``mutations`` that last: buffers and parameters."""
    return (one for one in mutations(signature) if one.kind is not InputKind.USER_INPUT)


def mutated_state(signature: ExportGraphSignature) -> dict[str, Mutation]:
    """Placeholder name -> what becomes of the buffer or parameter that the program writes."""
    return {one.placeholder: one for one in state_mutations(signature)}


def written_back(program: ExportedProgram) -> list[tuple[int, Node]]:
    """Index of each output that is a new value, and the placeholder that it belongs to."""
    placeholders = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    return [(one.index, placeholders[one.placeholder]) for one in mutations(program.graph_signature)]


def mutated_placeholders(program: ExportedProgram) -> set[Node]:
    """Placeholders of the values that the program writes back."""
    return {node for _, node in written_back(program)}


def variable_placeholders(program: ExportedProgram) -> set[Node]:
    """Placeholders of state whose value may be another one at the next run.

    That is what the program writes back, and the parameters that an optimizer changes between its runs.
    """
    changing = changing_state(program.graph_signature)
    placeholders = program.graph.find_nodes(op="placeholder")
    return {node for node in placeholders if node.name in changing} | mutated_placeholders(program)


def is_returned(output: OutputSpec, signature: ExportGraphSignature) -> bool:
    """Whether the caller gets this output: not what is written back, which stays in the program.

    Signatures have no kind for parameters that a program for training gives out; they are tokens with the name of one.
    """
    if output.kind is OutputKind.TOKEN:
        return getattr(output.arg, "name", None) in signature.inputs_to_parameters
    return output.kind not in MUTATIONS


def gradient_outputs(signature: ExportGraphSignature) -> list[OutputSpec]:
    """The outputs that are gradients of parameters; each has its parameter's name in the model as ``target``."""
    return [spec for spec in signature.output_specs if spec.kind is OutputKind.GRADIENT_TO_PARAMETER]


def gradients(signature: ExportGraphSignature) -> list[str]:
    """Names (in the model) of the parameters whose gradients the program returns, in the order of these."""
    return [spec.target for spec in gradient_outputs(signature) if spec.target is not None]


def trained_parameters(signature: ExportGraphSignature) -> set[str]:
    """Names (in the model) of the parameters whose gradients the program returns."""
    return set(gradients(signature))


def changing_state(signature: ExportGraphSignature) -> set[str]:
    """Names of the placeholders of buffers and parameters whose value may be another one at the next run."""
    changing = set(mutated_state(signature))
    trained = trained_parameters(signature)
    if not trained:
        return changing
    return changing | {
        spec.arg.name
        for spec in signature.input_specs
        if spec.kind is InputKind.PARAMETER and spec.target in trained and hasattr(spec.arg, "name")
    }
