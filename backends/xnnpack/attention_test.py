"""Attention with masks against eager PyTorch: numbers, booleans and constants, rows that are hidden as a whole."""

import collections

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

HIDDEN = -float("inf")


class Attention(torch.nn.Module):
    """One layer of attention or several, with a mask that is given or its own."""

    def __init__(self, mask=None, layers=1):
        super().__init__()
        self.register_buffer("mask", mask)
        self.layers = layers

    def forward(self, query, key, value, mask=None):
        mask = self.mask if mask is None else mask
        for _ in range(self.layers):
            query = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return query


def heads(dtype=torch.float32, queries=5, keys=7):
    torch.manual_seed(3)
    return tuple(torch.randn(2, 3, length, 8).to(dtype) for length in (queries, keys, keys))


def partly(dtype=torch.float32):
    """Hides some keys of the first query, and all of the third."""
    mask = torch.zeros(5, 7, dtype=dtype)
    mask[0, 4:] = HIDDEN
    mask[1, :3] = -0.5
    mask[2] = HIDDEN
    return mask


def check(model, inputs, others=(), dynamic_shapes=None, tolerance=1e-5):
    """All is one delegate, and gives what eager mode gives; returns how many nodes of each kind its blob has."""
    edge = to_edge_transform_and_lower(
        export(model, inputs, dynamic_shapes=dynamic_shapes), partitioner=[XnnpackPartitioner()]
    )
    calls = [node for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert ["delegate" in str(node.target) for node in calls] == [True, False]
    program = edge.to_executorch()
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    for given in (inputs, *others):
        result = method.execute(list(given))[0]
        torch.testing.assert_close(result, model(*given), atol=tolerance, rtol=tolerance)
    graph, _ = unpack(edge.exported_program().graph_module.lowered_module_0.processed_bytes)
    return collections.Counter(type(node.xnode_union).__name__ for node in graph.xnodes)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("is_boolean", [False, True])
def test_masks(dtype, is_boolean):
    mask = partly(dtype)
    tolerance = 1e-5 if dtype is torch.float32 else 1e-2
    inputs = (*heads(dtype), mask == 0 if is_boolean else mask)
    assert not Attention()(*inputs).isnan().any()
    check(Attention(), inputs, tolerance=tolerance)


@pytest.mark.parametrize("shape", [(1, 7), (2, 1, 5, 7), (2, 1, 1, 7)])
@pytest.mark.parametrize("is_boolean", [False, True])
def test_masks_that_are_broadcast(shape, is_boolean):
    kept = torch.rand(shape) > 0.4
    check(Attention(), (*heads(), kept if is_boolean else torch.zeros(shape).masked_fill(~kept, HIDDEN)))


def test_low_numbers_are_no_masks():
    lowest = torch.finfo(torch.float32).min
    mask = torch.zeros(5, 7)
    mask[1], mask[2], mask[3] = lowest, -1e9, 3e38
    # Rows of equally low numbers: what scores say is lost in eager mode too.
    result = Attention()(*heads(), mask)
    torch.testing.assert_close(result[:, :, 1], heads()[2].mean(2), atol=1e-5, rtol=1e-5)
    check(Attention(), (*heads(), mask))


@pytest.mark.parametrize("is_boolean", [False, True])
def test_constant_masks(is_boolean):
    causal = torch.full((5, 7), HIDDEN).triu(1)
    for mask, multiplications in ((causal, 1), (partly(), 2)):
        kinds = check(Attention(mask == 0 if is_boolean else mask), heads())
        assert kinds["XNNMultiply"] == multiplications, "only rows that are hidden as a whole need the second"


@pytest.mark.parametrize("is_boolean", [False, True])
def test_layers_share_what_is_made_of_a_mask(is_boolean):
    mask = partly()
    kinds = check(Attention(layers=3), (*heads(), mask == 0 if is_boolean else mask))
    assert kinds["XNNBatchMatrixMultiply"] == 6
    assert (kinds["XNNConvert"], kinds["XNNClamp"]) == ((1, 0) if is_boolean else (0, 2))


class SharedHeads(torch.nn.Module):
    """Two heads of keys and values for six of queries, or one."""

    def __init__(self, enable_gqa=True, is_causal=False):
        super().__init__()
        self.options = {"enable_gqa": enable_gqa, "is_causal": is_causal}

    def forward(self, query, key, value, mask=None):
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, **self.options
        )


def shared(queries=5, keys=7, heads=2, batch=2):
    torch.manual_seed(5)
    sizes = ((batch, 6, queries, 8), (batch, heads, keys, 8), (batch, heads, keys, 4))
    return tuple(torch.randn(size) for size in sizes)


SHARING = {
    "no mask": (SharedHeads(), shared()),
    "causal": (SharedHeads(is_causal=True), shared()),
    "one query": (SharedHeads(), (*shared(queries=1), torch.rand(2, 1, 1, 7) > 0.3)),
    "a mask for all queries": (SharedHeads(), (*shared(), torch.rand(2, 1, 1, 7) > 0.3)),
    "a mask of keys": (SharedHeads(), (*shared(), torch.rand(1, 7))),
    "a mask for each query": (SharedHeads(), (*shared(), partly())),
    "a mask for each head": (SharedHeads(), (*shared(), torch.rand(2, 6, 5, 7) > 0.3)),
    "one head of keys": (SharedHeads(False), (*shared(heads=1), partly() == 0)),
    "as many heads": (SharedHeads(), (*shared(heads=6), partly())),
}


@pytest.mark.parametrize("name", SHARING)
def test_heads_that_share_keys(name):
    check(*SHARING[name])


def test_any_number_of_queries_and_keys_of_shared_heads():
    queries, keys = Dim("queries", min=2, max=16), Dim("keys", min=2, max=16)
    shapes = ({2: queries}, {2: keys}, {2: keys})
    check(SharedHeads(), shared(), [shared(queries=3, keys=9), shared()], dynamic_shapes=shapes)
    batch = {0: Dim("batch", min=2, max=8)}
    check(SharedHeads(), shared(), [shared(batch=3)], dynamic_shapes=(batch, batch, batch))


def test_shared_heads_with_a_mask_of_symbolic_size_are_taken_apart():
    queries, keys = Dim("queries", min=2, max=16), Dim("keys", min=2, max=16)
    shapes = ({2: queries}, {2: keys}, {2: keys}, {0: queries, 1: keys})
    program = export(SharedHeads(), (*shared(), partly()), dynamic_shapes=shapes)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    inputs = (*shared(queries=3, keys=6), torch.rand(3, 6))
    torch.testing.assert_close(method.execute(list(inputs))[0], SharedHeads()(*inputs), atol=1e-5, rtol=1e-5)


def test_any_number_of_keys():
    length = Dim("length", min=2, max=16)
    shapes = (None, {2: length}, {2: length}, {3: length})
    inputs = (*heads(), torch.rand(2, 1, 5, 7) > 0.3)
    fewer = (*heads(keys=4), torch.rand(2, 1, 5, 4) > 0.3)
    check(Attention(), inputs, [fewer, inputs], dynamic_shapes=shapes)
