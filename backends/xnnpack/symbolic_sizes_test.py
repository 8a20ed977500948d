"""Sizes that are known when the program runs: they keep nothing out of a delegate."""

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

BATCH = Dim("batch", min=1, max=6)
LENGTH = Dim("length", min=2, max=16)
DELEGATE = "executorch_call_delegate"


def heads(x, count=4):
    """(batch, length, features) -> (batch x count, length, features / count)"""
    batch, length, features = x.shape
    split = x.reshape(batch, length, count, features // count)
    return split.transpose(1, 2).reshape(batch * count, length, features // count)


class Windows(torch.nn.Module):
    """Heads before and behind an operator that stays outside."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = heads(torch.relu(self.first(x))) * 2
        y = y.reshape(x.shape[0], 4, x.shape[1], 2).transpose(1, 2).reshape(x.shape)
        z = torch.cumsum(y, 1)
        return heads(torch.relu(self.second(z))) + 1


class Tokens(torch.nn.Module):
    """Integers have the sizes, and XNNPACK reads none of them."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 8)
        self.layer = torch.nn.Linear(8, 24)

    def forward(self, tokens):
        batch, length = tokens.shape
        parts = self.layer(self.embedding(tokens)).view(batch, length, 3, 2, 4).permute(2, 0, 3, 1, 4)
        attended = torch.nn.functional.scaled_dot_product_attention(*parts.unbind(0))
        return torch.relu(attended.transpose(1, 2).reshape(batch, length, 8))


class Norms(torch.nn.Module):
    """Norms are given the size of the batch."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.GroupNorm(2, 4)
        self.second = torch.nn.GroupNorm(2, 4)

    def forward(self, x):
        return self.second(torch.relu(torch.cumsum(torch.relu(self.first(x)), 1)))


class Ones(torch.nn.Module):
    """The same size is asked for outside."""

    def forward(self, x):
        return torch.sigmoid(heads(x * 2)), torch.cumsum(x.new_ones(x.shape[0], 3), 0)


def rows(batch, length):
    return torch.rand(batch, length, 8) - 0.5


def tokens(batch, length):
    return torch.randint(0, 10, (batch, length))


def image(batch, _):
    return torch.rand(batch, 4, 5, 6) - 0.5


MODELS = {
    "heads": (Windows, rows, 0, ["aten.cumsum.default"], 2),
    "heads of any length": (Windows, rows, 1, ["aten.cumsum.default"], 2),
    "tokens": (Tokens, tokens, 0, ["aten.embedding.default"], 1),
    "tokens of any length": (Tokens, tokens, 1, ["aten.embedding.default"], 1),
    "norms": (Norms, image, 0, ["aten.cumsum.default"], 2),
    "outside as well": (Ones, rows, 0, ["aten.sym_size.int", "aten.full.default", "aten.cumsum.default"], 1),
}


@pytest.mark.parametrize("name", MODELS)
def test_sizes_keep_nothing_outside(name):
    kind, example, axis, left, delegates = MODELS[name]
    model = kind().eval()
    shapes = ({axis: (BATCH, LENGTH)[axis]},)
    program = export(model, (example(2, 5),), dynamic_shapes=shapes)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    called = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert [one for one in called if DELEGATE not in one and "getitem" not in one] == left
    assert sum(DELEGATE in one for one in called) == delegates
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for size in (2, 6, 3):
        x = example(*((size, 5) if axis == 0 else (2, size)))
        expected = model(x)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, want in zip(method.execute([x]), expected, strict=True):
            torch.testing.assert_close(got, want.detach(), atol=1e-5, rtol=1e-5)


def test_products_over_a_symbolic_size_stay_outside():
    class Mixed(torch.nn.Module):
        def forward(self, x):
            return torch.softmax(x @ x.t(), -1) @ x

    model, sizes = Mixed(), ({0: Dim("rows", min=1, max=8)},)
    program = export(model, (torch.randn(2, 6),), dynamic_shapes=sizes)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    names = [str(node.target) for node in edge.exported_program().graph.nodes]
    assert names.count("aten.mm.default") == 1
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for rows in (2, 3, 8, 1):
        x = torch.randn(rows, 6)
        torch.testing.assert_close(method.execute([x])[0], model(x))
