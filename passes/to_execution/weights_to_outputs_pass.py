"""Lets a training step give out its parameters, so that an optimizer outside the program can update them."""

from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind, OutputSpec, TensorArgument

from executorch.ir.graph import output_arguments
from executorch.ir.mutations import gradients


def weights_to_outputs_pass(exported_program: ExportedProgram) -> ExportedProgram:
    """Appends to the outputs, behind the gradients, the parameter that belongs to each (in place); returns the program.

    A program without gradients stays as it is.

    Raises:
        ValueError: it has outputs of this kind already.
    """
    signature = exported_program.graph_signature
    trained = gradients(signature)
    if not trained:
        return exported_program
    if any(spec.kind is OutputKind.TOKEN for spec in signature.output_specs):
        raise ValueError("the parameters are outputs already")
    placeholders = {node.name: node for node in exported_program.graph.find_nodes(op="placeholder")}
    parameters = {target: placeholders[name] for name, target in signature.inputs_to_parameters.items()}
    added = [parameters[target] for target in trained]
    exported_program.graph.output_node().args = ((*output_arguments(exported_program.graph), *added),)
    # Signatures have no kind for parameters that leave the program; runtimes read them behind the gradients.
    signature.output_specs += [
        OutputSpec(OutputKind.TOKEN, TensorArgument(node.name), target=None) for node in added
    ]
    exported_program.graph_module.recompile()
    return exported_program


__all__ = ["weights_to_outputs_pass"]
