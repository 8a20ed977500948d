"""Makes the new values of written inputs outputs of a program, as torch's functionalization does."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputSpec, TensorArgument
from torch.fx import Node

from executorch.ir.graph import output_arguments
from executorch.ir.mutations import MUTATION_KINDS, written_name
from executorch.ir.signature import sync_signature
from executorch.passes.decomposition.op_recorder import NotLocalError


def add_mutation_outputs(program: ExportedProgram, written: dict[Node, Node]) -> None:
    """Puts one output per written placeholder in front of the program's outputs (in place).

    Args:
        program: a functional program.
        written: placeholder -> node that holds its value at the end.

    Raises:
        NotLocalError: a lifted constant is written.
    """
    signature = program.graph_signature
    state: list[tuple[Node, OutputSpec]] = []
    inputs: list[tuple[Node, OutputSpec]] = []
    for node, spec in zip(program.graph.find_nodes(op="placeholder"), signature.input_specs, strict=True):
        if node not in written:
            continue
        if spec.kind not in MUTATION_KINDS:
            raise NotLocalError(f"{node.name}, a {spec.kind.name.lower()}, is written")
        output = OutputSpec(MUTATION_KINDS[spec.kind], TensorArgument(written[node].name), written_name(spec))
        (inputs if spec.kind is InputKind.USER_INPUT else state).append((written[node], output))
    added = [*state, *inputs]
    if added:
        old = output_arguments(program.graph)
        program.graph.output_node().args = ((*(value for value, _ in added), *old),)
        signature.output_specs[:0] = [spec for _, spec in added]
        program.graph_module.recompile()
    sync_signature(program)
