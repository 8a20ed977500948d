"""Sizes that vary: programs that take inputs of any size, and memory that follows the sizes."""

import re

import pytest
import torch
from torch import nn
from torch.export import Dim, export

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.error import UnboundedShapeError
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.runtime import Runtime

ROWS = (3, 1, 7, 2, 40, 3, 41, 39)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(8, 4)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(x.mean((2, 3)))


class Block(nn.Module):
    """A transformer block; the number of tokens is dynamic."""

    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (
            part.view(batch, tokens, 2, 8).transpose(1, 2) for part in self.qkv(self.norm(x)).split(16, -1)
        )
        weights = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, -1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(batch, tokens, 16))


class Views(nn.Module):
    def forward(self, x):
        y = torch.cat([x.sin(), x.cos()], 0)
        z = y.view(-1, 2, x.shape[1] // 2).unsqueeze(0) + 1
        return z.flatten(), y.permute(1, 0), y[1:], y.unsqueeze(1).expand(-1, 2, -1)


class Condition(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: (y * 2).neg(), (x,)) + x


class Loop(nn.Module):
    def forward(self, x):
        def step(count, value):
            return count + 1, value * 2 + x

        zero = torch.zeros((), dtype=torch.int64)
        return torch._higher_order_ops.while_loop(lambda n, value: n < 3, step, (zero, x.sin()))[1]


class Selected(nn.Module):
    """Its sizes are decided by the data."""

    def forward(self, x):
        return x.nonzero().relu() * 2


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x.sum(0))
        return x + self.total


def tokens(model, *shape, dim=0, dynamic=Dim.DYNAMIC):
    return export(model.eval(), (torch.rand(shape),), dynamic_shapes=({dim: dynamic},), strict=True)


MODELS = pytest.mark.parametrize(
    ("model", "shape", "dim"),
    [
        (Mlp(), (3, 4), 0),
        (ConvNet(), (3, 3, 6, 6), 0),
        (Block(), (2, 5, 16), 1),
        (Views(), (3, 4), 0),
        (Condition(), (3, 4), 0),
        (Loop(), (3, 4), 0),
        (Selected(), (3, 4), 0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
PARTITIONERS = pytest.mark.parametrize(
    "partitioner", [[], [XnnpackPartitioner()]], ids=["portable", "xnnpack"]
)
BY_SIZE = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(arenas_by_size=True))


def load(executable, method="forward"):
    return Runtime.get().load_program(executable.buffer).load_method(method)


def check(method, model, *inputs):
    expected = model(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for actual, wanted in zip(method.execute(list(inputs)), expected, strict=True):
        assert actual.shape == wanted.shape
        torch.testing.assert_close(actual, wanted, rtol=1e-4, atol=1e-5)


@PARTITIONERS
@MODELS
def test_any_size_runs(model, shape, dim, partitioner):
    program = tokens(model, *shape, dim=dim)
    method = load(to_edge_transform_and_lower(program, partitioner=partitioner).to_executorch())
    for rows in ROWS:
        if rows > 1:
            x = torch.randn([rows if position == dim else size for position, size in enumerate(shape)])
            check(method, model, x)


@pytest.mark.parametrize("size", [Dim("n", min=2, max=30_000), Dim.DYNAMIC], ids=["bounded", "unbounded"])
@PARTITIONERS
@MODELS
def test_arenas_take_what_the_sizes_need(model, shape, dim, partitioner, size):
    program = tokens(model, *shape, dim=dim, dynamic=size)
    executable = to_edge_transform_and_lower(program, partitioner=partitioner).to_executorch(BY_SIZE)
    method = load(executable)
    for rows in ROWS:
        if rows > 1:
            x = torch.randn([rows if position == dim else size for position, size in enumerate(shape)])
            check(method, model, x)
    if isinstance(model, Block) and size is not Dim.DYNAMIC:
        # What the largest sizes would take: more than 16 GiB.
        assert executable.executorch_program.execution_plan[0].non_const_buffer_sizes[1] > 2**34


def test_arenas_of_methods_with_state_and_several_sizes():
    class Scores(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(4))

        def forward(self, x, y):
            self.calls.add_(x.sum(0))
            return torch.softmax(x @ y.T + self.calls.sum(), -1) @ y

    dims = ({0: Dim("n", max=2**20)}, {0: Dim("m", max=2**20)})
    program = export(Scores(), (torch.rand(3, 4), torch.rand(5, 4)), dynamic_shapes=dims)
    model, method = Scores(), load(to_edge(program).to_executorch(BY_SIZE))
    for n, m in ((3, 5), (2, 9), (9, 2), (30, 30), (1, 1), (31, 28), (100, 3)):
        check(method, model, torch.rand(n, 4), torch.rand(m, 4))


@pytest.mark.parametrize("options", [{"alloc_graph_input": False}, {"alloc_graph_output": False}], ids=str)
def test_arenas_by_size_with_memory_of_the_caller(options):
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(arenas_by_size=True, **options))
    model = Block().eval()
    program = tokens(model, 2, 5, 16, dim=1, dynamic=Dim("n", min=2, max=1000))
    method = load(to_edge(program).to_executorch(config))
    for rows in (5, 2, 40, 41, 3):
        check(method, model, torch.rand(2, rows, 16))


def test_several_sizes_and_methods():
    class Product(nn.Module):
        def forward(self, x, y):
            return x @ y, x.shape[0] * y.shape[1]

    shapes = ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, {0: Dim.DYNAMIC, 1: Dim.DYNAMIC})
    product = export(Product(), (torch.rand(3, 4), torch.rand(4, 5)), dynamic_shapes=shapes)
    executable = to_edge({"product": product, "mlp": tokens(Mlp(), 3, 4, dynamic=Dim.AUTO)}).to_executorch()
    program = Runtime.get().load_program(executable.buffer)
    product_method, mlp = program.load_method("product"), program.load_method("mlp")
    for m, k, n in ((3, 4, 5), (2, 9, 3), (20, 30, 40), (4, 3, 2)):
        x, y = torch.rand(m, k), torch.rand(k, n)
        values, size = product_method.execute([x, y])
        torch.testing.assert_close(values, x @ y)
        assert size == m * n
        assert mlp.execute([torch.rand(m, 4)])[0].shape == (m, 2)


def test_state_lasts_while_values_grow():
    model = Counting()
    method = load(to_edge(tokens(model, 3, 4)).to_executorch())
    model = Counting()
    for rows in (2, 50, 3):
        check(method, model, torch.rand(rows, 4))


def test_bounds_stay_where_they_are_given():
    class Sum(nn.Module):
        def forward(self, x):
            return x + 1

    dims = ({0: Dim.DYNAMIC, 1: Dim("columns", max=8)},)
    method = load(to_edge(export(Sum(), (torch.rand(3, 4),), dynamic_shapes=dims)).to_executorch())
    check(method, Sum(), torch.rand(100, 8))


@pytest.mark.parametrize("options", [{"alloc_graph_input": False}, {"alloc_graph_output": False}], ids=str)
def test_memory_of_the_caller(options):
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(**options))
    model = Mlp()
    method = load(to_edge(tokens(model, 3, 4)).to_executorch(config))
    for rows in ROWS:
        check(method, model, torch.rand(rows, 4))


def test_a_size_that_no_memory_has_is_an_error_and_the_next_call_works():
    class Outer(nn.Module):
        def forward(self, x):
            return (x.unsqueeze(0) + x.unsqueeze(1)).sum()

    method = load(to_edge(tokens(Outer(), 3)).to_executorch())
    with pytest.raises(RuntimeError, match=re.escape("(10000000, 10000000)")) as caught:
        method.execute([torch.zeros(10_000_000)])
    assert "no bound in the program" in str(caught.value) and "maximum" in str(caught.value)
    check(method, Outer(), torch.rand(30))


def test_bounds_can_be_required():
    config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(require_bounds=True))
    with pytest.raises(UnboundedShapeError, match="max="):
        to_edge(tokens(Mlp(), 3, 4)).to_executorch(config)
    assert to_edge(tokens(Mlp(), 3, 4, dynamic=Dim("b", max=9))).to_executorch(config).buffer


def test_sizes_of_numbers_in_a_tensor():
    class Between(nn.Module):
        """Bounds of floats are those of nothing: not even 0 is one."""

        def forward(self, x):
            return torch.arange(x[0].item(), x[1].item()) * 2

    method = load(to_edge(export(Between(), (torch.tensor([2.0, 7.0]),))).to_executorch())
    for least, most in ((2.0, 7.0), (-1.0, 1.0), (0.0, 30.0)):
        check(method, Between(), torch.tensor([least, most]))
