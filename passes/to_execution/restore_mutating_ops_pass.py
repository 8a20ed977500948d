"""Turns ``auto_functionalized`` nodes back into calls of the operators that they stand for.

``torch.export`` makes programs functional. A custom operator that writes its arguments (``Tensor(a!) cache``) has no
functional form, so torch wraps it: ``auto_functionalized_v2(op, x, _cache_base_index=0, _all_bases=[cache])`` returns
the operator's own results and then the new value of every tensor in ``_all_bases``. At run time the operator writes
the memory of its argument. Whoever still needs the old value of that memory reads a copy made right before the call; an
operator that would write memory that is not the program's to write (a constant, a weight, an input of a control-flow
body) gets a copy of its own.
"""

import operator
from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import edge_op
from executorch.dialects.errors import Problems, SpecViolationError
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.ir.mutations import mutated_placeholders
from executorch.ir.signature import sync_signature
from executorch.ir.values import compute_value, is_contiguous_value, value_of
from executorch.passes.infrastructure.functional_forms import written_arguments
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_V1: Final = "auto_functionalized"
_V2: Final = "auto_functionalized_v2"

_aten: Final = torch.ops.aten
_CLONE: Final = torch.ops.dim_order_ops._clone_dim_order.default
_WAY_OUT: Final = (
    "write a whole buffer, input or intermediate value, a slice of one along a dimension, or a reshaped one; copy any "
    "other part out of it before the operator and back into it afterwards"
)


class UnsupportedViewError(Exception):
    """An operator writes a part of a tensor that no copies can stand for."""


class RestoreMutatingOpsPass(ExportedProgramPassBase):
    """See the module's description. Changes the program in place; its graph is not functional afterwards.

    Runs before the write-back of buffers: a mutation output that such an operator wrote is the buffer's placeholder
    itself, and needs no write-back.

    Raises:
        SpecViolationError: operators write parts of tensors that are neither slices nor reshaped wholes; the message
            lists all with their places in the model.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        writable = mutated_placeholders(exported_program)
        problems = Problems("Operators that write a part of a tensor")
        modified = False
        for module in graph_modules(exported_program.graph_module):
            changed = False
            for node in list(module.graph.nodes):
                if not is_auto_functionalized(node):
                    continue
                try:
                    _Restorer(node, writable).run()
                    changed = True
                except UnsupportedViewError as error:
                    problems.add(node, f"{node.args[0]} {error}")
            if changed:
                module.graph.lint()
                module.recompile()
            modified |= changed
        problems.raise_if_any(_WAY_OUT, SpecViolationError)
        if modified:
            sync_signature(exported_program)
        return ExportedProgramPassResult(exported_program, modified)


def is_auto_functionalized(node: Node) -> bool:
    """True for the wrapped call of an operator that writes its arguments."""
    target = node.target
    if node.op != "call_function" or not isinstance(target, HigherOrderOperator):
        return False
    return target.name() in (_V1, _V2)


class _Restorer:
    """Rewrites one node.

    Args:
        node: a call of ``auto_functionalized`` or its second version.
        writable: placeholders whose memory the program may write.
    """

    def __init__(self, node: Node, writable: set[Node]) -> None:
        self._node = node
        self._op: OpOverload = node.args[0]  # type: ignore[assignment]
        self._writable = writable
        self._second = node.target.name() == _V2  # type: ignore[union-attr]
        self._given = dict(node.kwargs)
        self._bases: list[Any] = self._find_bases()
        #: For every base: the parts of it that the operator writes and how to put one back; the whole has no entry.
        self._parts: dict[int, list[tuple[Node, Any, tuple[Any, ...]]]] = {}
        self._homes: dict[int, Any] = {}

    def run(self) -> None:
        found = self._view_arguments()  # raises before anything is changed
        with self._node.graph.inserting_before(self._node):
            for index in range(len(self._bases)):
                self._homes[index] = self._home(index)
            arguments = {name: self._realize(view) for name, view in found.items()}
            call = self._call(arguments)
            news = [self._put_back(index) for index in range(len(self._bases))]
        self._replace(call, news)

    # ---- what is written ---------------------------------------------------------------------------------------

    def _find_bases(self) -> list[Any]:
        if self._second:
            return list(self._given.get("_all_bases", ()))  # type: ignore[arg-type]
        return [self._given.get(argument.name) for argument in _written(self._op)]

    def _view_arguments(self) -> dict[str, Any]:
        """The written arguments: per name a view, a list of views, or None; a view is (base's index, kind, details)."""
        if not self._second:
            return {
                argument.name: None if base is None else self._whole(index, base)
                for index, (argument, base) in enumerate(zip(_written(self._op), self._bases, strict=True))
            }
        views: dict[str, Any] = {}
        for argument in _written(self._op):
            length = self._given.get(f"_{argument.name}_length")
            if isinstance(length, int):
                views[argument.name] = [self._view(f"_{argument.name}_{i}") for i in range(length)]
            else:
                views[argument.name] = self._view(f"_{argument.name}")
        return views

    def _whole(self, index: int, base: Any) -> tuple[int, str, tuple[Any, ...]]:
        if not isinstance(base, Node):
            raise UnsupportedViewError("writes a list of tensors in a form that cannot be taken apart")
        return index, "whole", ()

    def _view(self, prefix: str) -> "tuple[int, str, tuple[Any, ...]] | None":
        index = self._given.get(f"{prefix}_base_index")
        if not isinstance(index, int):
            return None
        if f"{prefix}_slice_dim" in self._given:
            names = ("slice_dim", "slice_start", "slice_end")
            return index, "slice", tuple(self._given[f"{prefix}_{name}"] for name in names)
        if f"{prefix}_size" not in self._given:
            return index, "whole", ()
        size, stride = self._given[f"{prefix}_size"], self._given[f"{prefix}_stride"]
        base = value_of(self._bases[index])
        dense = is_contiguous_value(base) and self._given[f"{prefix}_storage_offset"] == 0
        if not dense or not _covers(size, stride, base):
            raise UnsupportedViewError(
                f"writes {self._bases[index].name} through a view of size {list(size)}, strides {list(stride)}"  # type: ignore[arg-type]
            )
        return index, "reshape", (list(size),)  # type: ignore[arg-type]

    # ---- where it is written -----------------------------------------------------------------------------------

    def _home(self, index: int) -> Any:
        """The node whose memory the operator may write in place of base ``index``; None for an argument left out."""
        base = self._bases[index]
        if base is None:
            return base
        if self._given_away(index) or (base.op != "call_function" and base not in self._writable):
            return self._insert(edge_op(_CLONE), (base,), base)
        others = [user for user in base.users if self._node < user and not user._erased]
        if others or self._is_read(base):
            old = self._insert(edge_op(_CLONE), (base,), base)
            for user in others:
                user.replace_input_with(base, old)
            self._given = torch.fx.node.map_arg(self._given, lambda item: old if item is base else item)
        return base

    def _given_away(self, index: int) -> bool:
        return any(other is self._bases[index] for other in self._bases[:index])

    def _is_read(self, base: Node) -> bool:
        """Whether the operator reads what it writes through another argument: then it means the old value."""
        names = {argument.name for argument in self._op._schema.arguments}
        names -= {argument.name for argument in _written(self._op)}
        read = {name: value for name, value in self._given.items() if name in names}
        return any(leaf is base for leaf in torch.utils._pytree.tree_leaves(read))

    def _realize(self, view: Any) -> Any:
        if isinstance(view, list):
            return [self._realize(item) for item in view]
        if view is None:
            return None
        index, kind, details = view
        home = self._homes[index]
        if kind == "whole":
            return home
        if kind == "slice":
            part = self._insert(edge_op(_aten.slice_copy.Tensor), (home, *details), home)
        else:
            part = self._insert(edge_op(_aten.view_copy.default), (home, *details), home)
        self._parts.setdefault(index, []).append((part, kind, details))
        return part

    def _put_back(self, index: int) -> Any:
        """The new value of base ``index`` after the call."""
        value = self._homes[index]
        for part, kind, details in self._parts.get(index, ()):
            if kind == "slice":
                value = self._insert(edge_op(_aten.slice_scatter.default), (value, part, *details), value)
            else:
                shape = list(value_of(value).shape)
                value = self._insert(edge_op(_aten.view_copy.default), (part, shape), value)
        return value

    # ---- nodes -------------------------------------------------------------------------------------------------

    def _insert(self, target: Any, args: tuple[Any, ...], like: Node) -> Node:
        created = self._node.graph.call_function(target, args)
        created.meta = self._meta()
        if target == edge_op(_CLONE):
            created.meta[meta_keys.VAL] = value_of(like)
        else:
            created.meta[meta_keys.VAL] = compute_value(target._op, args, {}, (like,))
        return created

    def _meta(self) -> dict[str, Any]:
        own = (meta_keys.VAL, meta_keys.SPEC, "tensor_meta")
        return {key: item for key, item in self._node.meta.items() if key not in own}

    def _call(self, written: dict[str, Any]) -> Node:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for argument in self._op._schema.arguments:
            name = argument.name
            value = written[name] if name in written else self._given.get(name, argument.default_value)
            if argument.kwarg_only:
                kwargs[name] = value
            else:
                args.append(value)
        call = self._node.graph.call_function(self._op, tuple(args), kwargs)
        call.meta = self._meta()
        count = len(self._op._schema.returns)
        values = value_of(self._node)
        if count and isinstance(values, (tuple, list)):
            call.meta[meta_keys.VAL] = values[0] if count == 1 else tuple(values[:count])
        return call

    def _replace(self, call: Node, news: list[Any]) -> None:
        count = len(self._op._schema.returns)
        first = max(1, count)  # an operator without results returns None, which has a place too
        for user in list(self._node.users):
            assert user.target is operator.getitem, f"{user.name} reads {self._node.name} as a whole"
            index = user.args[1]
            assert isinstance(index, int)
            if index >= first:
                user.replace_all_uses_with(news[index - first], propagate_meta=False)
            elif count == 1:
                user.replace_all_uses_with(call, propagate_meta=False)
            elif count:
                user.replace_input_with(self._node, call)
                continue
            self._node.graph.erase_node(user)
        self._node.graph.erase_node(self._node)


def _written(op: OpOverload) -> list[Any]:
    return [op._schema.arguments[position] for position in written_arguments(op)]


def _covers(size: Any, stride: Any, base: torch.Tensor) -> bool:
    """Whether a view from the start of a contiguous tensor is all of it, in order."""
    expected = 1
    for length, step in zip(reversed(size), reversed(stride), strict=True):
        if not isinstance(length, int) or not isinstance(step, int) or (length != 1 and step != expected):
            return False
        expected *= length
    return expected == base.numel()


__all__ = ["RestoreMutatingOpsPass", "is_auto_functionalized"]
