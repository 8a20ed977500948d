"""Lets operators write their result over an argument that nobody reads any more.

The compiler's programs are functional; an operator that changes little of a large tensor (``index_put`` into a cache)
copies all of it. Where the old value is dead and its memory belongs to the program, the in-place variant gives the same
program without the copy. The runtime needs kernels for the in-place variants, so only named operators are changed.
(:mod:`~executorch.passes.to_execution.in_place_index_put` says which ``index_put_`` released runtimes know; this project's know all.)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.errors import ExportErrorType, PassError
from executorch.dialects.torch_types import OpOverload
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import MUTATIONS, written_back
from executorch.ir.signature import sync_signature
from executorch.ir.values import value_of
from executorch.ir.views import RESHAPE_COPIES
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.to_execution.in_place_index_put import prepare_in_place

_aten: Final = torch.ops.aten

#: What is changed by default: its in-place variant has a kernel in every kernel library.
DEFAULT_INPLACEABLE_OPS: Final[frozenset[EdgeOpOverload]] = frozenset({edge_op(_aten.index_put.default)})


class ReinplacePass(ExportedProgramPassBase):
    """See the module's description. Changes the program in place.

    Args:
        ops: functional operators (edge or ATen) to change where that is safe; default
            :data:`DEFAULT_INPLACEABLE_OPS`.
        overrides: functional operator to the in-place operator to use for it, for operators whose in-place variant
            does not have the same name with an underscore.

    Raises:
        PassError: an operator has no in-place variant that writes its first argument.
    """

    def __init__(
        self, ops: "Iterable[Any] | None" = None, overrides: "Mapping[Any, Any] | None" = None
    ) -> None:
        given = {_op_of(key): _op_of(value) for key, value in (overrides or {}).items()}
        chosen = [_op_of(op) for op in (DEFAULT_INPLACEABLE_OPS if ops is None else ops)]
        self._in_place = {op: given.get(op) or in_place_variant(op) for op in (*chosen, *given)}
        for functional, in_place in self._in_place.items():
            _check(functional, in_place)

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        facts = _Facts.of(exported_program)
        modified = False
        for node in exported_program.graph.nodes:
            functional = aten_op(node.target) if node.op == "call_function" else None
            in_place = self._in_place.get(functional) if functional is not None else None
            if in_place is None or not _is_safe(node, facts):
                continue
            if functional is _aten.index_put.default:
                prepare_in_place(node)
            node.target = edge_op(in_place) if isinstance(node.target, EdgeOpOverload) else in_place
            modified = True
        if modified:
            sync_signature(exported_program)
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)


def reinplace_pass(
    ep: ExportedProgram,
    ops_to_inplace: "Iterable[Any] | None" = None,
    inplace_overrides: "Mapping[Any, Any] | None" = None,
) -> ExportedProgram:
    """Function form of :class:`ReinplacePass`; returns the program, which is changed in place."""
    return ReinplacePass(ops_to_inplace, inplace_overrides)(ep).exported_program


def in_place_variant(op: OpOverload) -> OpOverload:
    """``aten.relu_.default`` of ``aten.relu.default``.

    Raises:
        PassError: there is none with the same arguments.
    """
    namespace, _, name = op._schema.name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), f"{name}_", None)
    for overload in packet.overloads() if packet is not None else ():
        found = getattr(packet, overload)
        if _arguments(found) == _arguments(op):
            return found
    raise PassError(
        ExportErrorType.NOT_SUPPORTED,
        f"{op} has no in-place variant with the same arguments\nWay out: name one in inplace_overrides",
    )


def _op_of(op: Any) -> OpOverload:
    found = aten_op(op)
    if found is None:
        raise PassError(
            ExportErrorType.INVALID_INPUT_TYPE,
            f"{op!r} is no operator\nWay out: name overloads, such as ops.edge.aten.index_put.default",
        )
    return found


def _arguments(op: OpOverload) -> list[tuple[str, str]]:
    return [(argument.name, str(argument.type)) for argument in op._schema.arguments]


def _check(functional: OpOverload, in_place: OpOverload) -> None:
    """Raises unless ``in_place`` does what ``functional`` does, over its first argument and nothing else."""
    arguments = in_place._schema.arguments
    writes = [arg.alias_info is not None and arg.alias_info.is_write for arg in arguments]
    if functional._schema.is_mutable or not writes or not writes[0] or any(writes[1:]):
        raise PassError(
            ExportErrorType.NOT_SUPPORTED,
            f"{in_place} is no in-place variant of {functional}: it has to write its first argument only, and "
            f"{functional} nothing",
        )
    if _arguments(functional) != _arguments(in_place):
        raise PassError(
            ExportErrorType.NOT_SUPPORTED, f"{functional} and {in_place} have different arguments"
        )


@dataclass(frozen=True)
class _Facts:
    """What the safety of a change depends on beside the node.

    Attributes:
        owned: placeholders whose memory the program may write: buffers that it mutates.
        returned: what the caller gets.
        written: owned placeholder to the value that ends up in it.
    """

    owned: set[Node]
    returned: set[Any]
    written: dict[Node, Any]

    @classmethod
    def of(cls, program: ExportedProgram) -> "_Facts":
        signature = program.graph_signature
        outputs = output_arguments(program.graph)
        written = {placeholder: outputs[index] for index, placeholder in written_back(program)}
        returned = {
            value
            for value, spec in zip(outputs, signature.output_specs, strict=True)
            if spec.kind not in MUTATIONS and isinstance(value, Node)
        }
        return cls(set(written), returned, written)


def _is_safe(node: Node, facts: _Facts) -> bool:
    """Whether nobody can tell that ``node`` writes over its first argument."""
    target = node.args[0] if node.args else None
    if not isinstance(target, Node) or not _same_kind(value_of(target), value_of(node)):
        return False
    shared = _sharing(target)
    if any(member.op != "call_function" and member not in facts.owned for member in shared):
        return False  # an input or a constant
    if any(argument in shared for argument in node.all_input_nodes if argument is not target):
        return False  # it reads what it writes
    if sum(argument is target for argument in _flat_arguments(node)) > 1:
        return False
    after = shared | _sharing(node)
    if facts.returned & after and any(facts.written[owner] not in after for owner in shared & facts.owned):
        return False  # the caller gets it, and the buffer changes once more
    return not any(node < user for member in shared for user in member.users if user not in shared)


def _same_kind(before: Any, after: Any) -> bool:
    return (
        isinstance(before, torch.Tensor)
        and isinstance(after, torch.Tensor)
        and before.dtype == after.dtype
        and [str(size) for size in before.shape] == [str(size) for size in after.shape]
        and [str(stride) for stride in before.stride()] == [str(stride) for stride in after.stride()]
    )


def _sharing(node: Node) -> set[Node]:
    """``node`` and everything that may share memory with it at run time."""
    found = {node}
    pending = [node]
    while pending:
        member = pending.pop()
        around = [user for user in member.users if _shares_first(user) and user.args[0] is member]
        if _shares_first(member) and isinstance(member.args[0], Node):
            around.append(member.args[0])
        for other in around:
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def _shares_first(node: Node) -> bool:
    """Whether a node's result may be its first argument's memory."""
    op = aten_op(node.target) if node.op == "call_function" else None
    return op is not None and bool(node.args) and (op in RESHAPE_COPIES or op._schema.is_mutable)


def _flat_arguments(node: Node) -> list[Any]:
    return torch.utils._pytree.tree_leaves((node.args, node.kwargs))


__all__ = ["DEFAULT_INPLACEABLE_OPS", "ReinplacePass", "in_place_variant", "reinplace_pass"]
