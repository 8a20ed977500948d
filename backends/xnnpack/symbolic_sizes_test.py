"""Sizes that are known when the program runs: they keep nothing out of a delegate."""

import pytest
import torch
from torch.export import Dim
from torch.nn import functional as _F
from torch.utils import _pytree as pytree

from executorch.backends.xnnpack.lowering_for_tests import Call, lowered, operators_left
from executorch.runtime import Runtime

IMAGE, TOKENS = torch.rand(2, 6, 9, 11) - 0.5, torch.randn(2, 5, 8)
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
        attended = _F.scaled_dot_product_attention(*parts.unbind(0))
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
    edge = lowered(model, (example(2, 5),), dynamic_shapes=shapes)
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
    edge = lowered(model, (torch.randn(2, 6),), dynamic_shapes=sizes)
    names = [str(node.target) for node in edge.exported_program().graph.nodes]
    assert names.count("aten.mm.default") == 1
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for rows in (2, 3, 8, 1):
        x = torch.randn(rows, 6)
        torch.testing.assert_close(method.execute([x])[0], model(x))


def test_dynamic_shapes():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(6, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    ).eval()
    sizes = {0: Dim("batch", max=4), 2: 2 * Dim("h", min=2, max=16), 3: 2 * Dim("w", min=2, max=16)}
    edge = lowered(model, (torch.rand(2, 6, 10, 12),), dynamic_shapes=(sizes,))
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for shape in [(2, 6, 10, 12), (1, 6, 32, 32), (4, 6, 4, 8)]:
        image = torch.rand(shape)
        torch.testing.assert_close(method.execute([image])[0], model(image).detach(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("part", "left"),
    [(lambda x: x[:, -3:], ["aten.slice_copy.Tensor"]), (lambda x: x[:, 1:3], [])],
    ids=["last", "middle"],
)
def test_a_part_of_a_dimension_that_is_known_at_run_time(part, left):
    model = Call(lambda x: torch.relu(part(x)) * 2)
    edge = lowered(model, (torch.rand(2, 6, 5),), dynamic_shapes=(({1: Dim("length", min=4, max=9)},),))
    assert operators_left(edge) == left
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for length in (4, 9, 6):
        x = torch.rand(2, length, 5) - 0.5
        torch.testing.assert_close(method.execute([x])[0], model(x))


def _attended(x):
    parts = x.reshape(x.shape[0], 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
    return _F.scaled_dot_product_attention(*parts.unbind(0))


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x[..., 1:5] * 2,
        lambda x: torch.cat([-x[..., 12:], x[..., :12]], -1) * 2,
        lambda x: torch.stack([x[..., ::2] * 2, x[..., 1::2]], -1).flatten(-2) + 1,
        lambda x: [part * 2 for part in x.split([3, 21], -1)],
        lambda x: [part * 2 for part in x.chunk(2, 1)],
        lambda x: x[:, -1] * 2,
        lambda x: (x * 2).mean(1) + x.sum(1),
        lambda x: x[:, :1].expand(x.shape[0], 7, -1) + 1,
        lambda x: x[None].expand(3, -1, -1, -1) * 2,
        _attended,
    ],
    ids=[
        "slice",
        "turn",
        "steps",
        "split",
        "chunk",
        "select",
        "columns",
        "expand",
        "new dimension",
        "attention",
    ],
)
def test_parts_of_a_batch_whose_size_is_known_at_run_time(move):
    model = Call(move)
    x = torch.randn(2, 5, 24)
    edge = lowered(model, (x,), dynamic_shapes=(({0: Dim("batch", min=1, max=8)},),))
    assert operators_left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for batch in (2, 7, 1):
        x = torch.randn(batch, 5, 24)
        torch.testing.assert_close(method.execute([x]), pytree.tree_leaves(model(x)))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (lambda x: x[:, -1] * 2, "it begins at a distance from an end that is known only at run time"),
        (lambda x: x[:, : x.shape[0]] * 2, "its limits are calculated by the model"),
        (lambda x: x[:, :, ::2] * 2, "more than one size is symbolic"),
        (
            lambda x: x[:, None, 0:1].expand(-1, x.shape[0], -1, -1) * 2,
            "how often it repeats is known only at run time",
        ),
    ],
    ids=["select", "slice", "steps", "expand"],
)
def test_parts_that_depend_on_sizes_known_at_run_time_stay_and_say_why(move, reason):
    from executorch.exir.backend.utils import get_reasons

    model, sizes = Call(move), {0: Dim("batch", min=1, max=8), 1: Dim("length", min=8, max=16)}
    edge = lowered(model, (torch.randn(2, 9, 6),), dynamic_shapes=((sizes,),))
    assert reason in {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    x = torch.randn(5, 12, 6)
    torch.testing.assert_close(method.execute([x]), [model(x)])


BATCHES = {
    "convolution of one dimension": (torch.nn.Conv1d(5, 6, 3), TOKENS),
    "maximum of columns": (Call(lambda x: x.amax(1)), TOKENS),
    "mean of columns": (Call(lambda x: x.mean(-1)), TOKENS),
    "mean over the image": (Call(lambda x: x.mean([2, 3])), IMAGE),
    "global pool": (torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()), IMAGE),
}


@pytest.mark.parametrize("name", BATCHES)
def test_reshaped_batches_of_any_size(name):
    model, example = BATCHES[name]
    sizes = ({0: Dim("batch", min=1, max=8)},)
    edge = lowered(model, (example,), dynamic_shapes=(sizes,) if isinstance(model, Call) else sizes)
    assert operators_left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for batch in (5, 1, 2):
        x = torch.randn(batch, *example.shape[1:])
        result = method.execute([x])[0]
        torch.testing.assert_close(result, model(x).detach(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("length", [2, 7])
def test_norms_and_attention_of_any_length(length):
    def block(x):
        y = _F.layer_norm(x, (8,))
        return x + _F.scaled_dot_product_attention(y, y, y)

    edge = lowered(Call(block), (TOKENS,), dynamic_shapes=(({1: Dim("length", min=2, max=16)},),))
    assert operators_left(edge) == []
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    x = torch.randn(2, length, 8)
    torch.testing.assert_close(method.execute([x])[0], block(x), atol=1e-5, rtol=1e-5)


def test_sizes_that_are_known_at_run_time_only():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 4)

        def forward(self, x):
            return torch.relu(self.layer(x).reshape(x.shape[0], -1)) + 1

    dims = ({0: Dim("batch", min=1, max=8)},)
    model = Model().eval()
    edge = lowered(model, (TOKENS,), dynamic_shapes=dims)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    x = torch.randn(3, 5, 8)
    torch.testing.assert_close(method.execute([x])[0], model(x).detach(), atol=1e-5, rtol=1e-5)


def test_sizes_that_are_differences_of_data():
    """Their example is nothing, and a delegate with empty tensors would not load."""

    def between(x, start, end):
        rows = torch.arange(start.item(), end.item()).to(x.dtype)
        return torch.sigmoid(rows[:, None] * 2 + 1), torch.sigmoid(x * 2 + 1)

    start, end = torch.tensor(2), torch.tensor(6)
    edge = lowered(Call(between), (TOKENS, start, end))
    assert "lowered_module_0" in str(edge.exported_program().graph)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for last in (end, end + 3):
        result = method.execute([TOKENS, start, last])
        torch.testing.assert_close(tuple(result), between(TOKENS, start, last), atol=1e-5, rtol=1e-5)
