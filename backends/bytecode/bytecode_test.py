"""The ahead-of-time half: what is taken, why the rest is not, and the code itself, run by a model in Python."""

import struct
from typing import Any

import numpy as np
import pytest
import torch
from torch.export import Dim, export

from executorch.backends.bytecode import BytecodePartitioner
from executorch.backends.bytecode.compiler import Compiler
from executorch.backends.bytecode.instructions import LIMIT, Bytecode, Instruction, Op
from executorch.exir import to_edge
from executorch.partitioner import get_delegation_info, get_lowered_submodules, get_reasons

UNARY: dict[Op, Any] = {
    Op.NEG: np.negative,
    Op.ABS: np.abs,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.SQRT: np.sqrt,
    Op.RSQRT: lambda x: 1 / np.sqrt(x),
    Op.RECIPROCAL: lambda x: 1 / x,
    Op.SIGMOID: lambda x: 1 / (1 + np.exp(-x)),
    Op.TANH: np.tanh,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.ERF: lambda x: torch.erf(torch.from_numpy(x)).numpy(),
}
BINARY: dict[Op, Any] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.MINIMUM: np.minimum,
    Op.MAXIMUM: np.maximum,
}


def run(code, inputs, data):
    """What the instructions mean, on whole arrays."""
    registers: dict[int, np.ndarray] = {}
    outputs: dict[int, np.ndarray] = {}
    for step in code.instructions:
        if step.op is Op.OUTPUT:
            outputs[step.target] = registers[step.first]
        elif step.op is Op.INPUT:
            registers[step.target] = inputs[step.first]
        elif step.op is Op.NUMBER:
            registers[step.target] = np.full_like(inputs[0], code.numbers[step.first])
        elif step.op is Op.DATA:
            registers[step.target] = data[code.data_keys[step.first]].reshape(inputs[0].shape)
        elif step.op in UNARY:
            registers[step.target] = UNARY[step.op](registers[step.first])
        else:
            registers[step.target] = BINARY[step.op](registers[step.first], registers[step.second])
    assert set(registers) <= set(range(code.registers))
    return [outputs[index] for index in range(code.outputs)]


def compiled(model, inputs):
    """Code and named data of a model that is element-wise as a whole, and the edge program."""
    program = to_edge(export(model.eval(), inputs)).exported_program()
    compiler = Compiler(program)
    code = compiler.compile()
    store = compiler.data.get_named_data_store_output()
    data = {k: np.frombuffer(store.buffers[e.buffer_index], "<f4") for k, e in store.pte_data.items()}
    return code, data


class Everything(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(4, 5) + 0.5)

    def forward(self, x, y):
        a = torch.sigmoid(x) * self.scale + torch.tanh(y).abs()
        b = torch.add(a, y, alpha=-2.5) - 3 * x
        c = torch.clamp(b, -1.0, 0.75) + torch.relu(y) + torch.nn.functional.hardtanh(x) + b.clamp(max=0.5)
        d = torch.exp(-c) + torch.log(a.abs() + 1) + torch.sqrt(a * a + 0.1) + torch.rsqrt(a * a + 0.1)
        e = torch.minimum(d, x) / (torch.maximum(d, y).abs() + 1)
        return e.sin() + e.cos() + torch.erf(e), (c.abs() + 2).reciprocal() * self.scale


PAIR = (torch.randn(4, 5), torch.randn(4, 5))


def test_every_operator_computes_what_eager_computes():
    model = Everything()
    code, data = compiled(model, PAIR)
    assert {i.op for i in code.instructions} == set(Op)
    found = run(code, [t.numpy() for t in PAIR], data)
    for mine, eager in zip(found, model(*PAIR), strict=True):
        torch.testing.assert_close(torch.from_numpy(mine), eager.detach(), rtol=1e-5, atol=1e-5)


def test_registers_are_used_again():
    class Chain(torch.nn.Module):
        def forward(self, x):
            for _ in range(300):
                x = torch.sin(x) + 1
            return x

    code, _ = compiled(Chain(), PAIR[:1])
    assert code.registers <= 3
    assert code.numbers == [1.0]


def test_the_bytes():
    code = Bytecode(2, 1, 3, [0.5], ["key"], [Instruction(Op.ADD, 2, 0, 1), Instruction(Op.OUTPUT, 0, 2)])
    assert code.encode() == b"EBC1" + struct.pack("<6Hf", 2, 1, 3, 1, 1, 2, 0.5) + b"\x03\0key" + bytes(
        [16, 2, 0, 1, 3, 0, 2, 0]
    )
    with pytest.raises(ValueError, match=f"{LIMIT + 1} registers"):
        Bytecode(registers=LIMIT + 1).encode()


class Mixed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(5, 5)
        self.second = torch.nn.Linear(5, 5)

    def forward(self, x, n):
        h = torch.nn.functional.silu(self.first(x))
        h = self.second(h) * 2 + x.sum()
        return h * h, n + n


def lowered(**options):
    inputs = (torch.randn(4, 5), torch.ones(3, dtype=torch.int64))
    shapes = ({0: Dim("batch", min=2, max=8)}, None)
    program = export(Mixed().eval(), inputs, dynamic_shapes=shapes)
    return to_edge(program).to_backend(BytecodePartitioner(**options)).exported_program()


def test_runs_are_taken_and_reasons_given():
    program = lowered()
    info = get_delegation_info(program.graph_module)
    assert info.num_delegated_subgraphs == 3
    assert {one.op_type for one in info.delegation_by_operator.values() if one.delegated} == {
        "aten_sigmoid_default",
        "aten_mul_tensor",
    }
    why = {(one.op, one.reason) for one in get_reasons(program.graph_module)}
    assert ("aten.addmm.default", "no bytecode for this operator") in why
    assert ("aten.add.Tensor", "broadcasts an operand that is not a number") in why
    assert ("aten.add.Tensor", "result is int64, not float32") in why
    assert all(one.who == "BytecodePartitioner" for one in get_reasons(program.graph_module))


def test_small_runs_can_be_left_alone():
    program = lowered(min_nodes=2)
    assert len(get_lowered_submodules(program.graph_module)) == 1
    assert any("min_nodes is 2" in one.reason for one in get_reasons(program.graph_module))


def test_the_event_of_a_delegate_maps_to_its_operators():
    for _, module, _ in get_lowered_submodules(lowered().graph_module):
        handles = {
            node.meta["debug_handle"]
            for node in module.original_module.graph.nodes
            if node.op == "call_function"
        }
        assert module.meta["debug_handle_map"] == {0: tuple(sorted(handles))}
