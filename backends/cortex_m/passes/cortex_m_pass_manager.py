"""All passes that take a quantized edge program to the operators of ``cortex_m``, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.backends.cortex_m.passes.explicit_layout_pass import ExplicitLayoutPass, has_channels_last
from executorch.backends.cortex_m.passes.fold_quantized_pass import FoldQuantizedPass
from executorch.backends.cortex_m.passes.linear_layers_pass import JoinLinearLayersPass, SplitLinearLayersPass
from executorch.backends.cortex_m.passes.restore_pools_pass import RestorePoolsPass
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig
from executorch.backends.transforms.remove_getitem_op import RemoveGetItemPass
from executorch.passes.infrastructure.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    PassBase,
    PassResult,
)


class PrepareForAnnotationPass(PassBase):
    """What ``CortexMQuantizer`` makes of a captured graph before it annotates it; for quantizers of one's own."""

    def call(self, graph_module: GraphModule) -> PassResult:
        before = graph_module.code
        CortexMQuantizer().transform_for_annotation(graph_module)
        return PassResult(graph_module, graph_module.code != before)


class CortexMPassManager(ExportedProgramPassBase):
    """Quantized operators of an edge program become operators of ``cortex_m``.

    Either with the program, ``CortexMPassManager(edge.exported_program()).transform()``, or as one of the passes of
    ``edge.transform([CortexMPassManager()])``.

    Args:
        exported_program: in the edge dialect; for ``transform``.
        passes: classes to use instead of the usual ones.
        target_config: the processor; M55 by default. Kernels of this library run programs for any; those of released runtimes
            want biases of linear layers where the processor's instructions look for them.
        use_explicit_layout: operators on images get contiguous ``[n, h, w, c]`` and stand between transpositions where
            the model has another order. Without it they get ``[n, c, h, w]``, which kernels ask to be in the memory format
            channels_last: the model's inputs have to be. By default, what the program needs: without it if all images
            have that format.
    """

    #: In order; those that need a program beside those that need a graph.
    pass_list: Sequence[type[Any]] = [
        RemoveGetItemPass,
        JoinLinearLayersPass,
        FoldQuantizedPass,
        SplitLinearLayersPass,
        RestorePoolsPass,
        ExplicitLayoutPass,
    ]
    #: As released versions call those for ``use_explicit_layout``, which are the same.
    explicit_layout_pass_list = pass_list
    #: For ``transform_for_annotation``; subclasses may have more.
    pass_list_transform_for_annotation: Sequence[type[Any]] = [PrepareForAnnotationPass]

    def __init__(
        self,
        exported_program: ExportedProgram | None = None,
        passes: Sequence[type[Any]] | None = None,
        target_config: CortexMTargetConfig | None = None,
        use_explicit_layout: bool | None = None,
    ) -> None:
        self.exported_program = exported_program
        self.passes = tuple(self.pass_list if passes is None else passes)
        self.target_config = target_config or CortexMTargetConfig(CortexM.M55)
        self.use_explicit_layout = use_explicit_layout

    def transform(self) -> ExportedProgram:
        """The program, changed in place.

        Raises:
            ValueError: none was given.
        """
        if self.exported_program is None:
            raise ValueError("no program to transform; give CortexMPassManager the edge program")
        return self.call(self.exported_program).exported_program

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        """A captured graph of operators that quantizers know, in place. Needs no program."""
        for kind in self.pass_list_transform_for_annotation:
            model = kind()(model).graph_module
        return model

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        modified = False
        for kind in self.passes:
            if kind is ExplicitLayoutPass and not self._needs_explicit_layout(exported_program):
                continue
            one = kind(self.target_config.backend) if kind is FoldQuantizedPass else kind()
            if isinstance(one, ExportedProgramPassBase):
                result = one(exported_program)
                exported_program, changed = result.exported_program, result.modified
            else:
                changed = one(exported_program.graph_module).modified
            modified |= changed
        return ExportedProgramPassResult(exported_program, modified)

    def _needs_explicit_layout(self, exported_program: ExportedProgram) -> bool:
        if self.use_explicit_layout is not None:
            return self.use_explicit_layout
        return not has_channels_last(exported_program.graph)


__all__ = ["CortexMPassManager", "PrepareForAnnotationPass"]
