"""Base classes of passes.

* :class:`PassBase` works on a ``GraphModule``: override ``call``. ``requires`` runs on the graph before, ``ensures``
  on the graph that came out.
* :class:`GraphRewrite` is a ``PassBase`` that edits graphs in place, whose example values are kept true: override
  ``rewrite``.
* :class:`NodePass` is a ``PassBase`` that rewrites a graph in place, one node at a time: override ``rewrite``.
* :class:`ExportedProgramPassBase` works on a whole ``ExportedProgram``, for passes that add or remove constants,
  buffers or outputs.

All return whether they changed anything, and mean it: True only after a change, False only without one.
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.fx.passes.infra.pass_base import PassBase as _TorchPassBase
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules
from executorch.ir.rewriter import edited

PassType = Callable[[GraphModule], PassResult | None]


class PassBase(_TorchPassBase):
    """A pass over one graph. Call the instance with a ``GraphModule`` to run it.

    The graph may be changed in place or replaced; the result says which graph to go on with.
    """

    def __call__(self, graph_module: GraphModule) -> PassResult:
        self.requires(graph_module)
        result = self.call(graph_module)
        if result is None:
            result = PassResult(graph_module, True)
        self.ensures(result.graph_module)
        return result

    def requires(self, graph_module: GraphModule) -> None:
        """Raises when ``graph_module`` is not a graph this pass can work on. Runs before ``call``."""

    def ensures(self, graph_module: GraphModule) -> None:
        """Raises when the graph that came out lacks what this pass promises. Runs after ``call``."""


class NodePass(PassBase):
    """Visits every node of a graph and of its control-flow bodies once, in order, and rewrites in place.

    Nodes that a rewrite inserts before the visited node are not visited. Afterwards the output node has the example
    values of the results, as after an ``ExportPass``. Dead nodes are removed at the end when
    ``removes_dead_code`` is set and something changed.
    """

    removes_dead_code = False

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in list(graph_modules(graph_module)):
            changed = self.begin(module)
            for node in list(module.graph.nodes):
                changed |= self.rewrite(node)
            changed |= self.end(module)
            if changed and self.removes_dead_code:
                module.graph.eliminate_dead_code()
            if changed:
                module.recompile()
            _describe_results(module)
            modified |= changed
        return PassResult(graph_module, modified)

    def begin(self, graph_module: GraphModule) -> bool:
        """Runs before the nodes of one graph; returns whether it changed the graph."""
        return False

    @abc.abstractmethod
    def rewrite(self, node: Node) -> bool:
        """Rewrites ``node`` if it should; returns whether the graph changed."""

    def end(self, graph_module: GraphModule) -> bool:
        """Runs after the nodes of one graph; returns whether it changed the graph."""
        return False


class GraphRewrite(PassBase):
    """A pass that edits graphs in place; control-flow bodies are graphs too.

    A subclass edits in ``rewrite``. Dead code, ``meta["val"]`` of what was edited and of what follows from it, and
    the generated code are looked after here.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        return PassResult(graph_module, edited(graph_module, self.rewrite))

    @abc.abstractmethod
    def rewrite(self, graph_module: GraphModule) -> bool:
        """Edits one graph; returns whether it changed."""


@dataclass(frozen=True)
class ExportedProgramPassResult:
    """What a program pass returns.

    Attributes:
        exported_program: the program to go on with.
        modified: whether it differs from the one that went in.
    """

    exported_program: ExportedProgram
    modified: bool


class ExportedProgramPassBase(abc.ABC):
    """A pass over an ``ExportedProgram``: graph, signature, parameters and constants together."""

    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        self.requires(exported_program)
        result = self.call(exported_program)
        self.ensures(result.exported_program)
        return result

    @abc.abstractmethod
    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        """Does the work."""

    def requires(self, exported_program: ExportedProgram) -> None:  # noqa: B027 (optional to override)
        """Raises when the program is not one this pass can work on. Runs before ``call``."""

    def ensures(self, exported_program: ExportedProgram) -> None:  # noqa: B027 (optional to override)
        """Raises when the program that came out lacks what this pass promises. Runs after ``call``."""


def _describe_results(graph_module: GraphModule) -> None:
    """The output node knows the example values of what it returns; its own result is nobody's argument."""
    output = graph_module.graph.output_node()
    output.meta[meta_keys.VAL] = map_arg(output.args[0], lambda node: node.meta.get(meta_keys.VAL))


def run_pass(pass_: Any, graph_module: GraphModule) -> PassResult:
    """Runs any callable pass and checks what it returned; None stands for a graph that was changed in place.

    Raises:
        TypeError: it returned something else.
    """
    result = pass_(graph_module)
    if result is None:
        return PassResult(graph_module, True)
    if not isinstance(result, PassResult):
        name = getattr(pass_, "__name__", type(pass_).__name__)
        raise TypeError(
            f"pass {name} must return a PassResult(graph_module, modified), not {type(result).__name__}"
        )
    return result


__all__ = [
    "ExportedProgramPassBase",
    "ExportedProgramPassResult",
    "GraphRewrite",
    "NodePass",
    "PassBase",
    "PassResult",
    "PassType",
    "run_pass",
]
