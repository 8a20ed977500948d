"""Makes the new values of written inputs outputs of a program, as torch's functionalization does."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind, OutputSpec, TensorArgument
from torch.fx import Node

from executorch.passes.op_recorder import NotLocalError
from executorch.passes.program import output_arguments, output_node, sync_signature

_KINDS = {InputKind.BUFFER: OutputKind.BUFFER_MUTATION, InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION}


def add_mutation_outputs(program: ExportedProgram, written: dict[Node, Node]) -> None:
    """Puts one output per written placeholder in front of the program's outputs (in place).

    Args:
        program: a functional program.
        written: placeholder -> node that holds its value at the end.

    Raises:
        NotLocalError: a parameter or constant is written.
    """
    signature = program.graph_signature
    buffers: list[tuple[Node, OutputSpec]] = []
    inputs: list[tuple[Node, OutputSpec]] = []
    for node, spec in zip(program.graph.find_nodes(op="placeholder"), signature.input_specs, strict=True):
        if node not in written:
            continue
        if spec.kind not in _KINDS:
            raise NotLocalError(f"{node.name}, a {spec.kind.name.lower()}, is written")
        target = spec.target if spec.kind == InputKind.BUFFER else node.name
        output = OutputSpec(_KINDS[spec.kind], TensorArgument(written[node].name), target)
        (buffers if spec.kind == InputKind.BUFFER else inputs).append((written[node], output))
    added = [*buffers, *inputs]
    if added:
        old = output_arguments(program.graph)
        output_node(program.graph).args = ((*(value for value, _ in added), *old),)
        signature.output_specs[:0] = [spec for _, spec in added]
        program.graph_module.recompile()
    sync_signature(program)
