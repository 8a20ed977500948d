"""Integer inputs and outputs: the graph, the constants for the caller, and what is refused."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed

from executorch.exir import EdgeCompileConfig, to_edge
from executorch.exir.passes.quantize_io_pass import (
    QuantizeInputs,
    QuantizeOutputs,
    extract_io_quant_params,
    get_config_method_name,
    quantize_input,
    quantize_output,
)

q = torch.ops.quantized_decomposed
INT8 = (-128, 127, torch.int8)


def through(x, scale, zero_point):
    integers = q.quantize_per_tensor(x, scale, zero_point, *INT8)
    return q.dequantize_per_tensor(integers, scale, zero_point, *INT8)


class Quantized(torch.nn.Module):
    def forward(self, x, y):
        return through(through(x, 0.5, 1) + through(y, 0.25, 2), 0.75, 3)


class Plain(torch.nn.Module):
    def forward(self, x):
        return x + x * 2


def edge_of(model, *inputs):
    program = torch.export.export(model, inputs)
    return to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))


def quantized():
    return edge_of(Quantized(), torch.ones(2), torch.ones(2))


def counts(program):
    names = [str(node.target) for node in program.graph.nodes]
    return sum(".quantize_per" in name for name in names), sum("dequantize_per" in name for name in names)


def test_integers_at_the_border_mean_the_same():
    x, y = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 3.0])
    expected = quantized().exported_program().module()(x, y)
    edge = quantized()
    made = edge.transform([QuantizeInputs(edge, [0, 1]), QuantizeOutputs(edge, [0])])
    for program in (made.exported_program(), edge.exported_program()):
        assert counts(program) == (1, 2)
        inputs = (q.quantize_per_tensor(x, 0.5, 1, *INT8), q.quantize_per_tensor(y, 0.25, 2, *INT8))
        result = program.module()(*inputs)
        torch.testing.assert_close(q.dequantize_per_tensor(result, 0.75, 3, *INT8), expected)
    values = [node.meta["val"].dtype for node in made.exported_program().graph.find_nodes(op="placeholder")]
    assert values == [torch.int8, torch.int8]


def test_the_caller_can_ask_for_the_parameters():
    edge = quantized()
    made = edge.transform([QuantizeInputs(edge, [1], method_name="forward"), QuantizeOutputs(edge, [0])])
    expected = {
        "forward_input1_scale": 0.25,
        "forward_input1_zp": 2,
        "output0_quant_max": 127,
        "output0_dtype": 1,
    }
    assert expected.items() <= made._config_methods.items()
    assert get_config_method_name(None, "output", 2, "zp") == "output2_zp"
    assert made.to_executorch().config_methods >= set(expected)


def test_extraction_leaves_the_program_alone():
    edge = quantized()
    found = extract_io_quant_params(edge, input_idxs=(1,))
    assert found["inputs"]["y"] == {
        "scale": 0.25,
        "zero_point": 2,
        "quant_min": -128,
        "quant_max": 127,
        "dtype": 1,
    }
    (output,) = found["outputs"].values()
    assert (output["scale"], output["zero_point"]) == (0.75, 3)
    assert counts(edge.exported_program()) == (3, 3)


def test_inputs_that_the_program_does_not_quantize():
    program = edge_of(Plain(), torch.ones(2)).exported_program()
    found = quantize_input(program, 0, {"scale": 0.5, "zp": 0, "dtype": torch.int8})
    assert found == (0.5, 0, *INT8)
    torch.testing.assert_close(
        program.module()(torch.tensor([2, -4], dtype=torch.int8)), torch.tensor([3.0, -6.0])
    )
    with pytest.raises(ValueError, match="no tensor of floats"):
        quantize_input(program, 0, {"scale": 0.5, "zp": 0, "dtype": torch.int8})


def test_what_is_refused():
    program = edge_of(Plain(), torch.ones(2)).exported_program()
    with pytest.raises(ValueError, match="more than quantizers"):
        quantize_input(program, 0)
    with pytest.raises(ValueError, match="not given by a dequantizer"):
        quantize_output(program, 0)
    with pytest.raises(ValueError, match="no input 5"):
        quantize_input(program, 5)
    with pytest.raises(ValueError, match=r"lack \['dtype', 'zp'\]"):
        quantize_input(program, 0, {"scale": 1.0})
