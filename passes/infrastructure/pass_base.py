"""Base classes of passes.

* :class:`PassBase` works on a ``GraphModule``: override ``call``. ``requires`` runs on the graph before, ``ensures``
  on the graph that came out.
* :class:`GraphPass` is a ``PassBase`` that edits a graph and its control-flow bodies in place: override
  ``rewrite_node`` or ``rewrite_graph``.
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
from torch.fx.passes.infra.pass_base import PassBase as _TorchPassBase
from torch.fx.passes.infra.pass_base import PassResult

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


class GraphPass(PassBase):
    """Edits a graph and its control-flow bodies in place: node by node, or however ``rewrite_graph`` does it.

    What follows from a change is settled here: dead code is removed, ``meta["val"]`` of what was edited and of what
    depends on it is computed again, the output node has the values of the results, and the code is generated anew.
    The two attributes are for passes that know better, each of which is spared its work.
    """

    #: Whether nodes without users go at the end.
    removes_dead_code = True
    #: Whether the pass gives every node that it makes or edits its true example value: nothing is computed again.
    describes_values = False

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = edited(
            graph_module,
            self.rewrite_graph,
            removes_dead_code=self.removes_dead_code,
            refreshes=not self.describes_values,
        )
        return PassResult(graph_module, modified)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        """Edits one graph; returns whether it changed.

        By default, visits every node once, in order. Nodes that appear before the visited one are not visited.
        """
        changed = False
        for node in list(graph_module.graph.nodes):
            changed |= self.rewrite_node(node)
        return changed

    def rewrite_node(self, node: Node) -> bool:
        """Rewrites ``node`` if it should; returns whether the graph changed."""
        raise NotImplementedError(f"{type(self).__name__} overrides neither rewrite_node nor rewrite_graph")


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
    "GraphPass",
    "PassBase",
    "PassResult",
    "PassType",
    "run_pass",
]
