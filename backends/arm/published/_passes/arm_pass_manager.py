"""The passes before annotation, under their published name."""

from __future__ import annotations

from torch.fx import GraphModule

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.quantizer.transform import transform_for_annotation


class ArmPassManager:
    """What a quantizer does to a graph before it annotates. Lowering itself is no list of passes here: it is one walk over the graph.

    Args:
        compile_spec: of the target.
    """

    def __init__(self, compile_spec: ArmCompileSpec) -> None:
        self.compile_spec = compile_spec
        self.tosa_spec = compile_spec.tosa_spec

    def transform_for_annotation_pipeline(self, graph_module: GraphModule) -> GraphModule:
        """The graph, changed in place, as ``TOSAQuantizer.transform_for_annotation`` leaves it."""
        return transform_for_annotation(graph_module)
