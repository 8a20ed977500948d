"""Convolutions and norms of volumes (samples, channels, frames, height, width), against eager."""

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

nn = torch.nn
VOLUME = torch.rand(2, 6, 8, 9, 9)


def lowered(model, volume, dynamic=None):
    program = export(model.eval(), (volume,), dynamic_shapes=None if dynamic is None else (dynamic,))
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


def left(edge):
    """The operators outside of the delegates."""
    names = [node.name for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    return [name for name in names if "delegate" not in name and "getitem" not in name]


def check(model, volume, *others, dynamic=None):
    """One delegate has all, and gives what eager gives."""
    edge = lowered(model, volume, dynamic)
    assert left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for one in (volume, *others):
        (got,) = method.execute([one])
        torch.testing.assert_close(got, model(one), atol=1e-5, rtol=1e-5)


def kinds(edge):
    graph, _ = unpack(edge.exported_program().graph_module.lowered_module_0.processed_bytes)
    return [type(node.xnode_union).__name__ for node in graph.xnodes]


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize(
    "options", [{}, {"padding": 1}, {"stride": 2}, {"stride": (2, 1, 3), "padding": (2, 0, 1)}], ids=str
)
@pytest.mark.parametrize("kernel", [3, 1, (1, 3, 3), (3, 1, 1), (2, 3, 1), (6, 2, 2)], ids=str)
def test_convolutions(kernel, options, groups):
    check(nn.Conv3d(6, 12, kernel, groups=groups, **options), VOLUME)


@pytest.mark.parametrize("stride", [1, (2, 1, 1), (3, 1, 1)], ids=str)
@pytest.mark.parametrize("bias", [False, True])
def test_filters_that_leave_frames_out(bias, stride):
    check(nn.Conv3d(6, 4, 3, dilation=(2, 1, 2), padding=(1, 1, 0), stride=stride, bias=bias), VOLUME)
    check(nn.Conv3d(6, 4, (3, 1, 1), dilation=(2, 1, 1), bias=bias), VOLUME)


@pytest.mark.parametrize("kernel", [3, (1, 3, 3), (3, 1, 1)], ids=str)
def test_what_is_clamped_is_the_whole_sum(kernel):
    check(nn.Sequential(nn.Conv3d(6, 4, kernel), nn.ReLU6()), VOLUME * 20 - 10)


@pytest.mark.parametrize("kernel", [3, (1, 3, 3), (3, 1, 1)], ids=str)
def test_halves(kernel):
    model, volume = nn.Conv3d(6, 4, kernel, padding="same").half(), VOLUME.half()
    edge = lowered(model, volume)
    assert left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute([volume])[0], model(volume), atol=5e-3, rtol=5e-3)


@pytest.mark.parametrize("axis", [0, 3, 4])
@pytest.mark.parametrize("kernel", [3, (1, 3, 3), (3, 1, 1)], ids=str)
def test_sizes_that_are_known_only_at_run_time(kernel, axis):
    sizes = list(VOLUME.shape)
    sizes[axis] += 2
    check(
        nn.Conv3d(6, 4, kernel),
        VOLUME,
        torch.rand(sizes),
        dynamic={axis: Dim("size", min=1 if axis == 0 else 4, max=16)},
    )


@pytest.mark.parametrize("kernel", [(1, 3, 3), (3, 1, 1)], ids=str)
def test_any_number_of_frames(kernel):
    check(
        nn.Conv3d(6, 4, kernel), VOLUME, torch.rand(2, 6, 12, 9, 9), dynamic={2: Dim("frames", min=4, max=16)}
    )


def test_what_stays_outside():
    dynamic = {2: Dim("frames", min=4, max=16)}
    assert left(lowered(nn.Conv3d(6, 4, 3), VOLUME, dynamic)) == ["aten_convolution_default"]
    assert left(lowered(nn.ConvTranspose3d(6, 4, 3), VOLUME)) == ["aten_convolution_default"]


def test_few_products_and_norms_by_themselves_stay_outside():
    model = nn.Sequential(nn.Conv3d(2, 2, 2), nn.BatchNorm3d(2))
    names = ["aten_convolution_default", "aten__native_batch_norm_legit_no_training_default"]
    assert left(lowered(model, torch.rand(2, 2, 4, 4, 4))) == names
    assert left(lowered(nn.BatchNorm3d(6), VOLUME)) == names[1:]


def test_between_convolutions_nothing_is_transposed_but_the_borders():
    model = nn.Sequential(
        nn.Conv3d(6, 8, 3, padding=1),
        nn.BatchNorm3d(8),
        nn.SiLU(),
        nn.GroupNorm(4, 8),
        nn.Conv3d(8, 3, (3, 1, 1)),
    )
    assert kinds(lowered(model, VOLUME)).count("XNNStaticTranspose") == 2
    check(model, VOLUME)


def test_channels_last_volumes():
    check(nn.Conv3d(6, 4, 3, padding=1), VOLUME.to(memory_format=torch.channels_last_3d))


POOLS = {
    "all dimensions": {"kernel_size": 2},
    "frames": {"kernel_size": (3, 1, 1)},
    "pixels": {"kernel_size": (1, 2, 3), "stride": (1, 2, 2)},
    "overlapping": {"kernel_size": 3, "stride": (1, 2, 2), "padding": (1, 1, 0)},
    "a last part of a window": {"kernel_size": (2, 3, 3), "ceil_mode": True},
}


@pytest.mark.parametrize("name", POOLS)
def test_pools(name):
    options = POOLS[name]
    check(nn.MaxPool3d(**options), VOLUME - 0.5)
    check(nn.AvgPool3d(**options, count_include_pad=False), VOLUME - 0.5)


def test_pools_of_any_number_of_samples_and_halves():
    check(nn.MaxPool3d(3, 2, 1), VOLUME, torch.rand(3, 6, 8, 9, 9), dynamic={0: Dim("samples", min=1, max=4)})
    check(nn.MaxPool3d(2, dilation=2), VOLUME)
    assert left(lowered(nn.AvgPool3d(2), VOLUME.half())) == []


def test_pools_that_stay_outside():
    assert left(lowered(nn.AvgPool3d(3, padding=1), VOLUME)) == ["aten_avg_pool3d_default"]
    assert left(lowered(nn.AvgPool3d(2, divisor_override=3), VOLUME)) == ["aten_avg_pool3d_default"]
    assert left(lowered(nn.MaxPool3d(1, stride=2), VOLUME)) == ["aten_max_pool3d_with_indices_default"]
