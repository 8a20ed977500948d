"""Compressed weights: torchao's operators that make a weight of its parts, as operators that Core ML keeps compressed.

Parts are constants of the program, or tensors inside of a constant that torchao made. Their values go into the model as they are; what is
calculated of them there is calculated when the device loads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from executorch.backends.apple.coreml.compiler import own_operators
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import ExportError
from executorch.ir.constants import add_constant, remove_constants
from executorch.ir.rewriter import arguments, new_call
from executorch.ir.signature import state_inputs, state_value

#: A tensor inside of a constant.
INNER_TENSOR = "export.access_subclass_inner_tensor.default"
AFFINE = "torchao.dequantize_affine.default"
CODEBOOK = "quant.dequantize_codebook.default"
#: Indices into a table, as its operator wants them.
CASTS = ("aten._to_copy.default", "dim_order_ops._to_dim_order_copy.default")
#: Bits of an index that Core ML has.
_BITS = (1, 2, 3, 4, 6, 8)


def part(program: ExportedProgram, node: Any) -> torch.Tensor | None:
    """The value of a part of a weight; None for what is none."""
    if not isinstance(node, Node):
        return None
    name = str(aten_op(node.target)) if node.op == "call_function" else ""
    if name == INNER_TENSOR or name in CASTS:
        whole = part(program, node.args[0])
        if whole is None or name == INNER_TENSOR:
            return None if whole is None else getattr(whole, str(node.args[1]))
        return whole.to(node.meta[meta_keys.VAL].dtype)
    spec = state_inputs(program.graph_signature).get(node.name)
    value = None if spec is None else state_value(program, spec)
    return value if isinstance(value, torch.Tensor) else None


def fold(program: ExportedProgram) -> None:
    """Says each weight that is made of parts in one operator over constants.

    Raises:
        ExportError: a part is calculated.
    """
    for node in list(program.graph.nodes):
        name = str(aten_op(node.target)) if node.op == "call_function" else ""
        if name in (AFFINE, CODEBOOK):
            _fold(program, node, name)
    program.graph.eliminate_dead_code()
    remove_constants(
        program, [one for one in program.graph.nodes if one.op == "placeholder" and not one.users]
    )


def _fold(program: ExportedProgram, node: Node, name: str) -> None:
    given = arguments(node)
    names = ("input", "scale", "zero_point") if name == AFFINE else ("codes", "codebook")
    values = {key: part(program, given[key]) for key in names}
    if any(value is None and given[key] is not None for key, value in values.items()):
        raise ExportError(f"Core ML: {node.format_node()} reads a part that is no constant")
    dtype = node.meta[meta_keys.VAL].dtype
    parts: dict[str, Any] = {
        key: None if value is None else _constant(program, node, key, value, dtype)
        for key, value in values.items()
    }
    with program.graph.inserting_before(node):
        if name == AFFINE:
            low = given["quant_min"]
            has_four_bits = low is not None and low >= -8 and given["quant_max"] <= 7
            op: Any = own_operators.coreml_dequantize_blocks
            made = new_call(node, op, (*(parts[key] for key in names), has_four_bits))
        else:
            bits = next(one for one in _BITS if one >= given["nbits"])
            made = new_call(node, own_operators.coreml_look_up, (parts["codes"], parts["codebook"], bits))
        made.meta[meta_keys.VAL] = node.meta[meta_keys.VAL]
    node.replace_all_uses_with(made, propagate_meta=False)
    program.graph.erase_node(node)


def _constant(
    program: ExportedProgram, node: Node, key: str, value: torch.Tensor, dtype: torch.dtype
) -> Node:
    value = value.detach().to(dtype if key in ("scale", "codebook") else torch.int32)
    if key in ("scale", "zero_point"):
        value = _by_block(value, node)
    return add_constant(program, value.contiguous(), f"{node.name}_{key}", InputKind.CONSTANT_TENSOR)


def _by_block(value: torch.Tensor, node: Node) -> torch.Tensor:
    """One value for each block, in as many dimensions as the weight has."""
    sizes: Sequence[int] = node.meta[meta_keys.VAL].shape
    blocks = arguments(node)["block_size"]
    return value.reshape([size // block for size, block in zip(sizes, blocks, strict=True)])
