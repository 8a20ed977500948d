"""Products with weights however they are spelt.

``to_edge`` takes a linear layer apart: a view that flattens what is before the inputs, a transposed weight, ``addmm`` or
``mm``, a view that restores. XNNPACK's fully connected node takes batches of any rank and weights either way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import statically_known_true

from executorch.backends.xnnpack.graph.constants import Constants, name_of, prepared_constants
from executorch.dialects import meta_keys

_CONVOLUTION = "aten.convolution.default"

#: Products with weights: the positions of input, weight and bias (None: it has none), and whether the weight's
#: outputs are its last dimension.
GEMMS: dict[str, tuple[int, int, int | None, bool]] = {
    "aten.addmm.default": (1, 2, 0, True),
    _CONVOLUTION: (0, 1, 2, False),
    "aten.linear.default": (0, 1, 2, False),
    "aten.mm.default": (0, 1, None, True),
}
_DECOMPOSED = {"aten.addmm.default", "aten.mm.default"}
VIEW = "aten.view_copy.default"
_EXPANSION = "aten.expand_copy.default"
#: What a delegate may be given, if only to know its sizes.
_READABLE = (torch.float32, torch.float16)
_MOST_DIMENSIONS = 6


@dataclass(frozen=True)
class Product:
    """A product with a weight.

    Attributes:
        node: the operator itself.
        source: its input, before a view that flattens the batch.
        weight: before a transposition.
        bias: None if it has none.
        last: the weight's outputs are its last dimension.
        result: ``node``, or the view behind it that restores the batch.
        views: both views, and the sizes that they read; nothing if there are none.
    """

    node: Node
    source: Node
    weight: Node
    bias: Node | None
    last: bool
    result: Node
    views: tuple[Node, ...] = ()

    @property
    def output_dimension(self) -> int:
        """The dimension of the weight that counts the outputs."""
        if name_of(self.node) == _CONVOLUTION:
            return 1 if self.node.args[6] else 0
        return 1 if self.last else 0

    def taken(self, constants: Constants) -> list[Node]:
        """All nodes that become one XNNPACK node in floating point."""
        return list(dict.fromkeys([*prepared_constants(self.node, constants), *self.views, self.node]))


def plain_product_of(node: Node) -> Product | None:
    """The arguments that ``node`` multiplies as they are, None if it is no product with a weight."""
    name = name_of(node)
    if name not in GEMMS:
        return None
    position, place, offset, last = GEMMS[name]
    source, weight = node.args[position], node.args[place]
    bias = None
    if offset is not None:
        bias = node.args[offset] if len(node.args) > offset else node.kwargs.get("bias")
    if not isinstance(source, Node) or not isinstance(weight, Node):
        return None
    return Product(node, source, weight, bias, last, node)  # type: ignore[arg-type]


def product_of(node: Node) -> Product | None:
    """What ``node`` multiplies, None if it is no product with a weight."""
    found = plain_product_of(node)
    if found is None or name_of(node) not in _DECOMPOSED:
        return found
    source, weight, bias, last = found.source, found.weight, found.bias, found.last
    if _is_transposition(weight):
        weight, last = weight.args[0], False  # type: ignore[assignment]
    rows, restored = _views_around(node, source, bias)
    if rows is None or restored is None:
        return Product(node, source, weight, bias, last, node)
    sizes = [one for view in (rows, restored) for one in sizes_behind(view)]
    around = tuple(dict.fromkeys([*sizes, rows, restored]))
    return Product(node, rows.args[0], weight, bias, last, restored, around)  # type: ignore[arg-type]


def is_size(node: Node) -> bool:
    """Whether ``node`` is a number known at run time only, such as a size of a tensor or a product of sizes."""
    return isinstance(node.meta.get(meta_keys.VAL), int | torch.SymInt)


def sizes_behind(node: Node) -> list[Node]:
    """The sizes that a view is given, with those that they are calculated from, the first ones first."""
    read = [one for one in node.all_input_nodes if is_size(one)]
    return list(dict.fromkeys(part for one in read for part in (*sizes_behind(one), one)))


def found_sizes(node: Node) -> list[int] | None:
    """What a view or an expansion may be given for its sizes without the symbolic one, -1; None if it needs that."""
    if name_of(node) not in (VIEW, _EXPANSION):
        return None
    sizes = [size if isinstance(size, int) else -1 for size in _shape(node)]
    # An expansion leaves each size that is symbolic; the partitioner takes no other.
    is_found = name_of(node) == _EXPANSION or (sizes.count(-1) <= 1 and 0 not in sizes)
    return sizes if is_found else None


def sizes_refusal(node: Node) -> str | None:
    """Why a delegate cannot find the sizes that ``node`` is given itself, None if it can: they are those of tensors."""
    needs_none = found_sizes(node) is not None
    for size in sizes_behind(node):
        read = [one for one in size.all_input_nodes if not is_size(one)]
        if size.op != "call_function" or any(one.meta.get(meta_keys.VAL) is None for one in read):
            return "a size is calculated by the model"
        for one in read:
            value = one.meta[meta_keys.VAL]
            if name_of(size) != "aten.sym_size.int" or not (needs_none or _is_readable(value)):
                return f"a size is that of {one.name}, which XNNPACK does not read"
    return None


def _is_readable(value: torch.Tensor) -> bool:
    return value.dtype in _READABLE and value.dim() <= _MOST_DIMENSIONS


def _is_transposition(node: Node) -> bool:
    if name_of(node) == "aten.permute_copy.default":
        axes: Any = node.args[1]
        return [axis % 2 for axis in axes] == [1, 0]
    return name_of(node) == "aten.t_copy.default" and len(_shape(node)) == 2


def _shape(node: Any) -> Sequence[Any]:
    shape: Sequence[Any] = node.meta[meta_keys.VAL].shape
    return shape


def _views_around(node: Node, source: Node, bias: Any) -> tuple[Node | None, Node | None]:
    """The view that flattens the batch before ``node`` and the one that restores it behind, if that is what they do."""
    restored = next(iter(node.users), None)
    if len(node.users) != 1 or name_of(source) != VIEW or restored is None or name_of(restored) != VIEW:
        return None, None
    if isinstance(bias, Node) and len(_shape(bias)) > 1:
        return None, None
    before, rows = _shape(source.args[0]), _shape(source)
    after, flat = _shape(restored), _shape(node)
    kept = (
        len(before) == len(after) >= 1 and same_size(before[-1], rows[-1]) and same_size(after[-1], flat[-1])
    )
    if not kept or not all(map(same_size, before[:-1], after[:-1])):
        return None, None
    if sizes_refusal(source) or sizes_refusal(restored):
        return None, None
    readers = all(_flattened(user) is source for user in source.users)
    return (source, restored) if readers else (None, None)


def _flattened(node: Node) -> Any:
    """What a product that was taken apart reads as its input and as nothing else."""
    if name_of(node) not in _DECOMPOSED:
        return None
    found = node.args[GEMMS[name_of(node)][0]]
    return found if sum(one is found for one in node.args) == 1 else None


def same_size(one: Any, other: Any) -> bool:
    """Whether two sizes are always the same, symbolic ones among them."""
    return bool(statically_known_true(one == other))


def through_views(node: Node) -> list[Node]:
    """Who reads ``node``, through views that flatten it for products."""
    readers: list[Node] = []
    for user in node.users:
        views = name_of(user) == VIEW and any(_flattened(one) is user for one in user.users)
        readers += user.users if views else [user]
    return readers
