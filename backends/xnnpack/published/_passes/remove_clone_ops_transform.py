"""Copies that change nothing."""

from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.to_edge.remove_noop_pass import RemoveClonesPass


class XNNPACKRemoveCloneOpsTransform(RemoveClonesPass, ExportPass):
    """Removes ``clone`` and ``_clone_dim_order`` that keep the order of elements.

    A copy from an input of the graph straight to a result stays: both are memory of the caller.
    """

    def __init__(self) -> None:
        ExportPass.__init__(self)
        RemoveClonesPass.__init__(self, folds_pairs=False)
