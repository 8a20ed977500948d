"""Each architecture of one family (``-k <family>-``) on Vulkan's delegate: one delegate and nothing beside it, as eager PyTorch, without a word of
Khronos' validation layer, which makes a call fail."""

import copy
import os

import pytest
import torch
from torch.utils import _pytree as pytree

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime
from executorch.tests.zoo import registry


@pytest.mark.parametrize(("half", "tolerance"), [(False, 1e-4), (True, 1e-2)], ids=["float", "half"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, id=f"{family}-{name}")
        for family in registry.FAMILIES
        for name in registry.names(family)
    ],
)
def test_same_as_eager_on_vulkan(name, half, tolerance):
    assert os.environ.get("EXECUTORCH_VULKAN_VALIDATION"), "without the layer this says nothing of its words"
    specimen = registry.make(name)
    eager = copy.deepcopy(specimen.module)
    program = torch.export.export(specimen.module, specimen.inputs, dynamic_shapes=specimen.dynamic_shapes)
    partitioner = VulkanPartitioner({"force_fp16": True} if half else None)
    executable = to_edge_transform_and_lower(program, partitioner=[partitioner]).to_executorch()
    (plan,) = executable.executorch_program.execution_plan
    assert len(plan.delegates) == 1, [one.name for one in plan.operators]
    method = Runtime.get().load_program(executable.buffer).load_method("forward")
    for inputs in (specimen.inputs, *specimen.others):
        with torch.no_grad():
            expected = pytree.tree_leaves(eager(*copy.deepcopy(inputs)))
        for got, want in zip(method.execute(pytree.tree_leaves(inputs)), expected, strict=True):
            if isinstance(want, torch.Tensor) and want.is_floating_point():
                scale = max(1.0, float(want.abs().max()))
                torch.testing.assert_close(got, want, atol=tolerance * scale, rtol=0)
            elif half and isinstance(want, torch.Tensor):
                # Of scores that are as near to each other as halves tell apart, another may be the greatest.
                assert got.shape == want.shape and (got != want).double().mean() <= 0.01
            else:
                assert torch.equal(got, want) if isinstance(want, torch.Tensor) else got == want
