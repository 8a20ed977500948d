"""Records the operators that a decomposition calls as nodes of a graph.

A decomposition is ordinary Python that computes with tensors. It is run once on the fake tensors of the node
that is decomposed; every operator it reaches that does not decompose further becomes a new node in front of that
node. Nothing else of the graph is executed.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, Node
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import FakeTensor, OpOverload
from executorch.passes.decomposition.decomposition_table import DecompositionTable
from executorch.passes.decomposition.decomposition_trial import leads_to_kernels
from executorch.passes.decomposition.size_nodes import SizeNodes
from executorch.passes.infrastructure.functional_forms import functional_form

_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
#: What is a node's alone, where another takes its place.
OWN_META = frozenset({meta_keys.VAL, "tensor_meta", "unbacked_bindings"})


class NotLocalError(Exception):
    """Something that cannot be decomposed node by node; the whole program has to be traced again."""


class OpRecorder(TorchDispatchMode):
    """A dispatch mode that records into ``graph`` at its current insertion point.

    Args:
        graph: where nodes are created.
        table: which operators decompose further.
        sizes: nodes that compute symbolic sizes.
    """

    def __init__(self, graph: Graph, table: DecompositionTable, sizes: SizeNodes) -> None:
        super().__init__()
        self._graph = graph
        self._table = table
        self._sizes = sizes
        self._nodes: dict[int, Node] = {}
        self._alive: list[Any] = []
        self._inputs: set[int] = set()
        self._meta: dict[str, Any] = {}

    def start(self, node: Node, inputs: "list[tuple[torch.Tensor, Node]]") -> None:
        """Prepares for the decomposition of ``node``, whose arguments are ``inputs``."""
        self._nodes = {id(value): source for value, source in inputs}
        self._alive = [value for value, _ in inputs]
        self._inputs = {id(value) for value, _ in inputs}
        self._meta = {key: item for key, item in node.meta.items() if key not in OWN_META}

    def node_of(self, value: Any) -> Any:
        """The node (or plain value) that stands for a value of the decomposition.

        Raises:
            NotLocalError: a tensor that no recorded operator made.
        """
        if isinstance(value, torch.Tensor):
            found = self._nodes.get(id(value))
            if found is None:
                raise NotLocalError("a decomposition uses a tensor of its own")
            return found
        if isinstance(value, _SYMBOLIC):
            try:
                return self._sizes.node_of(value, self._meta)
            except KeyError as error:
                raise NotLocalError(str(error.args[0])) from error
        return value

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not isinstance(func, OpOverload):
            raise NotLocalError(f"a decomposition calls {func}")
        decomposition = self._table.find(func)
        if decomposition is not None and leads_to_kernels(self._table, func, args, kwargs):
            result = self.run(decomposition, args, kwargs)
            if result is not NotImplemented:
                return result
        if func._schema.is_mutable:
            return self._record_in_place(func, args, kwargs)
        return self._record(func, args, kwargs)

    def run(self, decomposition: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Runs a decomposition with its operators recorded."""
        with self:
            return decomposition(*args, **kwargs)

    def _record(self, func: OpOverload, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if not _holds_value(result):
            return result
        node = self._graph.call_function(func, tree_map(self.node_of, args), tree_map(self.node_of, kwargs))
        node.meta = dict(self._meta)
        node.meta[meta_keys.VAL] = result
        self._remember(result, node)
        return result

    def _remember(self, result: Any, node: Node) -> None:
        if isinstance(result, FakeTensor):
            self._nodes[id(result)] = node
            self._alive.append(result)
        elif isinstance(result, _SYMBOLIC):
            self._sizes.define(result, node)
        elif isinstance(result, (tuple, list)):
            for index, item in enumerate(result):
                if _holds_value(item):
                    element = self._graph.call_function(operator.getitem, (node, index))
                    element.meta = dict(self._meta)
                    element.meta[meta_keys.VAL] = item
                    self._remember(item, element)

    def _record_in_place(self, func: OpOverload, args: Any, kwargs: Any) -> Any:
        """Records the functional form of an in-place operator on an intermediate of the decomposition."""
        target: Any = args[0] if args else None
        functional = functional_form(func)
        if functional is None or id(target) in self._inputs or id(target) not in self._nodes:
            raise NotLocalError(f"a decomposition calls {func}")
        if self._is_aliased(target):
            raise NotLocalError(f"a decomposition calls {func} on a tensor with views")
        with self:
            result = functional(*args, **kwargs)
            if result.dtype != target.dtype:
                result = result.to(target.dtype)
        self._nodes[id(target)] = self.node_of(result)
        return target

    def _is_aliased(self, target: torch.Tensor) -> bool:
        storage = target.untyped_storage()._cdata
        return any(
            other is not target and other.untyped_storage()._cdata == storage
            for other in self._alive
            if isinstance(other, torch.Tensor)
        )


def _holds_value(result: Any) -> bool:
    if isinstance(result, (tuple, list)):
        return any(_holds_value(item) for item in result)
    return isinstance(result, (torch.Tensor, *_SYMBOLIC))
