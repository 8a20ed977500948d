"""Computes ahead of time what depends on constants only."""

import logging
import operator
from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.node import map_arg

from executorch.dialects.edge_ops import aten_op
from executorch.dialects.verifiers import graph_modules
from executorch.ir.constants import ConstantLifter, remove_constants
from executorch.ir.signature import constant_values, sync_signature
from executorch.ir.values import value_of
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_LOG = logging.getLogger(__name__)

#: Results up to this many bytes are stored even if that takes more space than their sources.
_SMALL = 4096


class ConstantPropPass(ExportedProgramPassBase):
    """Replaces operators whose inputs are all constants by their results, as lifted constants (in place).

    A result is not stored when that makes the program larger: it is larger than its sources together, or its
    sources are needed by others too. Constants bound for an external file stay.

    Args:
        only_if_not_larger: switch for that rule.
        skip: call targets that are not evaluated.
    """

    def __init__(self, only_if_not_larger: bool = True, skip: "frozenset[Any]" = frozenset()) -> None:
        self._only_if_not_larger = only_if_not_larger
        self._skip = skip

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        known: dict[Node, Any] = dict(constant_values(exported_program))
        folded: dict[Node, Any] = {}
        with torch.no_grad():
            for node in exported_program.graph.nodes:
                if node.target not in self._skip and is_foldable(node, known) and self._is_worth(node, known):
                    known[node] = folded[node] = evaluate(node, known)
        if not folded:
            return ExportedProgramPassResult(exported_program, False)
        lifter = ConstantLifter(exported_program, "_prop_tensor_constant", persistent=True)
        for node, value in folded.items():
            if isinstance(value, torch.Tensor) and any(user not in folded for user in node.users):
                constant = lifter.lift(value.contiguous(), example=value_of(node))
                node.replace_all_uses_with(constant, propagate_meta=False)
        for node in reversed(list(folded)):
            if not node.users:
                exported_program.graph.erase_node(node)
        exported_program.graph_module.recompile()
        sync_signature(exported_program)  # a result of the method may be a constant now
        return ExportedProgramPassResult(exported_program, True)

    def _is_worth(self, node: Node, known: dict[Node, Any]) -> bool:
        if not self._only_if_not_larger:
            return True
        size = _nbytes(value_of(node))
        if size is None:
            return False
        freed = sum(_nbytes(known[source]) or 0 for source in node.all_input_nodes if len(source.users) == 1)
        return size <= max(freed, _SMALL)


def is_foldable(node: Node, known: dict[Node, Any]) -> bool:
    """Whether ``node`` computes something of ``known`` values alone, and the same each time."""
    sources = node.all_input_nodes
    if node.op != "call_function" or not sources or any(source not in known for source in sources):
        return False
    op = aten_op(node.target)
    if op is None:
        return node.target is operator.getitem
    return not op._schema.is_mutable and torch.Tag.nondeterministic_seeded not in op.tags


def evaluate(node: Node, known: dict[Node, Any]) -> Any:
    """What ``node`` computes of ``known`` values."""
    args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
    return node.target(*args, **kwargs)  # type: ignore[operator]


def _nbytes(value: Any) -> "int | None":
    if isinstance(value, (tuple, list)):
        sizes = [_nbytes(item) for item in value]
        return None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)
    if not isinstance(value, torch.Tensor) or not all(isinstance(size, int) for size in value.shape):
        return None
    return value.numel() * value.element_size()


#: Operators of quantization: backends recognise them around constants, so they are not evaluated unless asked for.
QUANTIZATION_OPS: Final = frozenset(
    {
        "quantized_decomposed::choose_qparams.tensor",
        "quantized_decomposed::convert_element_type.no_fuse",
        "quantized_decomposed::dequantize_per_channel",
        "quantized_decomposed::dequantize_per_tensor",
        "quantized_decomposed::dequantize_per_tensor.tensor",
        "quantized_decomposed::quantize_per_channel",
        "quantized_decomposed::quantize_per_tensor",
        "quantized_decomposed::quantize_per_tensor.tensor",
        "torchao::choose_qparams_affine",
        "torchao::dequantize_affine",
        "torchao::quantize_affine",
    }
)


def constant_prop_pass(
    exported_program: ExportedProgram,
    custom_skip_targets: "set[Any] | None" = None,
    _skip_dim_order: bool = True,
) -> ExportedProgram:
    """Folds everything that depends on constants only; returns the program (changed in place).

    Constants that nobody needs afterwards are removed from the program.

    Args:
        exported_program: with lifted constants.
        custom_skip_targets: call targets that are not evaluated; default the operators of quantization.
        _skip_dim_order: for callers of other releases; results keep their dim order either way.
    """
    del _skip_dim_order
    outermost = exported_program.graph_module
    if any(module is not outermost for module in graph_modules(outermost)):
        _LOG.warning("constant_prop_pass does not constant propagate in control flow modules")
    fold = ConstantPropPass(
        only_if_not_larger=False, skip=skipped_targets(exported_program, custom_skip_targets)
    )
    unused = {node for node in constant_values(exported_program) if not node.users}
    program = fold(exported_program).exported_program
    remove_constants(program, constant_values(program).keys() - unused)
    return program


def skipped_targets(program: ExportedProgram, custom: "set[Any] | None") -> "frozenset[Any]":
    """Call targets of the program that constant propagation leaves alone: ``custom``, by default quantization."""
    if custom is not None:
        return frozenset(custom)
    targets = {node.target for node in program.graph.nodes if node.op == "call_function"}
    return frozenset(
        target for target in targets if (op := aten_op(target)) is not None and op.name() in QUANTIZATION_OPS
    )


def propagated_constants(
    program: ExportedProgram, custom_skip_targets: "set[Any] | None" = None
) -> "dict[Node, torch.Tensor]":
    """Every tensor of the outermost graph that is known ahead of time: constants, and what follows from them."""
    skip = skipped_targets(program, custom_skip_targets)
    known: dict[Node, Any] = dict(constant_values(program))
    with torch.no_grad():
        for node in program.graph.nodes:
            if node.target not in skip and is_foldable(node, known):
                known[node] = evaluate(node, known)
    return {node: value for node, value in known.items() if isinstance(value, torch.Tensor)}
