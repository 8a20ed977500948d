"""What a program for training gives out, and the constant methods that say where it is.

Such a program comes from a joint graph: it returns the loss and the model's other results, then the gradients, then
the parameters. `TrainingModule` finds the sections, and the parameters' names, by constant methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from torch.export import ExportedProgram

from executorch.ir.mutations import gradient_outputs, is_returned

GRADIENTS_INDEX: Final = "__et_training_gradients_index_"
PARAMETERS_INDEX: Final = "__et_training_parameters_index_"
PARAMETER_NAMES: Final = "__et_training_fqn_"


def training_methods(methods: Mapping[str, ExportedProgram]) -> dict[str, Any]:
    """Name -> value of the constant methods for those of `methods` that return gradients of their parameters."""
    found: dict[str, Any] = {}
    for name, program in sorted(methods.items()):
        signature = program.graph_signature
        gradients = gradient_outputs(signature)
        if not gradients:
            continue
        returned = [output for output in signature.output_specs if is_returned(output, signature)]
        first = returned.index(gradients[0])
        found[GRADIENTS_INDEX + name] = first
        found[PARAMETER_NAMES + name] = [output.target for output in gradients]
        found[PARAMETERS_INDEX + name] = first + len(gradients)
    return found
