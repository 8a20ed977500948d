import pytest
import torch
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup

from executorch.ir.signature import constant_values
from executorch.passes.quantized.quant_fusion_pass import (
    QuantFusionPass,
    fuse_quantized_embeddings,
    lift_inner_tensors,
    look_up_integers,
    quant_fusion_and_const_prop_pass,
)
from executorch.passes.quantized.quantized_embeddings import is_quantized_table, pack_table
from executorch.passes.to_edge.lift_constants_pass import lift_tensor_attributes

INDICES = torch.tensor([[0, 5], [3, 3]])


class Lookup(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.table = torch.nn.Embedding(6, width)

    def forward(self, x):
        return self.table(x) + 1


def _quantized(dtype, width=32, granularity=None, kind=torch.float32):
    torch.manual_seed(0)
    model = Lookup(width).to(kind).eval()
    config = IntxWeightOnlyConfig(weight_dtype=dtype, granularity=granularity or PerAxis(0))
    quantize_(model, config, lambda module, name: isinstance(module, torch.nn.Embedding))
    return model


def _names(program):
    return " ".join(str(node.target) for node in program.graph.nodes if node.op == "call_function")


def test_bytes_of_four_bits_and_of_two():
    four = torch.tensor([[-8, 7, 0, 1]], dtype=torch.int8)
    assert pack_table(four, 4).tolist() == [[0x0F, 0x89]]
    two = torch.tensor([[-2, -1, 0, 1], [1, -2, -2, -2]], dtype=torch.int8)
    assert pack_table(two, 2).tolist() == [[0b11100100], [0b00000011]]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="rows of 3 do not fill"):
        pack_table(torch.zeros(1, 3, dtype=torch.int8), 4)
    with pytest.raises(ValueError, match="from 0 to 2 do not fit into 2 bits"):
        pack_table(torch.tensor([[0, 2, 0, 0]], dtype=torch.int8), 2)


@pytest.mark.parametrize("granularity", [PerAxis(0), PerGroup(8)], ids=["rows", "groups"])
@pytest.mark.parametrize(
    "dtype,width,name,row",
    [
        (torch.int8, 32, "embedding_byte", 32),
        (torch.int4, 32, "embedding_4bit", 16),
        (torch.int2, 32, "embedding_2bit", 8),
        (torch.int3, 32, "embedding_byte", 32),
    ],
)
def test_tables_are_packed(dtype, width, name, row, granularity):
    model = _quantized(dtype, width, granularity)
    program = torch.export.export(model, (INDICES,), strict=True)
    assert fuse_quantized_embeddings(program)
    assert f"quantized_decomposed.{name}.default" in _names(program)
    assert "dequantize" not in _names(program)
    tables = [v for v in program.constants.values() if v.dtype in (torch.int8, torch.uint8) and v.dim() == 2]
    assert [tuple(table.shape) for table in tables] == [(6, row)]
    torch.testing.assert_close(program.module()(INDICES), model(INDICES))


def test_rows_that_do_not_fill_their_bytes_stay():
    model = _quantized(torch.int4, 7)
    program = quant_fusion_and_const_prop_pass(torch.export.export(model, (INDICES,), strict=True))
    assert "quantized_decomposed.embedding_byte.default" in _names(program)
    torch.testing.assert_close(program.module()(INDICES), model(INDICES))


def test_other_element_types_are_named():
    model = _quantized(torch.int4, kind=torch.float16)
    program = torch.export.export(model, (INDICES,), strict=True)
    assert fuse_quantized_embeddings(program)
    assert "quantized_decomposed.embedding_4bit.dtype" in _names(program)
    torch.testing.assert_close(program.module()(INDICES), model(INDICES))


@pytest.mark.parametrize("granularity", [PerAxis(0), PerGroup(8)], ids=["rows", "groups"])
@pytest.mark.parametrize("kind", [torch.float32, torch.float16], ids=str)
def test_rows_are_dequantized_and_not_the_table(granularity, kind):
    model = _quantized(torch.int4, granularity=granularity, kind=kind)
    program = torch.export.export(model, (INDICES,), strict=True)
    lift_inner_tensors(program)
    assert "inner_tensor" not in _names(program)
    assert all(
        type(value) in (torch.Tensor, torch.nn.Parameter) for value in constant_values(program).values()
    )
    assert look_up_integers(program) and not look_up_integers(program)
    (dequantized,) = (node for node in program.graph.nodes if "dequantize" in str(node.target))
    assert dequantized.meta["val"].shape == (2, 2, 32)
    assert torch.equal(program.module()(INDICES), model(INDICES))


def test_tables_that_others_read_stay_bytes():
    class Tied(Lookup):
        def forward(self, x):
            return self.table(x) @ self.table.weight.dequantize().t()

    torch.manual_seed(0)
    model = Tied(32).eval()
    config = IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerAxis(0))
    quantize_(model, config, lambda module, name: isinstance(module, torch.nn.Embedding))
    program = torch.export.export(model, (INDICES,), strict=True)
    expected = model(INDICES)
    quant_fusion_and_const_prop_pass(program)
    assert "embedding_4bit" not in _names(program)
    torch.testing.assert_close(program.module()(INDICES), expected)


@pytest.mark.parametrize("dtype", [torch.int2, torch.int4, torch.int8], ids=str)
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16], ids=str)
def test_the_pass_alone_sees_into_torchaos_tensors(dtype, kind):
    model = _quantized(dtype, granularity=PerGroup(8), kind=kind)
    program = torch.export.export(model, (INDICES,), strict=True)
    values = {node.name: value for node, value in constant_values(program).items()}
    assert QuantFusionPass(node_value_dict=values)(program.graph_module).modified
    names = _names(program)
    assert "quantized_decomposed.embedding_" in names
    assert "dequantize" not in names and "inner_tensor" not in names
    assert lift_tensor_attributes(program)
    torch.testing.assert_close(program.module()(INDICES), model(INDICES))


def test_without_the_constants_nothing_happens():
    program = torch.export.export(_quantized(torch.int4), (INDICES,), strict=True)
    assert sum(is_quantized_table(node) for node in program.graph.nodes) == 1
    assert not QuantFusionPass()(program.graph_module).modified
    plain = torch.export.export(Lookup(8).eval(), (INDICES,), strict=True)
    assert not fuse_quantized_embeddings(plain)
