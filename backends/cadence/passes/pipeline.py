"""Which passes run over a model, in which order: the stages for edge operators, and what comes before."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.cadence.compile_mode import CompileMode, EdgePassesConfig
from executorch.backends.cadence.passes import (
    fuse_moves,
    fuse_products,
    fuse_requantization,
    remove_identities,
    remove_moves,
    reorder_moves,
    reorder_quantization,
    replace_constants,
    replace_convolutions,
    replace_layouts,
    replace_spellings,
)
from executorch.backends.cadence.passes.decompose_gelu import DecomposeAtenApproxGeluPass
from executorch.backends.cadence.passes.remove_batch_counts import RemoveBNTrackingMutationsPass
from executorch.backends.cadence.passes.replace_safe_softmax import ReplaceSafeSoftmaxWithSoftmax
from executorch.backends.cadence.passes.simplify import BindOptionalArgsPass, SimplifySliceOpPass
from executorch.backends.cadence.passes.type_dispatch import CompileTimeTypeDispatchPass
from executorch.backends.transforms.fuse_cascaded_transpose_or_permute_ops import (
    FuseCascadedTransposeOrPermuteOps,
)
from executorch.backends.transforms.fuse_cascaded_view_ops import FuseCascadedViewOps
from executorch.backends.transforms.postpone_permute_below_squeeze_view import (
    PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView,
)
from executorch.backends.transforms.replace_nop_transpose_or_permute_with_view import (
    ReplaceNopTransposeOrPermuteWithViewPass,
)
from executorch.backends.transforms.replace_scalar_with_tensor import ReplaceScalarWithTensorArgPass
from executorch.backends.transforms.replace_squeeze_unsqueeze_with_view import (
    ReplaceSqueezeAndUnsqueezeWithViewPass,
)
from executorch.passes.on_request.cse_pass import CSEPass
from executorch.passes.optimization.fuse_batch_norm_pass import FuseBatchNormPass

Pass = Callable[[GraphModule], PassResult]


class Stage(NamedTuple):
    """Passes that follow each other, and what for.

    Attributes:
        name: of the stage.
        passes: classes, or what makes a pass when it is called.
        required: whether programs need it to run; otherwise it saves time or memory.
    """

    name: str
    passes: Sequence[Callable[[], Pass]]
    required: bool = False


_identities = remove_identities
_constants = replace_constants
_spellings = replace_spellings
_convolutions = replace_convolutions
_order = reorder_quantization

#: Twice: what quantization leaves, and what replacement leaves, moves alike.
_MOVES: Final = (
    remove_moves.RemovePermutesAroundElementwiseOps,
    fuse_moves.FuseTransposeOrPermuteOpPairsPass,
    FuseCascadedTransposeOrPermuteOps,
    ReplaceNopTransposeOrPermuteWithViewPass,
    FuseCascadedViewOps,
    _identities.RemoveNopSliceOrViewOpPass,
)

STAGES: Final = (
    Stage(
        "identities",
        (
            _identities.RemoveDetachCopyPass,
            _identities.RemoveAliasCopyOpPass,
            _identities.RemoveNopExpandOpPass,
            _identities.RemoveToOpsPass,
            _identities.RemoveZeroSizedCatArgsPass,
            _identities.RemoveCloneOpsTransformImported,
            SimplifySliceOpPass,
        ),
        required=True,
    ),
    Stage(
        "no-ops",
        (
            _identities.RemoveNopSliceOrViewOpPass,
            _identities.RemoveZeroSizedConstantPadNd,
            _identities.RemoveNopLinalgVectorNormOpPass,
            _identities.RemoveNopAddOpPass,
            _identities.RemoveNopMulOpPass,
            CSEPass,
        ),
    ),
    Stage(
        "less to move",
        (
            remove_moves.RemovePermuteBeforeMeanPass,
            remove_moves.RemoveSqueezeViewBeforeElementwiseOps,
            _identities.RemoveCatFromSliceCopyPass,
            fuse_moves.FuseSliceSameDimPass,
            reorder_moves.MoveSliceBeforePermutePass,
            reorder_moves.MovePermuteAfterConcat,
            PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView,
            *_MOVES,
        ),
    ),
    Stage(
        "integers longer",
        (
            reorder_moves.PropagateSlice,
            _order.SplitDequantizedCatPass,
            _order.AdvanceQuantizeOpAboveDefChainPass,
            _order.PostponeDequantizeOpBelowUseChainPass,
            partial(_order.AdvanceQuantizeOpAboveDefInBranchPass, keeps_ranges=True),
            fuse_requantization.RemoveBranchedQuantDequant,
            fuse_requantization.FuseQuantDequantToRequantizePass,
            _identities.RemoveNopRequantizeOpPass,
            *_MOVES,
        ),
    ),
    Stage(
        "one for several",
        (
            fuse_products.FuseMMWithAdd,
            fuse_products.FuseMulTensorIntoQuantPass,
            fuse_products.FuseMulTensorIntoDequantPass,
            fuse_products.FuseMulScalarIntoDequantPass,
            fuse_moves.FuseFullThenReshapePass,
        ),
    ),
    Stage(
        "operators that there are kernels for",
        (
            _constants.ReplaceInfArgInFullWithValuePass,
            _constants.ReplaceFullLikeWithFullPass,
            _constants.ReplaceScalarTensorWithFullPass,
            ReplaceScalarWithTensorArgPass,
            ReplaceSqueezeAndUnsqueezeWithViewPass,
            _spellings.ReplaceMMWithAddMMPass,
            _constants.ReplaceRepeatWithCatPass,
            _convolutions.ReplaceAtenConvolutionWithCadenceConvolutionPass,
            _constants.ReplaceConvolutionOptionalArgsWithConcreteArgsPass,
            _spellings.ReplacePT2QuantWithCadenceQuantPass,
            _spellings.ReplacePT2DequantWithCadenceDequantPass,
            _spellings.ReplaceTorchQuantizedEmbeddingWithCadenceQuantizedEmbedding,
            _spellings.ReplaceMatmulWithTransposedMatmulPass,
            _constants.ReplaceLogicalNotBooleanWhereWithWherePass,
            _spellings.ReplaceAdaptiveAvgPoolWithAtenAvgPoolPass,
            _spellings.ReplaceAtenAvgPoolWithCadenceAvgPoolPass,
            _spellings.ReplaceAtenLinalgSvdWithCadenceLinalgSvdPass,
            _spellings.ReplaceFunctionallyEquivalentOpTargets,
        ),
        required=True,
    ),
    Stage(
        "faster operators",
        (
            DecomposeAtenApproxGeluPass,
            _spellings.ReplaceSplitWithSlicePass,
            _spellings.ReplaceSelectWithViewOpPass,
            _constants.ReplacePowWithMulPass,
            _constants.ReplaceEmptyTensorsWithFullPass,
            _constants.ReplaceConstantPadNdWithSlicePass,
            _spellings.ReplaceFunctionallyEquivalentOpTargets,
            _constants.ReplaceWhereWithFullArgsWithWhereScalar,
            _spellings.ReplacePermuteWithTransposePass,
            _spellings.ReplaceAddMMWithLinearPass,
            _convolutions.ReplaceTrivialConvWithLinear,
        ),
    ),
    Stage("products of windows", (_convolutions.ReplaceConvWithIm2RowAndLinear,)),
    Stage(
        "layouts",
        (
            replace_layouts.ReplaceConvWithChannelLastConvPass,
            replace_layouts.ReplaceMaxPool2dWithChannelLastMaxPool2dPass,
            _convolutions.ReplaceIm2RowWithViewPass,
            *_MOVES,
            _spellings.ReplaceLinearWithFullyConnectedOpPass,
            _spellings.ReplacePermuteWithTransposePass,
        ),
    ),
    Stage("lifetimes", (_order.HoistOpsCloserToDefPass, _order.SinkOpsCloserToUsePass)),
    Stage("kernels of one type", (CompileTimeTypeDispatchPass,)),
    Stage("arguments", (BindOptionalArgsPass,), required=True),
)
#: Only on request: a copy of each window, for cores without convolutions.
_IM2ROW: Final = "products of windows"
#: Only for ``SIZE``.
_ONE_TYPE: Final = "kernels of one type"


def get_passes(
    mode: CompileMode | str, edge_passes_config: EdgePassesConfig | None = None
) -> list[Callable[[], Pass]]:
    """What makes the passes that run in a mode, in order.

    Args:
        mode: or its value: ``minimal``, ``default`` or ``size``.
        edge_passes_config: choices among the passes.
    """
    mode = CompileMode(mode)
    config = edge_passes_config or EdgePassesConfig()
    found: list[Callable[[], Pass]] = []
    for stage in STAGES:
        wanted = stage.required or mode is not CompileMode.MINIMAL
        if stage.name == _IM2ROW:
            wanted = config.use_im2row_transform
        elif stage.name == _ONE_TYPE:
            wanted = mode is CompileMode.SIZE
        found += stage.passes if wanted else ()
    return found


def apply_exir_ops_passes(
    mode: CompileMode, edge_prog_manager: Any, edge_passes_config: EdgePassesConfig | None = None
) -> Any:
    """Runs all passes of a mode over the methods of an ``EdgeProgramManager``; returns another one.

    Batch norms with constant weights are folded first, which only programs know, and counts of batches go.
    """
    programs = [] if mode is CompileMode.MINIMAL else [RemoveBNTrackingMutationsPass(), FuseBatchNormPass()]
    passes = [*programs, *(make() for make in get_passes(mode, edge_passes_config))]
    config = edge_prog_manager.compile_config
    # Linear layers are one operator here, which core ATen takes apart.
    allowed = [*config._core_aten_ops_exception_list, torch.ops.aten.linear.default]
    return edge_prog_manager.transform(
        passes, compile_config=dataclasses.replace(config, _core_aten_ops_exception_list=allowed)
    )


def apply_torch_ops_passes(expo_program: ExportedProgram) -> ExportedProgram:
    """Runs the passes that come before edge operators over a program (in place)."""
    for one in (ReplaceSafeSoftmaxWithSoftmax(), _constants.ReplaceMulTensorWithMulAndFullOpsPass()):
        one(expo_program.graph_module)
    return expo_program


__all__ = ["STAGES", "Stage", "apply_exir_ops_passes", "apply_torch_ops_passes", "get_passes"]
