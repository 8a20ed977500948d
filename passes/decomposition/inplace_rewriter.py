"""Makes in-place operators of a graph functional.

``relu_(x)`` becomes ``y = relu(x)``, and everything after it that read ``x`` reads ``y``. Other nodes may share memory
with ``x``. If ``x`` is a view, what it is a view of gets a new value too, from the new ``x``
(:mod:`~executorch.passes.decomposition.view_inverses`); and every view of that memory which is still read is made again from the
new value, so that later writes find the same relations between values as eager PyTorch between tensors.
"""

import itertools
import operator
from collections.abc import Iterator
from typing import Any, Final

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import compute_value, value_of
from executorch.passes.decomposition.op_recorder import NotLocalError
from executorch.passes.decomposition.view_inverses import SCATTERS, can_put_back, put_back
from executorch.passes.decomposition.wrapped_writes import wrap, written_nodes
from executorch.passes.infrastructure.functional_forms import functional_form, may_alias

_aten = torch.ops.aten
_OWN_META: Final = frozenset({meta_keys.VAL, "tensor_meta"})


class InPlaceRewriter:
    """Rewrites one graph, front to back; everything before the current node is functional already.

    Attributes:
        written: placeholder -> node with the value it has in the end, for written placeholders.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.written: dict[Node, Node] = {}

    def rewrite(self, node: Node) -> "Node | None":
        """Replaces the in-place ``node`` (which is erased); returns the new functional node, None if there is none.

        Raises:
            NotLocalError: the operator has no functional form, or writes through a view that cannot be inverted.
        """
        target = node.args[0] if node.args else None
        op = node.target
        if op is _aten.detach_.default and isinstance(target, Node):
            node.replace_all_uses_with(target, propagate_meta=False)
            self._graph.erase_node(node)
            return None
        if not isinstance(op, OpOverload):
            raise NotLocalError(f"{node.name} does not write a tensor of the graph")
        if op is not _aten.copy_.default and functional_form(op) is None:
            return self._wrap(node, op)
        if not isinstance(target, Node):
            raise NotLocalError(f"{node.name} does not write a tensor of the graph")
        chain = self._live_chain(node, target)
        with self._graph.inserting_before(node):
            functional, value = self._new_value(node, op, target)
            renewed = self._take_over(node, target, chain, value)
        node.replace_all_uses_with(renewed[target], propagate_meta=False)
        self._graph.erase_node(node)
        return functional

    def _wrap(self, node: Node, op: OpOverload) -> Node:
        targets = written_nodes(node, op)
        chains = [self._live_chain(node, target) for target in targets]
        memories = {list(_alias_chain(target))[-1] for target in targets}
        if len(memories) < len(targets):
            raise NotLocalError(f"{node.name} writes one tensor through several views")
        with self._graph.inserting_before(node):
            wrapped, values = wrap(self._graph, node, op)
            for target, chain, value in zip(targets, chains, values, strict=True):
                self._take_over(node, target, chain, value)
        self._graph.erase_node(node)
        return wrapped

    def _take_over(self, node: Node, target: Node, chain: list[Node], value: Node) -> dict[Node, Node]:
        """``value`` is ``target``'s new one: puts it into what it is a view of; see :meth:`_renew`."""
        for part, whole in itertools.pairwise(chain):
            value = self._put_back(part, whole, value)
        return self._renew(node, target, chain[-1], value)

    def renamed(self, old: Node, new: Node) -> None:
        """``new`` takes the place of ``old``."""
        for placeholder, value in self.written.items():
            if value is old:
                self.written[placeholder] = new

    # ---- which values are concerned ---------------------------------------------------------------------------

    def _live_chain(self, node: Node, target: Node) -> list[Node]:
        """``target``, what it is a view of, and so on, up to the last value that somebody still needs."""
        chain = list(_alias_chain(target))
        below: Node | None = None
        last = 0
        for index, whole in enumerate(chain):
            if self._is_needed(whole, node, ignoring=below):
                last = index
            below = whole
        del chain[last + 1 :]
        for part, whole in itertools.pairwise(chain):
            if not can_put_back(part, whole):
                raise NotLocalError(f"{node.name} writes part of {whole.name} through {part.name}")
        return chain

    def _is_needed(self, value: Node, node: Node, ignoring: "Node | None" = None) -> bool:
        """True when ``value``, or a view of it, is read after ``node`` or seen by the caller."""
        if value.op == "placeholder" or value in self.written.values():
            return True
        for user in value.users:
            if node < user:
                return True
            if (
                user is not ignoring
                and user is not node
                and _base(user) is value
                and self._is_needed(user, node)
            ):
                return True
        return False

    # ---- new values -------------------------------------------------------------------------------------------

    def _new_value(self, node: Node, op: OpOverload, target: Node) -> tuple["Node | None", Node]:
        if op is _aten.copy_.default:
            return None, self._copied(node, target)
        functional = functional_form(op)
        assert functional is not None
        new = self._create(functional, node.args, dict(node.kwargs), node)
        dtype = value_of(target).dtype
        if value_of(new).dtype == dtype:
            return new, new
        return new, self._create(_aten._to_copy.default, (new,), {"dtype": dtype}, node)

    def _copied(self, node: Node, target: Node) -> Node:
        """The value of ``copy_(target, source)``: the source in the target's type and shape."""
        source = node.args[1]
        if not isinstance(source, Node):
            raise NotLocalError(f"{node.name} copies something that is not a node")
        wanted, value = value_of(target), value_of(source)
        if [str(size) for size in wanted.shape] != [str(size) for size in value.shape]:
            sizes = list(wanted.shape)
            if not all(isinstance(size, int) for size in sizes):
                raise NotLocalError(f"{node.name} broadcasts to a symbolic shape")
            source = self._create(_aten.expand.default, (source, sizes), {}, node)
        # Always a copy: the source may be written later, and then this value must not change.
        return self._create(_aten._to_copy.default, (source,), {"dtype": wanted.dtype}, node)

    def _put_back(self, part: Node, whole: Node, value: Node) -> Node:
        """The value of ``whole`` after its view ``part`` got ``value``."""
        op, args = put_back(part, whole, value)
        return self._create(op, args, dict(part.kwargs) if op in SCATTERS.values() else {}, part)

    def _renew(self, node: Node, target: Node, whole: Node, value: Node) -> dict[Node, Node]:
        """Makes later readers of ``whole`` and of its views read new values; returns old node -> new node."""
        renewed = {whole: value}
        for view in _views(whole):
            if node < view or view is node:
                continue
            if view is target or self._is_needed(view, node) or target in _views(view):
                base: Any = view.args[0]
                args = (renewed[base], *view.args[1:])
                renewed[view] = self._create(view.target, args, dict(view.kwargs), view)
        for old, new in renewed.items():
            old.replace_all_uses_with(new, delete_user_cb=lambda user: node < user, propagate_meta=False)
            for placeholder, current in list(self.written.items()):
                if current is old:
                    self.written[placeholder] = new
            if old.op == "placeholder":
                self.written[old] = new
        return renewed

    def _create(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], like: Node) -> Node:
        created = self._graph.call_function(op, args, kwargs)
        created.meta = {key: item for key, item in like.meta.items() if key not in _OWN_META}
        created.meta[meta_keys.VAL] = compute_value(op, args, kwargs, (like,))
        return created


def _alias_chain(node: Node) -> Iterator[Node]:
    """``node``, what it is a view of, and so on up to the tensor that owns the memory."""
    yield node
    while (base := _base(node)) is not None:
        node = base
        yield node


def _base(node: Node) -> "Node | None":
    """What ``node`` may share memory with by being made from it; None for tensors of their own."""
    if node.op != "call_function" or not node.args or not isinstance(node.args[0], Node):
        return None
    if node.target is operator.getitem:
        return node.args[0] if _base(node.args[0]) is not None else None
    if isinstance(node.target, OpOverload) and may_alias(node.target):
        return node.args[0]
    return None


def _views(whole: Node) -> list[Node]:
    """Everything made from ``whole`` that may share its memory, in the order of the graph."""
    found: list[Node] = []
    pending = [whole]
    while pending:
        value = pending.pop()
        views = [user for user in value.users if _base(user) is value]
        found += views
        pending += views
    return sorted(found)
