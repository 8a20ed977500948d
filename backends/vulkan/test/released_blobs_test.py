"""Blobs in the words of released exporters, which our lowering says otherwise, run by the delegate: types of 32 bits where the program has
64, results that nobody reads, splits, pairs of rotary embeddings, constants that are copied first."""

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import pack, unpack
from executorch.backends.vulkan.test.harness import lower
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime

_ROTARY, _SLICE = "et_vk.rotary_embedding.default", "aten.slice_copy.Tensor"
_NORM = "aten._native_batch_norm_legit_no_training.default"
_RENAMED = {
    "aten._to_copy.default": "dim_order_ops._to_dim_order_copy.default",
    "aten.leaky_relu.default": "aten.hardshrink.default",
}


class Model(nn.Module):
    """What the edits below find one of, or two."""

    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(9, 4), nn.BatchNorm2d(3)
        self.norm.running_mean.uniform_(-1, 1)
        self.register_buffer("cosines", torch.randn(5, 4))
        self.register_buffer("sines", torch.randn(5, 4))

    def forward(self, ids, x, queries, keys, shrink=F.leaky_relu):
        turned = torch.ops.et_vk.apply_rotary_emb(queries, keys, self.cosines, self.sines)
        first, second = x.split([1, 2], 1)
        numbers = ids.to(torch.float32) * 2
        return self.table(ids), ids + 1, numbers, self.norm(x), *turned, first * 2, second + 1, shrink(x, 0.4)


def _reworded(graph: schema.VkGraph) -> set[str]:
    """Says calls as released exporters do; the names of what was said otherwise."""

    def value(held: Any) -> int:
        graph.values.append(schema.VkValue(held))
        return len(graph.values) - 1

    for one in graph.values:
        held: Any = one.value
        if isinstance(held, schema.VkTensor) and held.staging_datatype is schema.VkDataType.INT64:
            held.staging_datatype = schema.VkDataType.INT32
    for call in list(graph.chain):
        call.name = _RENAMED.get(call.name, call.name)
        if call.name == _NORM:
            results: Any = graph.values[call.args[-1]].value
            unread = [
                value(schema.VkTensor(schema.VkDataType.FLOAT32, [3], -1, -1, staging_datatype=5))
                for _ in range(2)
            ]
            results.items = [results.items[0], *unread]
            (weight, *_) = call.args[1:]
            constant: Any = graph.values[weight].value
            copied = value(
                schema.VkTensor(constant.datatype, constant.dims, -1, -1, staging_datatype=constant.datatype)
            )
            call.args[1] = copied
            graph.chain.insert(0, schema.OperatorCall(0, "et_vk.prepack.default", [weight, copied]))
    queries, keys = (call for call in graph.chain if call.name == _ROTARY)
    keys.name = "et_vk.apply_rotary_emb.default"
    pair = value(schema.ValueList([queries.args[-1], keys.args[-1]]))
    keys.args = [queries.args[0], *keys.args[:3], pair]
    first, second = (call for call in graph.chain if call.name == _SLICE)
    parts = value(schema.ValueList([first.args[-1], second.args[-1]]))
    first.name = "aten.split_with_sizes_copy.default"
    first.args = [first.args[0], value(schema.IntList([1, 2])), value(schema.Int(1)), parts]
    graph.chain = [call for call in graph.chain if call is not queries and call is not second]
    return {call.name for call in graph.chain}


def test_what_released_exporters_write():
    torch.manual_seed(0)
    model = Model().eval()
    inputs = (
        torch.tensor([[1, 2], [0, 8]]),
        torch.randn(2, 3, 4, 5),
        torch.randn(1, 5, 2, 8),
        torch.randn(1, 5, 3, 8),
    )
    edge = lower(model, inputs, {"skip_memory_planning": True})
    ((_, delegate, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    graph = unpack(delegate.processed_bytes)
    names = _reworded(graph)
    assert {
        *_RENAMED.values(),
        _NORM,
        "et_vk.prepack.default",
        "et_vk.apply_rotary_emb.default",
        "aten.split_with_sizes_copy.default",
    } <= names
    delegate._processed_bytes = pack(graph)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for _ in range(2):
        wanted = model(*inputs, shrink=F.hardshrink)
        for got, want in zip(method.execute(list(inputs)), wanted, strict=True):
            torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
