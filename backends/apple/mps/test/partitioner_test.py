"""What is taken and what is not, and why; compile specs; the format; the files of released versions."""

import pathlib
import re

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import executorch.export
from executorch.backends.apple.mps import MPSBackend
from executorch.backends.apple.mps.partition import MPSPartitioner
from executorch.backends.apple.mps.recipes import MPSRecipeType
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.apple.mps.serialization.blob import HEADER, pack, unpack
from executorch.backends.apple.mps.test.harness import FULL, Apply, delegates, lower, only
from executorch.backends.apple.mps.test.interpreter import Interpreter
from executorch.backends.apple.mps.test.published import published_blob
from executorch.dialects.errors import ExportError
from executorch.export import ExportRecipe
from executorch.partitioner import CompileSpec, get_reasons
from executorch.schema.wire import FormatError

HERE = pathlib.Path(__file__).parents[1]
X = torch.randn(2, 3, 4, 5)


def why(function, *inputs, shapes=None):
    """The reasons for what is left of a function."""
    edge = lower(Apply(function), inputs, dynamic_shapes=shapes)
    return " ".join(one.reason for one in get_reasons(edge.exported_program().graph_module))


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (lambda x: torch.sort(x)[0], (X,), "not in the table of the MPS delegate's operators"),
        (lambda x: x + 1, (torch.randn(2, dtype=torch.float64),), "of type torch.float64; it takes"),
        (lambda x: x[:0] * 2, (X,), "a tensor has no elements"),
        (lambda x, w: F.conv2d(x, w), (X, torch.randn(2, 3, 1, 1)), "calculated by the model"),
        (lambda x: F.conv3d(x[None], torch.ones(1, 2, 1, 1, 1)), (X,), "over 3 dimensions"),
        (lambda x: F.conv_transpose2d(x, torch.ones(3, 1, 2, 2)), (X,), "the format does not have"),
        (lambda x: torch.native_layer_norm(x, [5], None, None, 1e-5)[1], (X,), "more than its first result"),
        (lambda x: F.max_pool2d(x, 2, return_indices=True), (X,), "torch.int64; it makes torch.float16"),
        (lambda x: F.avg_pool2d(x, 2, ceil_mode=True), (X,), "beyond a padding that counts"),
        (lambda x: F.adaptive_avg_pool2d(x, (3, 2)), (X,), "not cut into (3, 2) equal windows"),
        (lambda x: F.pad(x, (-1, 0)) * 2, (X,), "cuts off"),
        (lambda x, i: x[:, i], (X, torch.tensor([True, False, True])), "sizes change from run to run"),
        (lambda x: x.sum(1, dtype=torch.float16), (X,), "a result of type torch.float16"),
        (lambda x: x.to(memory_format=torch.channels_last) * 2, (X,), "of the delegate are contiguous"),
        (lambda x: x.reshape(6, 20), (X,), "nothing is calculated"),
    ],
)
def test_what_is_left_has_a_reason(function, inputs, message):
    assert message in why(function, *inputs)


def test_sizes_that_change_are_left():
    shapes = (({0: torch.export.Dim("n", max=8)},),)
    assert "sizes change from run to run" in why(torch.relu, torch.randn(3, 2), shapes=shapes)


class Counter(nn.Module):
    count: torch.Tensor

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x * self.count


def test_state_that_the_program_writes_is_left():
    edge = lower(Counter(), (torch.randn(1),))
    (reason,) = {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert "state that the program writes" in reason


class Copies(nn.Module):
    def forward(self, x):
        y = x + 1
        return x.clone(), y, y.view(-1), y.clone()


@pytest.mark.parametrize("specs", [FULL, None], ids=["full", "half"])
def test_what_is_returned_twice_is_copied(specs):
    x = torch.randn(2, 3)
    delegate = only(lower(Copies(), (x,), specs))
    results = delegate(x)
    for position, want in zip(delegate.order, Copies()(x), strict=True):
        torch.testing.assert_close(results[position], want, atol=2e-3, rtol=2e-3)
    assert len(set(delegate.graph.output_ids)) == len(delegate.graph.output_ids)
    assert not set(delegate.graph.output_ids) & set(delegate.graph.input_ids)


def test_what_is_not_taken_splits_the_program():
    edge = lower(Apply(lambda x: torch.sort(x + 1)[0] * x), (torch.randn(4),))
    assert [one.names() for one in delegates(edge)] == [["Add"], ["Mul"]]


@pytest.mark.parametrize("spec", [("use_fp16", b"yes"), ("speed", b"\1")])
def test_other_compile_specs_are_refused(spec):
    with pytest.raises(ExportError, match=r"Way out: CompileSpec\('use_fp16', bytes\(\[True\]\)\)"):
        MPSPartitioner([CompileSpec(*spec)])


def test_defaults_are_the_published_ones():
    given = MPSPartitioner([])
    assert given.delegation_spec.backend_id == MPSBackend.__name__ == "MPSBackend"
    names = only(lower(nn.ReLU(), (torch.randn(2),), [])).names()
    assert names == ["Cast", "ReLU", "Cast"]


def test_equal_constants_are_stored_once():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
            self.other.load_state_dict(self.one.state_dict())

        def forward(self, x):
            return self.other(self.one(x))

    graph = only(lower(Twice(), (torch.randn(2, 4),))).graph
    offsets = [graph.mps_values[one].segment_offset for one in graph.constant_ids]
    assert len(offsets) == 4 and sorted(set(offsets)) == [0, 16]


def test_masks_stay_finite_in_half_precision():
    least = torch.finfo(torch.float32).min
    mask = torch.tensor([0.0, least, -torch.inf])
    delegate = only(lower(Apply(lambda x: x + mask), (torch.zeros(3),), None))
    (found,) = delegate(torch.zeros(3))
    assert found.tolist() == [0.0, torch.finfo(torch.float16).min, -torch.inf]


def test_files_of_released_versions_are_read():
    blob = published_blob()
    graph, constants = unpack(blob)
    weight, bias = (
        torch.frombuffer(
            bytearray(constants[value.segment_offset :][: value.constant_buffer_size]), dtype=torch.half
        )
        for value in (graph.mps_values[number] for number in graph.constant_ids)
    )
    x = torch.randn(1, 3, 8, 8)
    (got,) = Interpreter(blob)(x)
    want = F.conv2d(x, weight.float().reshape(4, 3, 3, 3), bias.float())
    torch.testing.assert_close(got, want, atol=1e-2, rtol=1e-2)
    assert unpack(pack(graph, bytes(constants)))[0] == graph


def test_what_is_written_is_what_released_versions_write():
    theirs, _ = unpack(published_blob())
    ours = only(lower(nn.Conv2d(3, 4, 3), (torch.randn(1, 3, 8, 8),), None)).graph
    theirs.mps_values[2].segment_offset = ours.mps_values[2].segment_offset = 0  # ours is aligned
    assert ours == theirs


def test_blobs_that_are_none():
    graph = schema.MPSGraph(version="0", mps_values=[schema.MPSTensor()], output_ids=[0])
    blob = pack(graph, bytes(16))
    assert unpack(blob)[0] == graph and blob[4:8] == blob[28:32] == b"MP00"
    assert HEADER.unpack_from(blob)[1] % 16 == 0
    for cut in range(len(blob)):
        with pytest.raises(FormatError):
            unpack(blob[:cut])
    graph.output_ids = [1]
    with pytest.raises(FormatError, match="output refers to value 1 of 1"):
        unpack(pack(graph, b""))
    graph.output_ids, graph.mps_nodes = [], [schema.MPSNode(schema.MPSExp(0, 3))]
    with pytest.raises(FormatError, match="node 0, MPSExp, refers to value 3 of 1"):
        unpack(pack(graph, b""))
    graph.mps_nodes, graph.constant_ids = [], [0]
    graph.mps_values[0].constant_buffer_size = 8
    with pytest.raises(FormatError, match="constant 0 ends at byte 8 of 4"):
        unpack(pack(graph, bytes(4)))
    graph.constant_ids, graph.version = [], "7"
    with pytest.raises(FormatError, match="version '7'"):
        unpack(pack(graph, b""))


@pytest.mark.parametrize("kind", MPSRecipeType, ids=lambda kind: kind.name)
def test_recipes(kind):
    model, inputs = nn.Sequential(nn.Linear(16, 8), nn.ReLU()).eval(), (torch.randn(2, 16),)
    session = executorch.export.export(model, [inputs], ExportRecipe.get_recipe(kind))
    delegate = only(session.get_edge_program_manager())
    assert delegate.names().count("Cast") == (2 if kind is MPSRecipeType.FP16 else 0)
    torch.testing.assert_close(delegate(*inputs)[0], model(*inputs), atol=1e-2, rtol=1e-2)
    with pytest.raises(ValueError, match="it takes none"):
        ExportRecipe.get_recipe(kind, speed=9)


def test_the_examples_run(capsys):
    text = (HERE / "README.md").read_text(encoding="utf-8")
    codes = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for code in codes:
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert codes and "Every operator is delegated." in capsys.readouterr().out
