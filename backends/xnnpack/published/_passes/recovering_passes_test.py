"""Attention and resizing are put together again where they were taken apart, and nothing else is."""

import pytest
import torch
from torch._decomp import get_decompositions

from executorch.backends.xnnpack._passes import XNNPACKPassManager
from executorch.backends.xnnpack._passes.convert_to_sdpa import ConvertToSDPAPass
from executorch.backends.xnnpack._passes.convert_to_upsample_bilinear2d import ConvertToUpsampleBilinear2d
from executorch.exir import EdgeCompileConfig, to_edge

functional = torch.nn.functional
attention = functional.scaled_dot_product_attention


class Call(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def edge(function, inputs, decomposed=(), dynamic_shapes=None):
    program = torch.export.export(Call(function), inputs, dynamic_shapes=dynamic_shapes)
    if decomposed:
        program = program.run_decompositions(get_decompositions(decomposed))
    config = EdgeCompileConfig(_check_ir_validity=False)
    return to_edge(program, compile_config=config).exported_program()


def operators(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def recovered(pass_, function, inputs, tolerance=1e-5, **options):
    """The program behind the pass, whose numbers are the same."""
    program = XNNPACKPassManager(edge(function, inputs, **options), [pass_]).transform()
    torch.testing.assert_close(program.module()(*inputs), function(*inputs), atol=tolerance, rtol=tolerance)
    return program


def heads(*leading, dtype=torch.float32):
    torch.manual_seed(2)
    return tuple(torch.randn(*leading, length, 16).to(dtype) for length in (8, 12, 12))


@pytest.mark.parametrize("leading", [(1, 4), (2, 3), (4,)])
@pytest.mark.parametrize("scale", [None, 0.5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_attention(leading, scale, dtype):
    def function(query, key, value, mask):
        return attention(query, key, value, attn_mask=mask, scale=scale)

    mask = torch.zeros(8, 12, dtype=dtype)
    mask[3] = -float("inf")
    inputs = (*heads(*leading, dtype=dtype), mask)
    tolerance = 1e-5 if dtype is torch.float32 else 5e-3
    program = recovered(ConvertToSDPAPass, function, inputs, tolerance)
    assert operators(program) == ["aten.scaled_dot_product_attention.default"]
    node = program.graph.output_node().args[0][0]
    assert [one.name for one in node.args] == ["inputs_0", "inputs_1", "inputs_2", "inputs_3"]
    assert node.kwargs["scale"] == pytest.approx(scale or 0.25)


def test_attention_behind_attention():
    def function(query, key, value, mask):
        first = attention(query, key, value, attn_mask=mask)
        return attention(first + 1, key, value, attn_mask=mask > 0).relu()

    program = recovered(ConvertToSDPAPass, function, (*heads(1, 2), torch.rand(8, 12) - 0.5))
    assert operators(program).count("aten.scaled_dot_product_attention.default") == 2
    assert not any("softmax" in name or "bmm" in name for name in operators(program))


def test_attention_of_any_batch():
    def function(query, key, value, mask):
        return attention(query, key, value, attn_mask=mask)

    batch = {0: torch.export.Dim("batch", min=1, max=8)}
    inputs = (*heads(2, 3), torch.rand(8, 12))
    shapes = ((batch, batch, batch, None),)
    program = recovered(ConvertToSDPAPass, function, inputs, dynamic_shapes=shapes)
    assert operators(program) == ["aten.scaled_dot_product_attention.default"]


OTHER = {
    "no mask": lambda query, key, value, mask: attention(query, key, value),
    "a mask for each batch": lambda query, key, value, mask: attention(query, key, value, mask[None, None]),
    "no transposed key": lambda query, key, value, mask: (
        torch.softmax(query @ key.reshape(1, 2, 16, 12) + mask, -1) @ value
    ),
    "softmax over queries": lambda query, key, value, mask: torch.softmax(query @ key.mT + mask, -2) @ value,
    "weights on the right": lambda query, key, value, mask: (
        value.mT @ torch.softmax(query @ key.mT + mask, -1).mT
    ),
    "weights that are changed": lambda query, key, value, mask: (
        torch.softmax(query @ key.mT + mask, -1).exp() @ value
    ),
}


@pytest.mark.parametrize("name", OTHER)
def test_no_attention(name):
    program = recovered(ConvertToSDPAPass, OTHER[name], (*heads(1, 2), torch.rand(8, 12)))
    assert not any("scaled_dot_product" in name for name in operators(program))


IMAGE = torch.rand(2, 3, 8, 10)
RESIZING = torch.ops.aten.upsample_bilinear2d.vec


def resize(image, **options):
    return functional.interpolate(image, mode="bilinear", **options)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("to", [{"scale_factor": 2}, {"size": (12, 20)}, {"size": (5, 7)}])
def test_resizing(align_corners, to):
    program = recovered(
        ConvertToUpsampleBilinear2d,
        lambda image: resize(image, align_corners=align_corners, **to),
        (IMAGE,),
        decomposed=[RESIZING],
    )
    assert operators(program) == ["aten.upsample_bilinear2d.vec"]


def test_resizing_behind_resizing():
    def function(image):
        small = resize(image + 1, size=(4, 5), align_corners=True)
        return resize(small, size=(8, 10), align_corners=False) * image

    program = recovered(ConvertToUpsampleBilinear2d, function, (IMAGE,), decomposed=[RESIZING])
    assert operators(program).count("aten.upsample_bilinear2d.vec") == 2
    assert not any("index" in name for name in operators(program))


def test_no_resizing():
    def corners(image):
        row, column = torch.arange(4)[:, None], torch.arange(5)
        found = [image[:, :, row + down, column + right] for down in (0, 1) for right in (0, 1)]
        return found[0] + found[1] + found[2] + found[3]

    for function in (corners, lambda image: resize(image, scale_factor=2, align_corners=False)):
        program = edge(function, (IMAGE,))
        before = operators(program)
        result = ConvertToUpsampleBilinear2d(program)(program.graph_module)
        assert not result.modified and operators(program) == before
