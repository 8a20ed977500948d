"""Operators of a backend's own dialect, by substitutions that are registered one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import Target

from executorch.dialects import meta_keys
from executorch.ir.rewriter import replace
from executorch.passes.infrastructure.pass_base import GraphPass


@dataclass
class DialectNodeSpec:
    """The call that stands for another: operator and arguments, which are nodes of the graph and literals."""

    op: Target
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kwargs is None:
            self.kwargs = {}


SubstitutionFn = Callable[[Node, "AtenToDialectPass"], "DialectNodeSpec | None"]


class AtenToDialectPass(GraphPass):
    """Replaces calls by what the substitution of their operator says; make a subclass and register::

        class ToMine(AtenToDialectPass): ...

        @ToMine.register_dialect_substitution(ops.edge.aten.relu.default)
        def _relu(node, dialect_pass):
            return DialectNodeSpec(ops.edge.mine.relu.default, node.args)

    A substitution returns None for a node that is to stay, and may add constants to the program.

    Args:
        exported_program: whose graph the pass is called with; substitutions get the pass.
    """

    _DIALECT_SUBSTITUTIONS: ClassVar[dict[Target, SubstitutionFn]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._DIALECT_SUBSTITUTIONS = dict(cls._DIALECT_SUBSTITUTIONS)

    def __init__(self, exported_program: ExportedProgram) -> None:
        super().__init__()
        self.exported_program = exported_program

    @classmethod
    def register_dialect_substitution(cls, target: Target) -> Callable[[SubstitutionFn], SubstitutionFn]:
        """Registers the decorated function for an operator.

        Raises:
            RuntimeError: there is one already.
        """

        def register(function: SubstitutionFn) -> SubstitutionFn:
            if target in cls._DIALECT_SUBSTITUTIONS:
                raise RuntimeError(
                    f"Multiple substitutions registered for {target} in {cls.__name__}: keep one, or make a subclass"
                )
            cls._DIALECT_SUBSTITUTIONS[target] = function
            return function

        return register

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            function = self._DIALECT_SUBSTITUTIONS.get(node.target) if node.op == "call_function" else None
            spec = None if function is None else function(node, self)
            if spec is not None:
                _substitute(node, spec, function)
                modified = True
        return modified


def _substitute(node: Node, spec: DialectNodeSpec, function: Any) -> None:
    with node.graph.inserting_before(node):
        made = node.graph.call_function(spec.op, tuple(spec.args), dict(spec.kwargs))  # type: ignore[arg-type]
    made.meta = dict(node.meta)
    code = getattr(function, "__code__", None)
    if code is not None:
        # Who reads the trace of the new call sees which line of the model it is from, and who put it there.
        place = f'  File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}\n'
        made.meta[meta_keys.STACK_TRACE] = f"{node.meta.get(meta_keys.STACK_TRACE) or ''}\n{place}"
    replace(node, made)


__all__ = ["AtenToDialectPass", "DialectNodeSpec"]
