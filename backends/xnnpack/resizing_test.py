"""Resizing of images, also where their sizes are known at run time only."""

from operator import getitem

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.utils import get_reasons
from executorch.runtime import Runtime


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize(("named", "other", "left"), [((0,), 1, 0), ((2,), 5, 1), ((2, 3), 5, 1)])
def test_images_of_any_size(named, other, left, align_corners):
    """XNNPACK's node has the height and width of the result as numbers, so those known at run time only stay outside."""
    model = torch.nn.Upsample(scale_factor=2, mode="bilinear", align_corners=align_corners)
    image = torch.rand(2, 6, 7, 7)
    dynamic = {axis: Dim(f"size{axis}", min=1 if axis == 0 else 2, max=16) for axis in named}
    program = export(model, (image,), dynamic_shapes=(dynamic,))
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    outside = [str(node.target) for node in edge.exported_program().graph.nodes]
    assert sum("upsample_bilinear2d" in name for name in outside) == left
    x = torch.rand([other if axis in named else size for axis, size in enumerate(image.shape)])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute([x])[0], model(x), atol=1e-5, rtol=1e-5)


def _left_and_found(model, image, *others, dynamic=None):
    """What stays outside of the delegate, after results for the images were eager's."""
    program = export(model.eval(), (image,), dynamic_shapes=(dynamic,))
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    nodes = [node for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for x in (image, *others):
        torch.testing.assert_close(method.execute([x])[0], model(x).detach(), atol=1e-5, rtol=1e-5)
    return [
        str(node.target) for node in nodes if "delegate" not in str(node.target) and node.target != getitem
    ]


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize(
    "wanted",
    [{"scale_factor": 2}, {"scale_factor": (1, 3)}, {"scale_factor": (5, 1)}, {"size": (24, 14)}],
    ids=["twice", "wider", "taller", "by size"],
)
def test_pixels_become_blocks(mode, wanted):
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 6, 1), torch.nn.Upsample(mode=mode, **wanted), torch.nn.Conv2d(6, 2, 3)
    )
    images = [torch.rand(batch, 3, 6, 7) for batch in (2, 5, 1)]
    assert not _left_and_found(model, *images, dynamic={0: Dim("batch", min=1, max=8)})


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"size": (9, 7)}, "height or width does not grow by a whole number up to 5"),
        ({"scale_factor": 6}, "height or width does not grow by a whole number up to 5"),
        ({"scale_factor": 2.1}, "the scales are not those of the sizes"),
    ],
)
def test_other_nearest_pixels_stay_and_say_why(wanted, reason):
    model, image = torch.nn.Upsample(mode="nearest", **wanted), torch.rand(1, 2, 6, 7)
    assert _left_and_found(model, image) == ["aten.upsample_nearest2d.vec"]
    edge = to_edge_transform_and_lower(export(model, (image,)), partitioner=[XnnpackPartitioner()])
    assert reason in {one.reason for one in get_reasons(edge.exported_program().graph_module)}
