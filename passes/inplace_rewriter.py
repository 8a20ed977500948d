"""Makes in-place operators of a graph functional.

``relu_(x)`` becomes ``y = relu(x)``, and everything after it that read ``x`` reads ``y``. Other nodes may share memory
with ``x``: what ``x`` is a slice of gets the new part scattered into it; any other alias that is still read
afterwards is beyond a local rewrite.
"""

import itertools
import operator
from collections.abc import Iterator
from typing import Any, Final

import torch
from torch._ops import OpOverload
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.passes.fake_values import compute_value, value_of
from executorch.passes.functional_forms import functional_form, may_alias
from executorch.passes.op_recorder import NotLocalError

_aten = torch.ops.aten
_OWN_META: Final = frozenset({meta_keys.VAL, "tensor_meta"})

#: View of a part -> operator that puts a new part back, taking the whole, the part, and the view's arguments.
_SCATTERS: Final = {
    _aten.select.int: _aten.select_scatter.default,
    _aten.slice.Tensor: _aten.slice_scatter.default,
}


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
            NotLocalError: the operator has no functional form, or writes through views that are read later.
        """
        target = node.args[0] if node.args else None
        op = node.target
        if op is _aten.detach_.default and isinstance(target, Node):
            node.replace_all_uses_with(target, propagate_meta=False)
            self._graph.erase_node(node)
            return None
        if not isinstance(target, Node) or not isinstance(op, OpOverload):
            raise NotLocalError(f"{node.name} does not write a tensor of the graph")
        chain = list(_alias_chain(target))
        self._refuse_stale_aliases(node, chain)
        with self._graph.inserting_before(node):
            functional, value = self._new_value(node, op, target)
            node.replace_all_uses_with(value, propagate_meta=False)
            self._write(node, target, value)
            for part, whole in itertools.pairwise(chain):
                value = self._put_back(part, whole, value)
                self._write(node, whole, value)
        self._graph.erase_node(node)
        return functional

    def renamed(self, old: Node, new: Node) -> None:
        """``new`` takes the place of ``old``."""
        for placeholder, value in self.written.items():
            if value is old:
                self.written[placeholder] = new

    def _refuse_stale_aliases(self, node: Node, chain: list[Node]) -> None:
        updated = set(chain) | {node}
        for alias in _aliases(chain[-1]):
            later = [user for user in alias.users if node < user]
            # Aliases made afterwards see the new value, because they are made from it.
            if alias < node and alias not in updated and later:
                raise NotLocalError(
                    f"{node.name} writes memory that {alias.name} shares and {later[0].name} reads"
                )
        regenerable = all(part.target in _SCATTERS for part in chain[:-1])
        stale = [
            whole
            for whole in chain[1:]
            if any(node < user for user in whole.users) or whole.op == "placeholder"
        ]
        if stale and not regenerable:
            raise NotLocalError(
                f"{node.name} writes part of {stale[0].name} through a view that cannot be inverted"
            )

    def _new_value(self, node: Node, op: OpOverload, target: Node) -> tuple["Node | None", Node]:
        if op is _aten.copy_.default:
            return None, self._copied(node, target)
        functional = functional_form(op)
        if functional is None:
            raise NotLocalError(f"{op} has no functional form")
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
        scatter = _SCATTERS.get(part.target)  # type: ignore[call-overload]
        if scatter is None:
            return whole  # nobody reads it any more, see _refuse_stale_aliases
        return self._create(scatter, (whole, value, *part.args[1:]), dict(part.kwargs), part)

    def _write(self, node: Node, old: Node, new: Node) -> None:
        if old is new:
            return
        old.replace_all_uses_with(new, delete_user_cb=lambda user: node < user, propagate_meta=False)
        placeholders = [key for key, value in self.written.items() if value is old]
        if old.op == "placeholder":
            placeholders.append(old)
        for placeholder in placeholders:
            self.written[placeholder] = new

    def _create(self, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], like: Node) -> Node:
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


def _aliases(root: Node) -> Iterator[Node]:
    """``root`` and everything made from it that may share its memory."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(user for user in node.users if _base(user) is node)
