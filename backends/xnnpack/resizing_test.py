"""Bilinear resizing, where sizes of the image are known at run time only."""

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
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
