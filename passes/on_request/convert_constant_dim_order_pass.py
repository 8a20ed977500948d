"""Gives constants with unusual strides a layout that a program can store."""

import torch
from torch.export import ExportedProgram

from executorch.ir.constants import set_constant
from executorch.ir.signature import constant_values

_ORDERS = {4: torch.channels_last, 5: torch.channels_last_3d}


def convert_constant_dim_order_pass(exported_program: ExportedProgram) -> ExportedProgram:
    """Makes parameters, buffers and constants contiguous unless they are contiguous or channels last (in place).

    Strided weights, of a transposed tensor for instance, have no dim order that kernels agree on.

    Args:
        exported_program: with lifted constants.
    """
    for node, value in constant_values(exported_program).items():
        if not _is_usual(value):
            set_constant(exported_program, node, value.contiguous())
    return exported_program


def _is_usual(tensor: torch.Tensor) -> bool:
    order = _ORDERS.get(tensor.dim())
    return tensor.is_contiguous() or (order is not None and tensor.is_contiguous(memory_format=order))
