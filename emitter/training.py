"""What a program for training gives out, and the constant methods that say where it is.

Such a program comes from a joint graph: it returns the loss and the model's other results, then the gradients, then
the parameters. `TrainingModule` finds the sections, and the parameters' names, by constant methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, OutputKind, OutputSpec

GRADIENTS_INDEX: Final = "__et_training_gradients_index_"
PARAMETERS_INDEX: Final = "__et_training_parameters_index_"
PARAMETER_NAMES: Final = "__et_training_fqn_"

_RETURNED: Final = (
    OutputKind.USER_OUTPUT,
    OutputKind.LOSS_OUTPUT,
    OutputKind.GRADIENT_TO_PARAMETER,
    OutputKind.GRADIENT_TO_USER_INPUT,
)


def is_returned(output: OutputSpec, signature: ExportGraphSignature) -> bool:
    """Whether the caller gets this output: not the new values of buffers, which stay in the program.

    Signatures have no kind for parameters that leave the program; they are tokens with the name of a parameter.
    """
    if output.kind is OutputKind.TOKEN:
        return getattr(output.arg, "name", None) in signature.inputs_to_parameters
    return output.kind in _RETURNED


def training_methods(methods: Mapping[str, ExportedProgram]) -> dict[str, Any]:
    """Name -> value of the constant methods for those of `methods` that return gradients of their parameters."""
    found: dict[str, Any] = {}
    for name, program in sorted(methods.items()):
        signature = program.graph_signature
        returned = [output for output in signature.output_specs if is_returned(output, signature)]
        kinds = [output.kind for output in returned]
        if OutputKind.GRADIENT_TO_PARAMETER not in kinds:
            continue
        first = kinds.index(OutputKind.GRADIENT_TO_PARAMETER)
        names = [o.target for o in returned if o.kind is OutputKind.GRADIENT_TO_PARAMETER]
        found[GRADIENTS_INDEX + name] = first
        found[PARAMETER_NAMES + name] = names
        found[PARAMETERS_INDEX + name] = first + len(names)
    return found
