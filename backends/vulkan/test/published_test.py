"""Names and formats that code written for released ExecuTorch knows."""

import pytest
import torch

from executorch.backends.vulkan import utils
from executorch.backends.vulkan.serialization.blob import unpack
from executorch.backends.vulkan.serialization.vulkan_graph_schema import (
    OperatorCall,
    String,
    VkGraph,
    VkValue,
)
from executorch.backends.vulkan.serialization.vulkan_graph_serialize import (
    VulkanDelegateHeader,
    convert_to_flatbuffer,
    flatbuffer_to_vk_graph,
    serialize_vulkan_graph,
)


def test_a_graph_is_read_as_it_was_written():
    graph = VkGraph(
        version="1", chain=[OperatorCall(1, "some", [0])], values=[VkValue(String("text"))], input_ids=[0]
    )
    assert flatbuffer_to_vk_graph(convert_to_flatbuffer(graph)) == graph


def test_constants_and_shaders_lie_behind_the_graph():
    graph = VkGraph(version="0")
    tensors = [torch.randn(3, 5), torch.arange(7)]
    blob = serialize_vulkan_graph(graph, tensors, [b"words"])
    header = VulkanDelegateHeader.from_bytes(blob[:30])
    assert header.to_bytes() == blob[:30]
    payload = blob[header.bytes_offset : header.bytes_offset + header.bytes_size]
    for place, tensor in zip(graph.constants, tensors, strict=True):
        assert payload[place.offset : place.offset + place.length] == bytes(
            tensor.flatten().view(torch.uint8).tolist()
        )
    (shader,) = graph.shaders
    assert payload[shader.offset : shader.offset + shader.length] == b"words"
    assert unpack(blob) == graph


@pytest.mark.parametrize(
    "header",
    [VulkanDelegateHeader(32, 0, 48, 0), VulkanDelegateHeader(32, 64, 90, 16)],
    ids=["empty", "overlap"],
)
def test_a_header_that_says_what_cannot_be_is_refused(header):
    with pytest.raises(ValueError, match="is not valid"):
        header.to_bytes()


def test_bytes_that_are_no_header_are_refused():
    good = VulkanDelegateHeader(32, 64, 96, 0).to_bytes()
    for bad, why in (
        (good + b"x", "got 31"),
        (good[:8] + b"\x1d" + good[9:], "got 29"),
        (b"0000YT01" + good[8:], "YT01"),
    ):
        with pytest.raises(ValueError, match=why):
            VulkanDelegateHeader.from_bytes(bad)


def test_calls_are_said_on_a_line():
    program = torch.export.export(torch.nn.Linear(4, 2, bias=False), (torch.ones(3, 4),))
    (call,) = [node for node in program.graph.nodes if utils.is_torch_op_node(node)]
    assert utils.node_io_str(call) == "aten.linear.default(float32[3, 4], float32[2, 4]) -> float32[3, 2]"
    assert not utils.is_torch_op_node(call.args[0]) and not utils.is_torch_op_node(3)
