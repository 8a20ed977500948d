"""The documents' demonstration backend, from a model to results in Python."""

import pathlib
import re

import pytest
import torch
from torch.export import export

from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.backend.backend_api import to_backend
from executorch.exir.backend.test.backend_with_compiler_demo import BackendWithCompilerDemo
from executorch.exir.backend.test.backend_with_delegate_mapping_demo import BackendWithDelegateMappingDemo
from executorch.exir.backend.test.op_partitioner_demo import (
    AddAttributePartitionerDemo,
    AddMulPartitionerDemo,
    AllNodesPartitionerDemo,
    NonDecompTestPartitioner,
)
from executorch.partitioner import get_lowered_submodules
from executorch.partitioner.interface.errors import DelegationError
from executorch.runtime import Runtime

X = torch.tensor([0.5, 0.25])


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def edge(function, *args):
    return to_edge(export(Calls(function), args))


def lowered(function, *args):
    return to_backend(BackendWithCompilerDemo.__name__, edge(function, *args).exported_program(), [])


def execute(buffer, *args):
    return Runtime.get().load_program(bytes(buffer)).load_method("forward").execute(args)


def test_the_text_is_that_of_the_released_package():
    sine = lowered(torch.sin, torch.ones(1))
    assert sine.processed_bytes == (
        b"1version:0#op:demo::aten.sin.default, numel:1, dtype:torch.float32<debug_handle>1#"
    )
    assert sine.meta["debug_handle_map"] == {1: (1,)}
    assert sine.meta["_delegate_info_meta"] == "test"
    product = lowered(lambda a, x, b: torch.mm(a, x) + b, *[torch.ones(2, 2) for _ in range(3)])
    assert product.processed_bytes == (
        b"2version:0#op:demo::aten.mm.default, numel:4, dtype:torch.float32<debug_handle>1#"
        b"op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<debug_handle>2#"
    )


def test_a_lowered_module_runs_alone_and_inside_another():
    sine = lowered(torch.sin, X)
    assert "BackendWithCompilerDemo" in Runtime.get().backend_registry.registered_backend_names
    (alone,) = execute(sine.buffer(), X)
    torch.testing.assert_close(alone, X - X**3 / 6)

    class Composed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lowerable = sine

        def forward(self, x):
            a = self.lowerable(x)
            return a, self.lowerable(a) + 1

    first, second = execute(to_edge(export(Composed(), (X,))).to_executorch().buffer, X)
    torch.testing.assert_close(first, X - X**3 / 6)
    torch.testing.assert_close(second, first - first**3 / 6 + 1)


def test_sums_and_products_are_partitioned():
    def tutorial(x, y):
        x = x + y
        x = x * y
        x = x - y
        x = x / y
        x = x * y
        return x + y

    manager = edge(tutorial, X, X + 1).to_backend(AddMulPartitionerDemo())
    program = manager.exported_program()
    assert [module.backend_id for _, module, _ in get_lowered_submodules(program.graph_module)] == [
        "BackendWithCompilerDemo"
    ] * 2
    names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert [name for name in names if "aten" in name] == ["aten.sub.Tensor", "aten.div.Tensor"]
    (result,) = execute(manager.to_executorch().buffer, X, X + 1)
    torch.testing.assert_close(result, tutorial(X, X + 1))


def test_a_graph_that_is_no_chain_names_its_values():
    def function(x, y):
        a = x + y
        b = a * x
        return b * a, x - b

    inputs = (X, X + 1)
    module = lowered(function, *inputs)
    assert module.processed_bytes.startswith(
        b"4version:1#op:demo::aten.add.Tensor, numel:2, dtype:torch.float32<from>0,1<to>4"
    )
    for mine, eager in zip(execute(module.buffer(), *inputs), function(*inputs), strict=True):
        torch.testing.assert_close(mine, eager)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            torch.cos,
            "call_function aten.cos.default is not supported in backend BackendWithCompilerDemo: float32[2]",
        ),
        (lambda x: x + 1, "BackendWithCompilerDemo keeps no constants"),
        (lambda x: torch.sum(x, 0) + x, "aten.sum.dim_IntList is not supported"),
        (lambda x: torch.add(x, x, alpha=2), "aten.add.Tensor is not supported"),
        (lambda x: torch.sin(x.double()), "is not supported"),
    ],
)
def test_what_the_run_time_does_not_have_is_refused(function, message):
    with pytest.raises(DelegationError, match=re.escape(message)):
        lowered(function, X)


def test_the_partitioner_takes_what_the_run_time_has():
    def function(x, y, z):
        return (x + z) * 2, torch.mm(torch.mm(y, y) + y, y)

    inputs = (torch.randn(1, 2), torch.randn(2, 2), torch.randn(2, 2))
    manager = edge(function, *inputs).to_backend(AddMulPartitionerDemo())
    (delegate,) = [one for _, one, _ in get_lowered_submodules(manager.exported_program().graph_module)]
    assert delegate.processed_bytes.count(b"op:") == 4  # All but the sum, whose tensors have two shapes.
    for mine, eager in zip(execute(manager.to_executorch().buffer, *inputs), function(*inputs), strict=True):
        torch.testing.assert_close(mine, eager)


def test_a_number_goes_with_every_element():
    def function(x, y):
        return (x + y) * 2 - 1, (2 - x) / 4

    inputs = (torch.randn(2, 2), torch.randn(2, 2))
    manager = edge(function, *inputs).to_backend(AddMulPartitionerDemo())
    delegates = [one for _, one, _ in get_lowered_submodules(manager.exported_program().graph_module)]
    # The sum, and its product with 2.
    assert sum(one.processed_bytes.count(b"op:") for one in delegates) == 2
    for mine, eager in zip(execute(manager.to_executorch().buffer, *inputs), function(*inputs), strict=True):
        torch.testing.assert_close(mine, eager)


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.with_bias = torch.nn.Linear(2, 2)
        self.without = torch.nn.Linear(2, 2, bias=False)
        self.register_buffer("count", torch.ones(2, 2))

    def forward(self, x):
        self.count.add_(1)
        return self.with_bias(x) * self.without(x) + self.count


@pytest.mark.parametrize(
    ("partitioner", "operators", "state"),
    [
        (AddAttributePartitionerDemo, ["aten.add.Tensor"] * 2, {"count"}),
        (AllNodesPartitionerDemo, None, {"count", "with_bias.weight", "with_bias.bias", "without.weight"}),
        (NonDecompTestPartitioner, ["aten.linear.default"], {"with_bias.weight", "with_bias.bias"}),
    ],
)
def test_the_partitioners_of_published_tests(partitioner, operators, state):
    manager = to_edge_transform_and_lower(export(Layers(), (X.expand(2, 2),)), partitioner=[partitioner()])
    modules = [module for _, module, _ in get_lowered_submodules(manager.exported_program().graph_module)]
    names = [name for module in modules for name in module.processed_bytes.decode().split(";") if name]
    assert operators is None or names == operators
    assert set().union(*(module.original_module.state_dict for module in modules)) == state


def test_the_delegate_map_of_a_backend_that_fuses_and_takes_apart():
    model, inputs = BackendWithDelegateMappingDemo.get_test_model_and_inputs()
    program = to_edge(export(model, inputs)).exported_program()
    module = to_backend(BackendWithDelegateMappingDemo.__name__, program, [])
    assert module.processed_bytes == (
        b"5#conv_relu_op,0,conv_relu_op,1,sin_decomp_from_tan,2,cos_decomp_from_tan,3,div_decomp_from_tan,4,"
    )
    assert module.meta["debug_handle_map"] == {0: (1, 2), 1: (3, 4), 2: (5,), 3: (5,), 4: (5,)}


def test_the_readme_runs():
    text = (pathlib.Path(__file__).parent / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
