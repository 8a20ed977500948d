"""What follows from a graph about the program that it is in."""

import copy
from typing import Any

import sympy
import torch
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule
from torch.utils._sympy.value_ranges import ValueRanges

from executorch.dialects import meta_keys
from executorch.ir.graph import output_arguments


def _get_updated_range_constraints(gm: GraphModule) -> "dict[sympy.Symbol, ValueRanges[Any]]":
    """Symbol to range of every symbol in sizes of the graph's values."""
    found: dict[sympy.Symbol, ValueRanges[Any]] = {}
    for node in gm.graph.nodes:
        value = node.meta.get(meta_keys.VAL)
        for item in value if isinstance(value, (tuple, list)) else (value,):
            sizes = item.shape if isinstance(item, torch.Tensor) else (item,)
            for size in sizes:
                if isinstance(size, torch.SymInt) and isinstance(size.node.expr, sympy.Expr):
                    ranges = size.node.shape_env.var_to_range if size.node.shape_env is not None else {}
                    for symbol in size.node.expr.free_symbols:
                        if symbol in ranges:
                            found[symbol] = ranges[symbol]
    return found


def _get_updated_graph_signature(
    old_signature: ExportGraphSignature, new_gm: GraphModule
) -> ExportGraphSignature:
    """A signature with the names of the placeholders and outputs of a graph; kinds and targets stay.

    Raises:
        ValueError: the graph has another number of inputs or outputs.
    """
    signature = copy.deepcopy(old_signature)
    pairs = (
        ("inputs", [spec.arg for spec in signature.input_specs], new_gm.graph.find_nodes(op="placeholder")),
        ("outputs", [spec.arg for spec in signature.output_specs], output_arguments(new_gm.graph)),
    )
    for what, arguments, nodes in pairs:
        if len(arguments) != len(nodes):
            raise ValueError(f"the graph has {len(nodes)} {what}, its signature {len(arguments)}")
        for argument, node in zip(arguments, nodes, strict=True):
            if isinstance(node, torch.fx.Node):
                argument.name = node.name
    return signature
