"""A program's state by placeholder; the pass is in :mod:`executorch.passes.quantized.quant_fusion_pass`."""

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from executorch.ir.signature import input_specs, state_value


def _get_node_value_dict(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """Name of the placeholder to tensor, for parameters and buffers."""
    kinds = (InputKind.PARAMETER, InputKind.BUFFER)
    return {
        name: state_value(program, spec)
        for name, spec in input_specs(program.graph_signature).items()
        if spec.kind in kinds
    }
