"""The released pass over attention's guard."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.backends.transforms.safe_softmax import simplify_softmaxes
from executorch.passes.infrastructure.pass_base import GraphPass


class RemoveSafeSoftmaxGuardPass(GraphPass):
    """``where(every score is -inf, 0, softmax(scores))`` becomes the softmax, of whatever scores.

    Args:
        exported_program: taken as released passes take it.
    """

    def __init__(self, exported_program: ExportedProgram | None = None) -> None:
        super().__init__()

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        return simplify_softmaxes(graph_module.graph, None, lambda _: True)
