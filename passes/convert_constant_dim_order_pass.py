"""Gives constants with unusual strides a layout that a program can store."""

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.ir.signature import constant_values
from executorch.ir.values import value_of

_ORDERS = {4: torch.channels_last, 5: torch.channels_last_3d}


def convert_constant_dim_order_pass(exported_program: ExportedProgram) -> ExportedProgram:
    """Makes parameters, buffers and constants contiguous unless they are contiguous or channels last (in place).

    Strided weights, of a transposed tensor for instance, have no dim order that kernels agree on.

    Args:
        exported_program: with lifted constants.
    """
    signature = exported_program.graph_signature
    names = {
        **signature.inputs_to_parameters,
        **signature.inputs_to_buffers,
        **signature.inputs_to_lifted_tensor_constants,
    }
    for node, value in list(constant_values(exported_program).items()):
        if isinstance(value, torch.Tensor) and node.name in names and not _is_usual(value):
            _store(exported_program, names[node.name], value.contiguous())
            _restate(node)
    return exported_program


def _is_usual(tensor: torch.Tensor) -> bool:
    order = _ORDERS.get(tensor.dim())
    return tensor.is_contiguous() or (order is not None and tensor.is_contiguous(memory_format=order))


def _store(program: ExportedProgram, name: str, value: torch.Tensor) -> None:
    for holder in (program.state_dict, program.constants):
        if name in holder:
            is_parameter = isinstance(holder[name], torch.nn.Parameter)
            new = (
                torch.nn.Parameter(value, requires_grad=holder[name].requires_grad) if is_parameter else value
            )
            holder[name] = new


def _restate(node: Node) -> None:
    example = value_of(node)
    if isinstance(example, torch.Tensor):
        node.meta[meta_keys.VAL] = example.contiguous()
