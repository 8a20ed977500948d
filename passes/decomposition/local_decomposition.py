"""Decomposes a program node by node, in place of tracing it again.

Most nodes of a program are core ATen operators already, or turn into a handful of them. Only the nodes that
decompose are executed, on fake tensors, one at a time; all others stay with everything that is known about them.
In-place operators become functional on the way: later uses of the written tensor see the new value, and a written
buffer or input becomes an additional output, as in torch's own functionalization.

What needs the whole program to be traced again (writes through overlapping views, unknown higher-order
operators, tensors made out of nothing) raises ``NotLocalError``.
"""

import contextlib
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload, Verifier
from executorch.ir.clone import clone_program, replace_parts
from executorch.ir.constants import order_inputs
from executorch.ir.graph import fake_mode_of
from executorch.ir.torch_internals import is_erased
from executorch.ir.values import value_of
from executorch.passes.decomposition.decomposition_table import DecompositionTable
from executorch.passes.decomposition.decomposition_trial import leads_to_kernels
from executorch.passes.decomposition.inplace_rewriter import InPlaceRewriter
from executorch.passes.decomposition.op_recorder import NotLocalError, OpRecorder
from executorch.passes.decomposition.selected_sizes import widen_selections
from executorch.passes.decomposition.size_nodes import SizeNodes
from executorch.passes.decomposition.written_inputs import add_mutation_outputs
from executorch.passes.infrastructure.node_origins import record_origins

_INLINED = frozenset({"wrap_with_set_grad_enabled", "wrap_with_autocast"})
#: Functional already, whatever they stand for.
_FUNCTIONAL = frozenset({"executorch_call_delegate", "auto_functionalized", "auto_functionalized_v2"})
_CONTROL_FLOW = frozenset({"cond", "while_loop", "map_impl", "scan", "associative_scan"})


#: Asked for a node that could be decomposed: whether it should.
Choice = Callable[[Node], bool]


def decompose_locally(
    exported_program: ExportedProgram, table: DecompositionTable, choose: "Choice | None" = None
) -> ExportedProgram:
    """A functional program in which nothing that ``table`` decomposes is left; the argument is left alone.

    Args:
        exported_program: an ATen program, functional or not.
        table: what decomposes, and how.
        choose: decides for the nodes of the program (not for what they decompose into) instead of the table's
            ``preserve``.

    Raises:
        NotLocalError: the program has to be traced as a whole.
    """
    program = clone_program(exported_program)
    record_origins(program.graph_module, exported_program.graph_module)
    widen_selections(program)
    with torch.no_grad(), _below_autograd(), enable_python_dispatcher():
        written = _GraphDecomposer(program.graph_module, table, choose).run()
    add_mutation_outputs(program, written)
    program.graph.eliminate_dead_code()
    order_inputs(program)
    return replace_parts(program, verifiers=[Verifier])


@contextlib.contextmanager
def _below_autograd() -> Iterator[None]:
    # Composite operators reach the recorder as one call then, instead of being taken apart by autograd's kernels.
    guard = torch._C._AutoDispatchBelowAutograd()
    try:
        yield
    finally:
        del guard


class _GraphDecomposer:
    """One walk over one graph."""

    def __init__(self, module: GraphModule, table: DecompositionTable, choose: "Choice | None") -> None:
        self._choose = choose or (lambda node: table.find(node.target) is not None)  # type: ignore[arg-type]
        self._module = module
        self._graph = module.graph
        self._table = table
        self._sizes = SizeNodes(module.graph)
        self._recorder = OpRecorder(module.graph, table, self._sizes)
        self._fake_mode = fake_mode_of(module.graph.nodes)
        self._in_place = InPlaceRewriter(module.graph)

    def run(self) -> dict[Node, Node]:
        """Decomposes the graph in place; returns placeholder -> node with its new value, for written inputs."""
        nodes = list(self._graph.nodes)
        while nodes:
            # Inlining a body puts nodes in front that still have to be visited.
            nodes = self._visit_all(nodes)
        self._module.recompile()
        return self._in_place.written

    def _visit_all(self, nodes: list[Node]) -> list[Node]:
        for position, node in enumerate(nodes):
            if is_erased(node):
                continue
            if node.op == "call_function" and isinstance(node.target, HigherOrderOperator):
                inlined = self._visit_higher_order(node)
                if inlined:
                    return [*inlined, *nodes[position + 1 :]]
            elif node.op == "call_function" and isinstance(node.target, OpOverload):
                self._visit_operator(node)
            elif node.op in ("call_module", "call_method"):
                raise NotLocalError(f"{node.op} node {node.name}")
            elif _is_functorch(node):
                raise NotLocalError(f"{node.name} is part of a vmap")
            if not is_erased(node):
                self._sizes.visit(node)
        return []

    def _visit_operator(self, node: Node) -> None:
        op = node.target
        assert isinstance(op, OpOverload)
        if op._schema.is_mutable:
            replacement = self._in_place.rewrite(node)
            if replacement is None:
                return
            node, op = replacement, replacement.target
            if not isinstance(op, OpOverload):
                return
        if self._table.find_any(op) is not None and self._choose(node):
            self._expand(node)

    # ---- one operator -----------------------------------------------------------------------------------------

    def _expand(self, node: Node) -> None:
        decomposition = self._table.find_any(node.target)  # type: ignore[arg-type]
        assert decomposition is not None
        values = _DistinctValues(self._fake_mode)
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.take)
        args, kwargs = _plain_lists(args), _plain_lists(kwargs)
        self._recorder.start(node, values.pairs)
        with self._graph.inserting_before(node), self._fake_mode or contextlib.nullcontext():
            if not leads_to_kernels(self._table, node.target, args, kwargs):  # type: ignore[arg-type]
                return
            result = self._recorder.run(decomposition, args, kwargs)
            if result is NotImplemented:
                return
            self._substitute(node, result)

    def _substitute(self, node: Node, result: Any) -> None:
        if not isinstance(result, (tuple, list)):
            replacement = self._recorder.node_of(result)
            self._replace_uses(node, replacement)
            return
        for user in list(node.users):
            if user.target is not operator.getitem:
                raise NotLocalError(f"{user.name} takes all results of {node.name} at once")
            self._replace_uses(user, self._recorder.node_of(result[user.args[1]]))  # type: ignore[index]
            self._graph.erase_node(user)
        self._graph.erase_node(node)

    def _replace_uses(self, node: Node, replacement: Any) -> None:
        if not isinstance(replacement, Node):
            raise NotLocalError(f"{node.name} decomposes into the number {replacement!r}")
        if _computes_sizes_anew(node, replacement):
            replacement.meta[meta_keys.VAL] = node.meta[meta_keys.VAL]
            self._sizes.visit(replacement)
        node.replace_all_uses_with(replacement, propagate_meta=False)
        self._in_place.renamed(node, replacement)
        if node.target is not operator.getitem:
            self._graph.erase_node(node)

    # ---- higher-order operators -------------------------------------------------------------------------------

    def _visit_higher_order(self, node: Node) -> list[Node]:
        assert isinstance(node.target, HigherOrderOperator)
        name = node.target.name()
        if name in _INLINED:
            return self._inline(node)
        if name in _CONTROL_FLOW:
            for body in _bodies(self._module, node):
                written = _GraphDecomposer(body, self._table, self._choose).run()
                if written:
                    raise NotLocalError(f"a body of {node.name} writes its inputs")
                body.graph.eliminate_dead_code()
        elif name not in _FUNCTIONAL:
            raise NotLocalError(f"higher-order operator {name}")
        return []

    def _inline(self, node: Node) -> list[Node]:
        """Puts the body of ``node`` in its place; returns the new nodes."""
        bodies = [arg for arg in node.args if isinstance(arg, Node) and arg.op == "get_attr"]
        operands = node.args[node.args.index(bodies[0]) + 1 :]
        (body,) = _bodies(self._module, node)
        values: dict[Node, Any] = dict(zip(body.graph.find_nodes(op="placeholder"), operands, strict=True))
        inlined = []
        with self._graph.inserting_before(node):
            for inner in body.graph.nodes:
                if inner.op == "call_function":
                    values[inner] = self._graph.node_copy(inner, values.__getitem__)
                    # The body is gone then; the call of it is what the exported program's graph shows.
                    values[inner].meta[meta_keys.FROM_NODE] = node.meta[meta_keys.FROM_NODE]
                    inlined.append(values[inner])
                elif inner.op == "get_attr":
                    raise NotLocalError(f"{node.name} has a body with attributes of its own")
        results: Any = torch.fx.node.map_arg(_output(body).args, values.__getitem__)[0]
        for user in list(node.users):
            if user.target is not operator.getitem:
                raise NotLocalError(f"{user.name} takes all results of {node.name} at once")
            user.replace_all_uses_with(results[user.args[1]], propagate_meta=False)
            self._graph.erase_node(user)
        self._graph.erase_node(node)
        return inlined


def _plain_lists(item: Any) -> Any:
    """The same with lists that can be written, as some decompositions do; a graph's cannot."""
    if isinstance(item, dict):
        return {key: _plain_lists(value) for key, value in item.items()}
    if isinstance(item, tuple):
        return tuple(map(_plain_lists, item))
    return list(map(_plain_lists, item)) if isinstance(item, list) else item


class _DistinctValues:
    """Collects the example values of a node's arguments; two nodes never share one tensor object."""

    def __init__(self, fake_mode: Any) -> None:
        self._fake_mode = fake_mode
        self._owner: dict[int, Node] = {}
        self.pairs: list[tuple[torch.Tensor, Node]] = []

    def take(self, node: Node) -> Any:
        value = value_of(node)
        if isinstance(value, torch.Tensor):
            return self._take_tensor(value, node)
        if isinstance(value, (tuple, list)):
            raise NotLocalError(f"{node.name} is passed with all its results at once")
        if value is None and node.op == "get_attr":
            raise NotLocalError(f"{node.name} is data that was not lifted")
        return value

    def _take_tensor(self, value: torch.Tensor, node: Node) -> torch.Tensor:
        for known, owner in self.pairs:
            if owner is node:
                return known
        if id(value) in self._owner:
            with self._fake_mode or contextlib.nullcontext():
                value = torch.empty_strided(
                    value.shape, value.stride(), dtype=value.dtype, device=value.device
                )
        self._owner[id(value)] = node
        self.pairs.append((value, node))
        return value


def _computes_sizes_anew(node: Node, replacement: Node) -> bool:
    """Whether a decomposition has found a size that the data decide, which gets a symbol of its own then: the rest of
    the graph, and what the model says of its bounds, are about the symbol of ``node``."""
    old, new = (item.meta.get(meta_keys.VAL) for item in (node, replacement))
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        if (
            old.dtype != new.dtype
            or old.dim() != new.dim()
            or all(isinstance(size, int) for size in new.shape)
        ):
            return False
    elif not isinstance(old, (torch.SymInt, torch.SymFloat, torch.SymBool)) or type(old) is not type(new):
        return False
    # Here, because it brings SymPy along, which programs without such sizes do without.
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    known = free_unbacked_symbols(old)
    return bool(known) and bool(free_unbacked_symbols(new) - known)


def _is_functorch(node: Node) -> bool:
    """Whether a node opens, closes or uses a level of ``vmap``, which only means something while it is traced."""
    return (getattr(node.target, "__module__", None) or "").startswith("torch._functorch")


def _bodies(module: GraphModule, node: Node) -> Iterable[GraphModule]:
    for arg in torch.utils._pytree.tree_leaves((node.args, node.kwargs)):
        if isinstance(arg, Node) and arg.op == "get_attr":
            value = getattr(module, str(arg.target), None)
            if not isinstance(value, GraphModule):
                raise NotLocalError(f"{arg.name} is not a body")
            yield value


def _output(module: GraphModule) -> Node:
    return next(iter(reversed(module.graph.nodes)))


__all__ = ["NotLocalError", "decompose_locally"]
