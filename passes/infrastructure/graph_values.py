"""What an :class:`~executorch.passes.infrastructure.export_pass.ExportPass` hands around: values of the graph under construction."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.fx import Graph, Node, Proxy
from torch.utils import _pytree as pytree

from executorch.dialects import meta_keys

_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


class ExportPassBaseError(RuntimeError):
    """A pass handed its base class something that cannot stand in a graph."""


class NodeMetadata:
    """Metadata for the nodes that a ``call_*`` method emits: a copy of the visited node's ``meta``."""

    def __init__(self, data: "Mapping[str, Any] | None" = None) -> None:
        self.data: dict[str, Any] = dict(data or {})

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.data[key] = value

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def get(self, key: str, default: Any = None) -> Any:
        return self.data.get(key, default)

    def copy(self) -> "NodeMetadata":
        return NodeMetadata(self.data)


class ProxyValue:
    """A value of the graph under construction.

    A number that is known can be used as one. One that is known only when the program runs cannot: taking its
    example for it would fix it in the program, so that raises :class:`ExportPassBaseError`.

    Attributes:
        data: its example value (fake tensor, symbolic or plain number, tuple of these).
        node: the new graph's node that computes it.
    """

    def __init__(self, data: Any, proxy: "Proxy | Node") -> None:
        self.data = data
        self.node: Node = proxy.node if isinstance(proxy, Proxy) else proxy

    @property
    def proxy(self) -> Proxy:
        """The node as torch.fx's tracer hands nodes around."""
        return Proxy(self.node)

    def is_tensor(self) -> bool:
        return isinstance(self.data, torch.Tensor)

    def to_tensor(self) -> torch.Tensor:
        """The example value, which must be a tensor."""
        if not isinstance(self.data, torch.Tensor):
            raise TypeError(f"{self.node.name} is a {type(self.data).__name__}, not a tensor")
        return self.data

    def is_symint(self) -> bool:
        return isinstance(self.data, torch.SymInt)

    def is_symfloat(self) -> bool:
        return isinstance(self.data, torch.SymFloat)

    def is_symbool(self) -> bool:
        return isinstance(self.data, torch.SymBool)

    def __int__(self) -> int:
        return int(self._known("converted to int"))

    def __float__(self) -> float:
        return float(self._known("converted to float"))

    def __index__(self) -> int:
        return operator.index(self._known("used in index context"))

    def __bool__(self) -> bool:
        # Whether there is a value at all is a fair question about a tensor.
        return True if self.is_tensor() else bool(self._known("used in boolean context"))

    def _known(self, kind: str) -> Any:
        if isinstance(self.data, _SYMBOLIC):
            raise ExportPassBaseError(
                f"{self.node.name}: ProxyValue with {type(self.data).__name__} data {self.data}, known only when the "
                f"program runs, cannot be {kind}\n"
                "Way out: hand the value itself on as an argument, or look at .data"
            )
        return self.data

    def __iter__(self) -> Iterator["ProxyValue"]:
        for index, item in enumerate(self.data):
            node = self.node.graph.call_function(operator.getitem, (self.node, index))
            node.meta = {**self.node.meta, meta_keys.VAL: item}
            yield ProxyValue(item, node)

    def __repr__(self) -> str:
        return f"ProxyValue({self.node.name}: {self.data})"


def check_symbolic_inputs(old: Graph, new: Graph) -> None:
    """The inputs of a rewritten graph leave the sizes free that the old ones did.

    Raises:
        ExportPassBaseError: a size that was symbolic is a number, or another expression.
    """
    pairs = zip(old.find_nodes(op="placeholder"), new.find_nodes(op="placeholder"), strict=False)
    for position, (before, after) in enumerate(pairs):
        known, made = _symbols(before.meta.get(meta_keys.VAL)), _symbols(after.meta.get(meta_keys.VAL))
        if any(symbols and other != symbols for symbols, other in zip(known, made, strict=False)):
            raise ExportPassBaseError(
                f"Input at position {position} did not preserve symbolic metadata: the sizes {known} of {before.name} "
                f"became {made}\nWay out: make the example value with the old one's sizes, in its fake tensor mode"
            )


def _symbols(value: Any) -> list[str]:
    """The symbolic sizes of each leaf as text, as comparing them would add guards; empty text without any."""
    return [_symbols_of(leaf) for leaf in pytree.tree_leaves(value)]


def _symbols_of(leaf: Any) -> str:
    sizes = tuple(leaf.shape) if isinstance(leaf, torch.Tensor) else (leaf,)
    symbolic = [str(size) if isinstance(size, _SYMBOLIC) else "" for size in sizes]
    free = [text if text and not text.lstrip("-").isdigit() else "" for text in symbolic]
    return ", ".join(free) if any(free) else ""


def map_args(
    op: Any, fn: Callable[[Any, Any], Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with each one replaced by what ``fn`` makes of it.

    Args:
        op: whose schema describes the arguments, of ATen or of the edge dialect.
        fn: takes an argument (a list is one argument) and its entry in the schema, with ``name`` and ``type``.
        args: positional arguments; those beyond the schema stay.
        kwargs: arguments by name; unknown names stay. Arguments that are left out have no part.
    """
    described = op._schema.arguments
    positional = [argument for argument in described if not argument.kwarg_only]
    by_name = {argument.name: argument for argument in described}
    mapped = [fn(value, argument) for value, argument in zip(args, positional, strict=False)]
    named = {name: fn(value, by_name[name]) if name in by_name else value for name, value in kwargs.items()}
    return (*mapped, *args[len(mapped) :]), named


__all__ = ["ExportPassBaseError", "NodeMetadata", "ProxyValue", "check_symbolic_inputs", "map_args"]
