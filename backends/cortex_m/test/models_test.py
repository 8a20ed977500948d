"""Whole models: nothing stays in floating point, and results are those of the quantized model in PyTorch."""

from __future__ import annotations

import pathlib

import pytest
import torch
from torch import nn

from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.passes.scratch_buffer_sizes import required_cmsis_nn_buffer_sizes
from executorch.backends.cortex_m.quantizer.quantization_configs import INT16_PER_TENSOR_CONFIG
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.backends.cortex_m.target_config import InstructionSet
from executorch.backends.cortex_m.test.models import (
    Images,
    inputs,
    lowered,
    operators,
    quantized,
    small_models,
    steps_apart,
)
from executorch.dialects import memory
from executorch.exir import to_edge

#: Calls that compute nothing, or that kernels for any integers have.
_MOVES = {"aten::cat", "aten::view_copy", "aten::slice_copy", "aten::unsqueeze_copy"}


@pytest.mark.parametrize("name", ["images", "elements", "layers"])
def test_models_are_calculated_on_integers(name):
    model, example = small_models()[name]
    program = quantized(model, example)
    edge = lowered(program)
    found = edge.exported_program()
    left = {one for one in operators(found) if not one.startswith("cortex_m::")}
    assert left <= _MOVES
    # Where roundings in a row meet, the last digit may differ.
    for seed in range(3):
        values = inputs(*(tuple(one.shape) for one in example), seed=seed)
        assert steps_apart(found.module()(*values), program.module()(*values), found) <= 1.01
    planned = edge.to_executorch().executorch_program.execution_plan[0]
    assert {operator.name for operator in planned.operators} >= {"cortex_m::quantize_per_tensor"}


@pytest.mark.parametrize("name", ["images", "elements", "wide"])
def test_sizes_of_work_space_are_known_of_each_call(name):
    model, example = small_models()["images" if name == "wide" else name]
    quantizer = CortexMQuantizer(INT16_PER_TENSOR_CONFIG) if name == "wide" else None
    sizes = {}
    for node in lowered(quantized(model, example, quantizer)).exported_program().graph.nodes:
        rooms = [one.args[0][0][0] for one in node.all_input_nodes if one.target is memory.alloc]
        assert (required_cmsis_nn_buffer_sizes(node, InstructionSet.DSP) or []) == rooms
        sizes[name_of(node)] = rooms
    expected = {"images": "transpose_conv2d_nhwc", "elements": "batch_matmul", "wide": "conv2d_int16_nhwc"}
    assert sizes[f"cortex_m::quantized_{expected[name]}"][0] > 0


def test_images_stay_in_the_order_of_kernels():
    model, example = small_models()["images"]
    called = operators(lowered(quantized(model, example)).exported_program())
    # Once on the way in; the mean on the way out leaves nothing to move.
    assert called.count("cortex_m::transpose") == 1


def test_inputs_with_channels_last_need_no_transposition():
    model, example = Images(moves=False), inputs((1, 3, 12, 10))
    example = tuple(one.to(memory_format=torch.channels_last) for one in example)
    program = quantized(model, example)
    found = lowered(program).exported_program()
    assert "cortex_m::quantized_conv2d" in operators(found)
    assert "cortex_m::transpose" not in operators(found)
    assert operators(lowered(program, use_explicit_layout=False).exported_program()) == operators(found)
    explicit = operators(lowered(program, use_explicit_layout=True).exported_program())
    assert "cortex_m::quantized_conv2d_nhwc" in explicit
    assert steps_apart(found.module()(*example), program.module()(*example), found) <= 1.01


def test_images_that_lose_channels_last_on_the_way_are_turned():
    # A slice is contiguous whatever it was taken from; the kernels behind it refuse that.
    model, example = small_models()["images"]
    example = tuple(one.to(memory_format=torch.channels_last) for one in example)
    called = operators(lowered(quantized(model, example)).exported_program())
    assert "cortex_m::quantized_conv2d_nhwc" in called and "cortex_m::quantized_conv2d" not in called


def test_an_activation_is_the_bound_of_its_layer():
    model = nn.Sequential(nn.Conv2d(2, 3, 1), nn.ReLU6())
    (call,) = (
        node
        for node in lowered(quantized(model, inputs((1, 2, 4, 4)))).exported_program().graph.nodes
        if name_of(node) == "cortex_m::quantized_conv2d_nhwc"
    )
    assert call.args[10] == call.args[7]  # The least integer is that of 0.


def test_what_has_no_kernel_stays_in_floating_point():
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 3))
    example = inputs((2, 8))
    program = quantized(model, example)
    found = lowered(program).exported_program()
    called = operators(found)
    assert "aten::native_layer_norm" in called
    assert called.count("cortex_m::quantized_linear") == 2
    assert steps_apart(found.module()(*example), program.module()(*example), found) <= 1.01


def test_parts_are_left_by_name():
    quantizer = CortexMQuantizer().set_module_name("1", None)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU())
    called = operators(lowered(quantized(model, inputs((1, 4)), quantizer)).exported_program())
    assert called.count("cortex_m::quantized_linear") == 1
    assert {"aten::linear", "aten::addmm"} & set(called)


def test_a_pool_that_stays_in_floating_point_has_a_kernel():
    quantizer = CortexMQuantizer().set_module_type(nn.MaxPool2d, None)
    model, example = nn.Sequential(nn.Conv2d(2, 3, 1), nn.MaxPool2d(2), nn.ReLU()), inputs((1, 2, 4, 4))
    program = quantized(model, example, quantizer)
    edge = lowered(program)
    found = edge.exported_program()
    assert "aten::max_pool2d" not in operators(found)
    assert steps_apart(found.module()(*example), program.module()(*example), found) <= 1.01
    planned = edge.to_executorch().executorch_program.execution_plan[0]
    assert "aten::max_pool2d_with_indices" in {one.name for one in planned.operators}


def test_a_manager_without_a_program_says_so():
    with pytest.raises(ValueError, match="no program"):
        CortexMPassManager().transform()


def test_the_documented_way():
    model, example = small_models()["layers"]
    edge = to_edge(quantized(model, example))
    assert "cortex_m::quantized_linear" in operators(CortexMPassManager(edge.exported_program()).transform())


def test_the_readme():
    readme = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    exec(compile(readme.split("```python\n")[1].split("```")[0], "README.md", "exec"), {})
