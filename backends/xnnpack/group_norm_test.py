"""Norms of images over groups of channels and over the batch, against eager in double precision."""

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

nn = torch.nn
LAST, PLAIN = torch.channels_last, torch.contiguous_format


def filled(norm):
    """The norm with weights that are not the initial ones."""
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    return norm


def lowered(model, image, dynamic=None):
    program = export(model.eval(), (image,), dynamic_shapes=None if dynamic is None else (dynamic,))
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


def left(edge):
    """The operators outside of the delegate."""
    names = [node.name for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    return [name for name in names if "delegate" not in name and "getitem" not in name]


def check(model, image, *others, dynamic=None, most=1e-6):
    """All is delegated, and the largest difference is ``most`` of the largest number."""
    edge = lowered(model, image, dynamic)
    assert left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    exact = {name: one.double() for name, one in model.state_dict().items()}
    for one in (image, *others):
        (got,) = method.execute([one])
        want = torch.func.functional_call(model, exact, (one.double(),))
        assert got.shape == want.shape and got.dtype == one.dtype
        assert float((got - want).abs().max()) <= most * float(want.abs().max())


@pytest.mark.parametrize("memory_format", [PLAIN, LAST])
@pytest.mark.parametrize("mean", [0, 1000])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("groups", [1, 3, 6])
def test_group_norm(groups, affine, mean, memory_format):
    image = (torch.randn(2, 6, 9, 7) + mean).to(memory_format=memory_format)
    check(filled(nn.GroupNorm(groups, 6, affine=affine)), image)


@pytest.mark.parametrize("memory_format", [PLAIN, LAST])
@pytest.mark.parametrize("groups", [1, 16, 32])
def test_many_places_with_a_large_mean(groups, memory_format):
    image = (torch.randn(1, 32, 64, 64) + 1000).to(memory_format=memory_format)
    check(filled(nn.GroupNorm(groups, 32)), image)


def test_equal_numbers_have_no_variance():
    for memory_format in (PLAIN, LAST):
        image = torch.full((1, 6, 5, 3), 1000.1).to(memory_format=memory_format)
        edge = lowered(filled(nn.GroupNorm(2, 6, eps=1e-12)), image)
        (got,) = (
            Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward").execute([image])
        )
        assert bool(got.isfinite().all())


@pytest.mark.parametrize("named", [(0,), (2,), (3,), (2, 3), (0, 2, 3)], ids=str)
@pytest.mark.parametrize(
    "norm", [nn.GroupNorm(2, 6), nn.GroupNorm(6, 6), nn.BatchNorm2d(6, track_running_stats=False)], ids=str
)
def test_sizes_that_are_known_only_at_run_time(norm, named):
    dynamic = {axis: Dim(f"size{axis}", min=1 if axis == 0 else 2, max=16) for axis in named}
    sizes = [
        3 if axis == 0 and axis in named else 9 if axis in named else size
        for axis, size in enumerate((2, 6, 4, 5))
    ]
    check(filled(norm), torch.rand(2, 6, 4, 5), torch.rand(sizes), dynamic=dynamic)


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize(
    "norm",
    [
        lambda affine: nn.InstanceNorm2d(6, affine=affine),
        lambda affine: nn.BatchNorm2d(6, affine=affine, track_running_stats=False),
    ],
    ids=["instance", "batch"],
)
def test_statistics_of_the_batch(norm, affine, samples):
    check(filled(norm(affine)), torch.randn(samples, 6, 5, 4) + 100)


def test_instance_norms_of_any_number_of_samples():
    dynamic = {0: Dim("samples", min=1, max=8)}
    for others in (torch.rand(1, 6, 4, 5), torch.rand(5, 6, 4, 5)):
        check(nn.InstanceNorm2d(6), torch.rand(2, 6, 4, 5), others, dynamic=dynamic)


def test_between_convolutions_nothing_is_transposed_but_the_borders():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), filled(nn.GroupNorm(4, 8)), nn.SiLU(), nn.Conv2d(8, 3, 3))
    edge = lowered(model, torch.rand(1, 3, 9, 8))
    graph, _ = unpack(edge.exported_program().graph_module.lowered_module_0.processed_bytes)
    kinds = [type(node.xnode_union).__name__ for node in graph.xnodes]
    assert kinds.count("XNNStaticTranspose") == 2
    check(model, torch.rand(1, 3, 9, 8))


@pytest.mark.parametrize("memory_format", [PLAIN, LAST])
@pytest.mark.parametrize("mean", [0, 1000])
@pytest.mark.parametrize("groups", [1, 3, 6])
@pytest.mark.parametrize("shape", [(2, 6, 30), (1, 6, 5, 3, 4)], ids=str)
def test_rows_and_volumes(shape, groups, mean, memory_format):
    values = torch.randn(shape) + mean
    if memory_format is LAST and len(shape) == 5:
        values = values.to(memory_format=torch.channels_last_3d)
    check(filled(nn.GroupNorm(groups, 6)), values)
    convolution = nn.Conv1d if len(shape) == 3 else nn.Conv3d
    check(nn.Sequential(convolution(6, 6, 3, padding=1), filled(nn.GroupNorm(groups, 6))), values, most=3e-6)


@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("shape", [(2, 6, 30), (2, 6, 5, 3, 4)], ids=str)
@pytest.mark.parametrize("norm", [nn.GroupNorm(2, 6), nn.GroupNorm(6, 6)], ids=str)
def test_rows_and_volumes_of_any_size(norm, shape, axis):
    other = [size + 2 if number == axis else size for number, size in enumerate(shape)]
    dynamic = {axis: Dim("size", min=1 if axis == 0 else 2, max=64)}
    check(filled(norm), torch.rand(shape), torch.rand(other), dynamic=dynamic)


@pytest.mark.parametrize("samples", [1, 2])
def test_statistics_of_rows_and_volumes(samples):
    check(filled(nn.InstanceNorm1d(6, affine=True)), torch.randn(samples, 6, 20) + 100)
    check(filled(nn.InstanceNorm3d(6, affine=True)), torch.randn(samples, 6, 4, 5, 3) + 100)
    check(filled(nn.BatchNorm3d(6, track_running_stats=False)), torch.randn(samples, 6, 4, 5, 3) + 100)


def test_what_is_no_image_stays_outside():
    assert left(lowered(nn.GroupNorm(2, 6), torch.rand(2, 6))) == ["aten_native_group_norm_default"]
    dynamic = {0: Dim("samples", max=8), 2: Dim("length", max=64)}
    edge = lowered(nn.GroupNorm(2, 6), torch.rand(2, 6, 9), dynamic)
    assert "aten_native_group_norm_default" in left(edge)


def test_statistics_that_are_read_stay_outside():
    class Model(nn.Module):
        def forward(self, x):
            return torch.ops.aten.native_group_norm(x, None, None, 1, 6, 20, 2, 1e-5)[:2]

    assert left(lowered(Model(), torch.rand(1, 6, 4, 5))) == ["aten_native_group_norm_default"]


def test_weights_that_are_calculated():
    class Model(nn.Module):
        def forward(self, x, weight):
            return nn.functional.group_norm(x, 2, weight, weight + 1)

    inputs = (torch.rand(2, 6, 4, 5), torch.rand(6))
    program = export(Model(), inputs)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    assert left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute(list(inputs))[0], Model()(*inputs), atol=1e-5, rtol=1e-5)
