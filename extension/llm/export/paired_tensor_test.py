"""Pairs are the numbers that they are made of, eager, exported and delegated."""

import copy

import numpy
import pytest
import torch

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.extension.llm.export.packed_layers import PackedEmbedding
from executorch.extension.llm.export.paired_tensor import PairedTensor, is_narrow
from executorch.extension.llm.export.weight_quantization import embedding_transform, linear_transform
from executorch.runtime import Runtime


def _layers():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Embedding(20, 64), torch.nn.Linear(64, 40)).eval()


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_pairs_have_the_numbers_in_half_the_memory(bits):
    wide = linear_transform(f"torchao:8da{bits}w", 32)(_layers())[1]
    weight = wide.weight.data
    pairs = PairedTensor.of(weight)
    assert is_narrow(weight) and pairs.shape == weight.shape and pairs.dtype == weight.dtype
    assert 2 * pairs.pairs.nbytes == weight.qdata.nbytes
    assert torch.equal(pairs.unpacked().qdata, weight.qdata)
    assert torch.equal(pairs.dequantize(), weight.dequantize())
    assert pairs.dequantize(torch.float16).dtype is torch.float16
    narrow, x = copy.deepcopy(wide), torch.randn(3, 64)
    narrow.weight = torch.nn.Parameter(pairs, requires_grad=False)
    assert torch.equal(narrow(x), wide(x))
    assert narrow.to(torch.bfloat16).weight.dtype is torch.bfloat16
    assert not is_narrow(linear_transform("int8")(_layers())[1].weight.data)


def test_programs_are_those_of_the_wide_weights():
    programs, tokens = [], torch.tensor([[3, 19, 0]])
    for is_packed in (False, True):
        model = embedding_transform("4,32", is_packed=is_packed)(_layers())
        model = linear_transform("8da4w", 32, is_packed=is_packed)(model)
        assert isinstance(model[1].weight.data, PairedTensor) == is_packed
        assert isinstance(model[0], PackedEmbedding) == is_packed
        expected = model(tokens)
        exported = torch.export.export(model, (tokens,))
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
        config = ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True)
        programs.append((expected, edge.to_executorch(config)))
    (first, wide), (second, narrow) = programs
    assert torch.equal(first, second)
    operators = [
        {one.name for one in program.executorch_program.execution_plan[0].operators}
        for program in (wide, narrow)
    ]
    assert operators[0] == operators[1] == {"quantized_decomposed::embedding_4bit"}
    assert abs(len(wide.buffer) - len(narrow.buffer)) < 200
    outputs = [
        Runtime.get().load_program(program.buffer).load_method("forward").execute((tokens,))[0]
        for program in (wide, narrow)
    ]
    assert torch.equal(*outputs)
    assert (outputs[0] - first).abs().max() < 0.05 * first.abs().max()


def test_the_delegate_has_the_memory_of_the_pairs():
    layer = linear_transform("8da4w", 32, is_packed=True)(_layers())[1]
    exported = torch.export.export(layer, (torch.randn(2, 64),))
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    (lowered,) = (one for one in edge.exported_program().graph_module.modules() if hasattr(one, "backend_id"))
    buffers = lowered.named_data_store_output.buffers
    places = [numpy.asarray(one).ctypes.data for one in buffers if isinstance(one, memoryview)]
    assert places == [layer.weight.pairs.data_ptr()]


@pytest.mark.parametrize(("bits", "dtype"), [(2, torch.float32), (4, torch.float32), (4, torch.bfloat16)])
def test_packed_embeddings(bits, dtype):
    tokens = torch.tensor([[3, 19, 0]])
    wide, narrow = (
        embedding_transform(f"{bits},32", dtype, is_packed=is_packed)(_layers())[0]
        for is_packed in (False, True)
    )
    found = narrow(tokens)
    assert isinstance(narrow, PackedEmbedding) and found.dtype is dtype
    torch.testing.assert_close(found, wide(tokens).to(dtype))
    assert isinstance(embedding_transform("8,32", dtype, is_packed=True)(_layers())[0], torch.nn.Embedding)
