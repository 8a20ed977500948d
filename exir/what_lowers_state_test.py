"""State that lowers: caches written in place, initial values, lifted constants, sharing between methods."""

import copy

import torch
from torch import nn

from executorch.exir import to_edge
from executorch.exir.interpreter_for_tests import ExecutionInterpreter

_LENGTH, _HEADS, _WIDTH = 64, 2, 4
_CACHE_BYTES = _LENGTH * _HEADS * _WIDTH * 4


class Attention(nn.Module):
    """One step of attention over a cache that is written at ``position``.

    Args:
        write: ``put`` (``cache[:, :, position] = x``) or ``copy`` (``index_copy_``).
    """

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, write: str) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("keys", torch.zeros(1, _HEADS, _LENGTH, _WIDTH))
        self.register_buffer("values", torch.zeros(1, _HEADS, _LENGTH, _WIDTH))

    def forward(self, x, position):
        for cache, new in ((self.keys, x), (self.values, x * 2)):
            if self.write == "put":
                cache[:, :, position] = new
            else:
                cache.index_copy_(2, position, new)
        scores = (x @ self.keys.transpose(2, 3)).softmax(-1)
        return scores @ self.values


def _lowered(module, *inputs):
    return to_edge(torch.export.export(module, inputs)).to_executorch()


def _output_bytes(node):
    value = node.meta.get("val")
    return value.nbytes if isinstance(value, torch.Tensor) else 0


def _check_cache(write):
    module = Attention(write)
    eager = copy.deepcopy(module)
    steps = [(torch.randn(1, _HEADS, 1, _WIDTH), torch.tensor([position])) for position in (0, 1, 5)]
    executable = _lowered(module, *steps[0])
    graph = executable.exported_program().graph
    # Nothing as large as a cache is made in a step, except the transposed keys that the product reads.
    large = [n for n in graph.nodes if n.op == "call_function" and _output_bytes(n) >= _CACHE_BYTES]
    made = {str(node.target) for node in large if "memory" not in str(node.target)}
    assert not any(
        target.startswith(("aten.copy_", "aten.clone", "aten.index_put.", "aten.index_copy."))
        for target in made
    )
    assert sum(str(node.target) == "aten.index_put_.default" for node in graph.nodes) == 2
    interpreter = ExecutionInterpreter(executable.exported_program())
    for step in steps:
        torch.testing.assert_close(interpreter(*step), eager(*step))


def test_a_cache_that_is_indexed_is_written_in_place():
    _check_cache("put")


def test_a_cache_that_is_copied_into_is_written_in_place():
    _check_cache("copy")


def test_buffers_start_at_their_values_and_keep_what_is_written():
    class Accumulator(nn.Module):
        total: torch.Tensor

        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.tensor([1.5, -2.0]))

        def forward(self, x):
            self.total.add_(x)
            return self.total * 1

    interpreter = ExecutionInterpreter(_lowered(Accumulator(), torch.ones(2)).exported_program())
    assert interpreter(torch.ones(2)).tolist() == [2.5, -1.0]
    assert interpreter(torch.ones(2)).tolist() == [3.5, 0.0]


class Decaying(nn.Module):
    """Halves its weight in every run, as recurrent models do that scale their weights when they are first called."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        with torch.no_grad():
            self.layer.weight.div_(2)
        return self.layer(x)


def test_parameters_that_are_written_keep_what_is_written():
    module, x = Decaying(), torch.randn(4, 3)
    interpreter = ExecutionInterpreter(_lowered(module, x).exported_program())
    for _ in range(3):
        torch.testing.assert_close(interpreter(x), module(x))


def test_constants_in_the_code_are_lifted():
    class Constants(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain = torch.tensor([3.0, 4.0])  # neither parameter nor buffer

        def forward(self, x):
            return x * self.plain + torch.tensor([0.25, 0.5]), torch.where(x > 0, x, -1.0)

    module = Constants()
    executable = _lowered(module, torch.randn(2))
    assert torch.tensor([0.25, 0.5]).numpy().tobytes() in executable.buffer
    x = torch.tensor([-1.0, 2.0])
    actual = ExecutionInterpreter(executable.exported_program())(x)
    torch.testing.assert_close(actual, module(x))


class Shared(nn.Module):
    """Two methods that use the same weight and the same constant buffer."""

    scale: torch.Tensor

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(31, 17)
        self.register_buffer("scale", torch.rand(31))

    def encode(self, x):
        return self.linear(x * self.scale)

    def decode(self, x):
        return x @ self.linear.weight * self.scale


class Method(nn.Module):
    def __init__(self, module, name):
        super().__init__()
        self.module, self.name = module, name

    def forward(self, x):
        return getattr(self.module, self.name)(x)


def test_weights_that_methods_share_are_stored_once():
    module = Shared()
    programs = {
        name: torch.export.export(Method(module, name), (torch.randn(2, width),))
        for name, width in (("encode", 31), ("decode", 17))
    }
    executable = to_edge(programs).to_executorch()
    for tensor in (module.linear.weight, module.scale):
        assert executable.buffer.count(tensor.detach().numpy().tobytes()) == 1
    for name, width in (("encode", 31), ("decode", 17)):
        x = torch.randn(2, width)
        actual = ExecutionInterpreter(executable.exported_program(name))(x)
        torch.testing.assert_close(actual, getattr(module, name)(x))


def test_tied_parameters_are_stored_once():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.head = nn.Embedding(13, 7), nn.Linear(7, 13, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, ids):
            return self.head(self.embedding(ids))

    module = Tied()
    executable = _lowered(module, torch.tensor([1, 2]))
    assert executable.buffer.count(module.embedding.weight.detach().numpy().tobytes()) == 1
