"""Passes on permutations, views and layouts: what is left, and equal numbers."""

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

from executorch.backends.transforms.aten_to_dialect_pass import AtenToDialectPass, DialectNodeSpec
from executorch.backends.transforms.canonicalize_view_copy_permute_pass import CanonicalizeViewCopyPermutePass
from executorch.backends.transforms.decompose_channels_last_pass import DecomposeChannelsLastPass
from executorch.backends.transforms.dim_maps import PermuteMap, ViewMap, normalize_view_shape, same_numel
from executorch.backends.transforms.fuse_cascaded_transpose_or_permute_ops import (
    FuseCascadedTransposeOrPermuteOps,
)
from executorch.backends.transforms.fuse_cascaded_view_ops import FuseCascadedViewOps
from executorch.backends.transforms.fuse_identical_input_transforms_pass import (
    FuseIdenticalInputTransformsPass,
)
from executorch.backends.transforms.fuse_transpose_or_permute_op_pairs_pass import (
    FuseTransposeOrPermuteOpPairsPass,
)
from executorch.backends.transforms.permute_pass_utils import (
    get_arg,
    get_permuted_dims,
    get_shape,
    get_transposed_dims,
    set_arg,
)
from executorch.backends.transforms.postpone_permute_below_squeeze_view import (
    PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView,
)
from executorch.backends.transforms.programs_for_tests import operators, run
from executorch.backends.transforms.propagate_view_copy_permute_pass import (
    PropagateViewCopyPermuteDownPass,
    PropagateViewCopyPermuteUpPass,
)
from executorch.backends.transforms.remove_permutes_around_elementwise_ops import (
    RemovePermutesAroundElementwiseOps,
)
from executorch.backends.transforms.replace_channels_last_input_clones import ReplaceChannelsLastInputClones
from executorch.backends.transforms.replace_nop_transpose_or_permute_with_view import (
    ReplaceNopTransposeOrPermuteWithViewPass,
)
from executorch.backends.transforms.replace_ops_with_channels_last_variants import (
    ReplaceOpsWithChannelsLastVariants,
)
from executorch.backends.transforms.replace_squeeze_unsqueeze_with_view import (
    ReplaceSqueezeAndUnsqueezeWithViewPass,
)
from executorch.dialects.ops import ops

_IMAGE = (torch.rand(2, 3, 4, 5),)
_PAIR = (torch.rand(2, 3, 4, 5), torch.rand(2, 3, 4, 5))
_BATCH = ({0: Dim("batch", min=2, max=8)},)


def _nhwc(x):
    return x.permute(0, 2, 3, 1)


def _nchw(x):
    return x.permute(0, 3, 1, 2)


@pytest.mark.parametrize(
    ("make", "model", "left"),
    [
        (FuseCascadedTransposeOrPermuteOps, lambda x: _nhwc(x).transpose(1, 2), ["permute_copy"]),
        (FuseCascadedTransposeOrPermuteOps, lambda x: torch.relu(_nchw(_nhwc(x))), ["relu"]),
        (
            FuseCascadedTransposeOrPermuteOps,
            lambda x: _nhwc(x).unflatten(0, (1, -1)).permute(0, 1, 4, 2, 3),
            ["view_copy"],
        ),
        (FuseTransposeOrPermuteOpPairsPass, lambda x: torch.relu(_nchw(_nhwc(x))), ["view_copy", "relu"]),
        (
            FuseCascadedViewOps,
            lambda x: torch.relu(x.flatten(2).unflatten(2, (20, 1))),
            ["view_copy", "relu"],
        ),
        (ReplaceNopTransposeOrPermuteWithViewPass, lambda x: torch.relu(x.permute(0, 1, 2, 3)), ["relu"]),
        (
            ReplaceNopTransposeOrPermuteWithViewPass,
            lambda x: x[:, :1].transpose(1, 2),
            ["slice_copy", "view_copy"],
        ),
        (ReplaceSqueezeAndUnsqueezeWithViewPass, lambda x: x.unsqueeze(1), ["view_copy"]),
        (RemovePermutesAroundElementwiseOps, lambda x: _nchw(torch.relu(_nhwc(x)) * 2), ["relu", "mul"]),
        (
            RemovePermutesAroundElementwiseOps,
            lambda x: _nchw(_nhwc(x).mean((1, 2), keepdim=True)),
            ["mean"],
        ),
        (
            RemovePermutesAroundElementwiseOps,
            lambda x: _nchw(F.pad(_nhwc(x)[:, 1:3], (1, 2, 0, 1))),
            ["slice_copy", "constant_pad_nd"],
        ),
        (CanonicalizeViewCopyPermutePass, lambda x: _nhwc(x).flatten(1, 2), ["view_copy", "permute_copy"]),
        (
            PropagateViewCopyPermuteDownPass,
            lambda x: torch.relu(_nhwc(x)[:, 1:3]),
            ["slice_copy", "relu", "permute_copy"],
        ),
        (
            PropagateViewCopyPermuteUpPass,
            lambda x: _nhwc(torch.relu(x).sum((1,), keepdim=True)),
            ["permute_copy", "relu", "sum"],
        ),
        (PropagateViewCopyPermuteDownPass, lambda x: _nchw(torch.relu(_nhwc(x))), ["relu"]),
    ],
)
@pytest.mark.parametrize("dynamic", [None, _BATCH])
def test_what_is_left_of_permutations_and_views(make, model, left, dynamic):
    result = run(model, _IMAGE, lambda _: make(), dynamic)
    names = [name.split("::")[1].split(".")[0] for name in operators(result) if "sym_size" not in name]
    assert names == left


class NotPastSlices(PropagateViewCopyPermuteDownPass):
    """A backend that slices along the last dimension only."""

    def is_swappable(self, node):
        return "slice" not in node.name and super().is_swappable(node)


def test_what_permutations_pass_can_be_narrowed():
    def model(x):
        return torch.relu(_nhwc(x.sum((2,), keepdim=True)).mean((1,), keepdim=True)[:, :, 1:3])

    asked = {}

    class Watched(NotPastSlices):
        def is_swappable(self, node):
            asked[node.name.rpartition("_")[0]] = super().is_swappable(node)
            return asked[node.name.rpartition("_")[0]]

    result = run(model, _IMAGE, lambda _: Watched())
    names = [name.split("::")[1].split(".")[0] for name in operators(result)]
    assert names == ["sum", "mean", "permute_copy", "slice_copy", "relu"]
    assert asked == {"aten_mean": True, "aten_slice_copy": False}
    dropping = run(lambda x: _nhwc(x).mean((1,)), _IMAGE, lambda _: Watched(), modified=False)
    assert asked["aten_mean"] is False and len(operators(dropping)) == 2


@pytest.mark.parametrize(
    ("make", "model"),
    [
        (FuseCascadedTransposeOrPermuteOps, lambda x: _nhwc(torch.relu(_nhwc(x)))),
        (FuseTransposeOrPermuteOpPairsPass, lambda x: (_nchw(_nhwc(x)), torch.relu(_nhwc(x)))),
        (RemovePermutesAroundElementwiseOps, lambda x: (_nchw(torch.relu(_nhwc(x))), _nhwc(x))),
        (RemovePermutesAroundElementwiseOps, lambda x: _nchw(torch.softmax(_nhwc(x), 1))),
        (ReplaceNopTransposeOrPermuteWithViewPass, _nhwc),
        (CanonicalizeViewCopyPermutePass, lambda x: _nhwc(x).flatten(2)),
        (PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView, lambda x: _nhwc(x).reshape(2, 1, 60)),
    ],
)
def test_what_cannot_be_merged_keeps_its_numbers(make, model):
    run(model, _IMAGE, lambda _: make(), modified=None)


def test_operands_in_two_orders_keep_their_permutations():
    run(lambda x: _nchw(_nhwc(x) + _nhwc(x).relu()), _IMAGE, lambda _: RemovePermutesAroundElementwiseOps())
    run(
        lambda x, y: _nchw(_nhwc(x) + y.reshape(2, 4, 5, 3)),
        _PAIR,
        lambda _: RemovePermutesAroundElementwiseOps(),
        modified=False,
    )


def test_concatenation_moves_in_front_of_a_permutation():
    result = run(
        lambda x, y: _nchw(torch.relu(torch.cat([_nhwc(x), _nhwc(y)], 3))),
        _PAIR,
        lambda _: RemovePermutesAroundElementwiseOps(),
    )
    assert operators(result) == ["aten::cat", "aten::relu"]


@pytest.mark.parametrize(
    "model",
    [
        lambda x, y: _nhwc(x) + _nhwc(y),
        lambda x, y: torch.cat([_nhwc(x), _nhwc(y)], 1),
        lambda x, y: torch.where(_nhwc(x) > 0.5, _nhwc(x), _nhwc(y)),
        lambda x, y: x.reshape(6, 20) * y.reshape(6, 20),
    ],
)
def test_equal_transforms_of_all_operands_become_one(model):
    before = len(operators(run(model, _PAIR, lambda _: FuseCascadedViewOps(), modified=None)))
    result = run(model, _PAIR, FuseIdenticalInputTransformsPass, modified=None)
    assert len(operators(result)) <= before


def test_a_permutation_moves_behind_a_view_to_the_next_one():
    result = run(
        lambda x: x.permute(0, 2, 1).reshape(2, 1, 4, 3).permute(0, 1, 3, 2),
        (torch.rand(2, 3, 4),),
        lambda _: PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView(),
    )
    assert operators(result) == ["aten::view_copy", "aten::permute_copy", "aten::permute_copy"]


@pytest.mark.parametrize(
    "model",
    [
        torch.nn.Conv2d(3, 4, 3, padding=1),
        torch.nn.ConvTranspose2d(3, 4, 3),
        torch.nn.MaxPool2d(2),
        torch.nn.AvgPool2d(2, padding=1),
        torch.nn.AdaptiveAvgPool2d((2, 2)),
    ],
)
@pytest.mark.parametrize("shape", [(2, 3, 8, 8), (3, 8, 8)])
def test_operators_run_on_channels_last_and_back(model, shape):
    inputs = (torch.rand(shape),)
    result = run(model, inputs, ReplaceOpsWithChannelsLastVariants)
    assert any(name.startswith("channels_last::") for name in operators(result))
    decomposed = DecomposeChannelsLastPass()(result)
    assert decomposed.modified
    assert not any(name.startswith("channels_last::") for name in operators(decomposed.graph_module))
    assert not DecomposeChannelsLastPass()(decomposed.graph_module).modified


def test_the_copy_of_a_channels_last_input_becomes_permutations():
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    result = run(lambda x: torch.relu(x.contiguous()), (image,), lambda _: ReplaceChannelsLastInputClones())
    assert operators(result) == ["aten::permute_copy", "channels_last::permute_copy", "aten::relu"]


def test_a_substitution_is_applied_where_it_says_so():
    class ToSigmoid(AtenToDialectPass):
        pass

    edge = ops.edge.aten

    @ToSigmoid.register_dialect_substitution(edge.hardtanh.default)
    def relu6(node, dialect_pass):
        assert dialect_pass.exported_program is not None
        return (
            DialectNodeSpec(edge.clamp.default, (node.args[0], 0, 6)) if node.args[1:] == (0.0, 6.0) else None
        )

    result = run(lambda x: F.hardtanh(F.relu6(x), -1, 1), _IMAGE, ToSigmoid)
    assert operators(result) == ["aten::clamp", "aten::hardtanh"]
    assert AtenToDialectPass._DIALECT_SUBSTITUTIONS == {}
    with pytest.raises(RuntimeError, match="Multiple substitutions"):
        ToSigmoid.register_dialect_substitution(edge.hardtanh.default)(relu6)


def test_maps_of_dimensions():
    split = ViewMap.from_shapes([6, 20], [2, 3, 20])
    assert split.map_dim(0) == [0, 1]
    assert split.map_dim_inverse([0, 1]) == [0]
    assert split.map_dim_inverse([0]) is None
    assert split.source_to_target_axes() == [[0, 1], [2]]
    assert normalize_view_shape([6, 20], [3, -1]) == [3, 40]
    assert same_numel([6, 20], [120])
    with pytest.raises(ValueError, match="same number"):
        ViewMap.from_shapes([6, 20], [7, 20])


def test_arguments_are_read_and_set_by_name():
    module = run(
        lambda x: torch.sum(_nhwc(x).unsqueeze(0), (1,)),
        _IMAGE,
        lambda _: FuseCascadedViewOps(),
        modified=False,
    )
    permute, _, total = [node for node in module.graph.nodes if node.op == "call_function"]
    assert get_permuted_dims(permute, [10, 11, 12, 13]) == [10, 12, 13, 11]
    assert PermuteMap(permute).map_dims([1, -1]) == [3, 2]
    assert get_shape(module, permute) == (2, 4, 5, 3)
    assert get_arg(total, "keepdim", bool) is False
    set_arg(total, "keepdim", True)
    assert get_arg(total, "keepdim") is True
    with pytest.raises(KeyError, match="no argument"):
        get_arg(total, "axis")
    graph = torch.fx.Graph()
    plain = graph.call_function(torch.add, kwargs={"input": 1, "other": 2})
    assert get_arg(plain, "other", int) == 2
    source = graph.placeholder("x")
    source.meta["val"] = torch.rand(2, 3, 4)
    swap = graph.call_function(torch.ops.aten.transpose_copy.int, (source, 0, -1))
    assert get_transposed_dims(swap) == [2, 1, 0]
