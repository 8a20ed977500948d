"""Whole models, state, shapes that change, and options, from capture to the results of the model package."""

import pathlib
import re

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.coreml_preprocess import MULTIMETHOD_WEIGHT_SHARING_STRATEGY
from executorch.backends.apple.coreml.compiler.package import unflatten
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.backends.apple.coreml.test.lowered import LoweredProgram, lowered, model_of, specs
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.dialects.errors import ExportError
from executorch.partitioner import CompileSpec, get_lowered_submodules, get_reasons


def blobs(edge):
    modules = get_lowered_submodules(edge.exported_program().graph_module)
    return [module.processed_bytes for _, module, _ in modules]


@pytest.mark.parametrize("name", [*SMALL, "mobilenet_v2 in half"])
def test_models_are_lowered_whole_and_right(name):
    half = name.endswith(" in half")
    model, inputs = trained(SMALL[name.removesuffix(" in half")])
    edge = lowered(export(model, inputs), specs(half=half), lower_full_graph=True)
    (got,) = LoweredProgram(edge.exported_program())(*inputs)
    want = model(*inputs).detach()
    assert float((got - want).abs().max() / want.abs().max()) < (2e-2 if half else 1e-5)


class Running(torch.nn.Module):
    """A sum that goes on from call to call, and a cache that is written at a position."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("total", torch.zeros(1, 4))
        self.register_buffer("cache", torch.zeros(1, 3, 4))

    def forward(self, x, position):
        self.total.add_(self.layer(x))
        self.cache.index_copy_(1, position, x.unsqueeze(1))
        return self.total * 2, self.cache.sum(1)


CALLS = [(torch.ones(1, 4), torch.tensor([2])), (torch.full((1, 4), 0.5), torch.tensor([0]))]


@pytest.mark.parametrize("takes", [True, False])
def test_state_lasts_from_call_to_call(takes):
    torch.manual_seed(0)
    edge = lowered(export(Running(), CALLS[0]), take_over_mutable_buffer=takes)
    program = edge.exported_program()
    torch.manual_seed(0)
    model, run = Running(), LoweredProgram(program)
    for inputs in CALLS:
        want = model(*inputs)
        got = run(*inputs)[-2:]
        torch.testing.assert_close(got, list(want), atol=5e-3, rtol=5e-3)
        if not takes:
            return  # The graph gives the new values to whoever keeps them; the interpreter does not.
    (model,) = (model_of(one) for one in blobs(edge))
    assert set(model.states) == {"total", "cache"} and not program.graph_signature.buffers_to_mutate


def test_what_is_left_and_the_system_that_is_needed_are_warned_of(caplog):
    class Sums(torch.nn.Module):
        def forward(self, x):
            return torch.cumprod(x.exp(), 0).sin() + torch.cumprod(x, 0)

    program = export(Sums(), (torch.rand(3, 4),))
    lowered(program)
    text = caplog.text
    assert "Core ML leaves 2 of aten.cumprod.default: not in the table" in text
    assert "Core ML specification version 6 was used, which iOS15 and later have" in text
    caplog.clear()
    lowered(program, specs(ios="iOS17"), skip_ops_for_coreml_delegation=["aten.cumprod.default"])
    assert not caplog.text


class Windows(torch.nn.Module):
    """A picture in windows of four by four, calculated with in rows of each window, and put together again."""

    def forward(self, x):
        batch, height, width, channels = x.shape
        split = (batch, height // 4, 4, width // 4, 4, channels)
        rows = (x * 2).view(split).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, channels)
        joined = rows.softmax(1).view(batch, height // 4, width // 4, 4, 4, channels)
        return joined.permute(0, 1, 3, 2, 4, 5).reshape(x.shape) + x


@pytest.mark.parametrize("changes", [{}, {0: Dim("batch", min=1, max=4)}])
def test_permutations_of_six_dimensions_are_of_fewer_inside(changes):
    x = torch.rand(2, 8, 8, 3)
    edge = lowered(export(Windows(), (x,), dynamic_shapes=(changes,)), lower_full_graph=True)
    run = LoweredProgram(edge.exported_program())
    for one in (x, torch.rand(3, 8, 8, 3)) if changes else (x,):
        torch.testing.assert_close(run(one)[0], Windows()(one))


class Scattered(torch.nn.Module):
    """Six dimensions of which no two stay beside each other, between what is taken."""

    def forward(self, x):
        turned = (x * 2).permute(0, 2, 1)
        moved = turned.reshape(2, 2, 2, 2, 2, 2).permute(5, 4, 3, 2, 1, 0).reshape(4, 4, 4)
        return moved.exp() + turned


def test_values_of_six_dimensions_stay_outside_where_they_need_them_all():
    x = torch.rand(4, 4, 4)
    edge = lowered(export(Scattered(), (x,)))
    left = {str(node.target) for node in edge.exported_program().graph.nodes if "copy" in str(node.target)}
    assert left >= {"aten.view_copy.default", "aten.permute_copy.default"} and len(blobs(edge)) == 2
    torch.testing.assert_close(LoweredProgram(edge.exported_program())(x)[0], Scattered()(x))


def test_state_that_cannot_be_core_mls_stays_outside():
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.ones(1, 4))

        def forward(self, x):
            self.count.add_(x)
            return self.count * x

    program = lowered(export(Counts(), (torch.ones(1, 4),))).exported_program()
    assert program.graph_signature.buffers_to_mutate
    old = lowered(export(Running(), CALLS[0]), specs(ios="iOS17")).exported_program()
    assert len(old.graph_signature.buffers_to_mutate) == 2


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.y = torch.nn.Linear(10, 5), torch.nn.Linear(11, 5)

    def forward(self, x, y):
        return self.x(x).sum() + self.y(y), self.x(x).relu()


def _two():
    auto = Dim.AUTO
    shapes = [{0: auto(min=1, max=4), 1: auto(min=1, max=6)}, {0: auto(min=3, max=5)}]
    torch.manual_seed(0)
    model = Two().eval()
    return model, export(model, (torch.randn(4, 6, 10), torch.randn(5, 11)), dynamic_shapes=shapes)


def test_shapes_that_change():
    model, program = _two()
    edge = lowered(program, lower_full_graph=True)
    run = LoweredProgram(edge.exported_program())
    for inputs in ((torch.randn(4, 6, 10), torch.randn(5, 11)), (torch.randn(2, 3, 10), torch.randn(3, 11))):
        torch.testing.assert_close(run(*inputs), list(model(*inputs)), atol=1e-5, rtol=1e-5)
    (model,) = (model_of(one) for one in blobs(edge))
    ranges = model.interface[model.inputs[0]].multiArrayType.shapeRange.sizeRanges
    assert [one.upperBound for one in ranges] == [4, 6, 10]


def test_shapes_that_are_enumerated():
    _, program = _two()
    shapes = {"x": [[1, 5, 10], [4, 6, 10]], "y": [[3, 11], [5, 11]]}
    spec = CoreMLBackend.generate_enumerated_shapes_compile_spec(program, shapes)
    edge = lowered(program, [*specs(ios="iOS18"), spec], lower_full_graph=True)
    (model,) = (model_of(one) for one in blobs(edge))
    found = [
        [list(one.shape) for one in model.interface[name].multiArrayType.enumeratedShapes.shapes]
        for name in model.inputs
    ]
    assert found == list(shapes.values())


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"x": [[1, 5, 10], [4, 6, 10]]}, "missing: y"),
        ({"x": [[1, 5, 10]], "y": [[3, 11], [5, 11]]}, "each input has as many"),
        ({"x": [[1, 5, 9]], "y": [[3, 11]]}, "dimension 2 of x is 10, not 9"),
        ({"x": [[1, 7, 10]], "y": [[3, 11]]}, "dimension 1 of x goes from"),
        ({"x": [[5, 10]], "y": [[3, 11]]}, "has 3 dimensions"),
    ],
)
def test_shapes_that_the_program_does_not_have_are_refused(shapes, message):
    _, program = _two()
    with pytest.raises(ExportError, match=message):
        CoreMLBackend.generate_enumerated_shapes_compile_spec(program, shapes)


def test_compile_specs_have_the_published_texts():
    ct = coremltools()
    made = CoreMLBackend.generate_compile_specs(
        compute_unit=ct.ComputeUnit.CPU_AND_NE, minimum_deployment_target=ct.target.iOS18
    )
    assert {one.key: one.value for one in made} == {
        "compute_units": b"cpu_and_ne",
        "min_deployment_target": b"9",
        "model_compute_precision": b"float16",
        "model_type": b"model",
    }
    sharing = CoreMLBackend.generate_multimethod_weight_sharing_strategy_compile_spec(
        MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED
    )
    assert sharing == CompileSpec("multimethod_weight_sharing_strategy", b"disabled")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (("speed", b"9"), "no compile spec 'speed'"),
        (("multimethod_weight_sharing_strategy", b"some"), "one of positional, disabled"),
        (("compute_units", b"gpu"), "one of all, cpu_only"),
        (("min_deployment_target", b"3"), "6 .iOS 15. or later"),
        (("min_deployment_target", b"99"), "one of 6, 7"),
        (("min_deployment_target", b"\xff"), "is no text"),
        (("pass_pipeline", b"{"), "is no JSON"),
        (("model_type", b"compiled_model"), "which comes with macOS"),
    ],
)
def test_specs_that_do_not_exist_are_refused(spec, message):
    program = export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    with pytest.raises(ExportError, match=message):
        lowered(program, [CompileSpec(*spec)])


def test_operators_are_left_with_a_reason():
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.cdist(x.relu(), x).sigmoid()

    program = export(Model(), (torch.rand(1, 3, 2),))
    edge = lowered(program, skip_ops_for_coreml_delegation=["aten.sigmoid.default"])
    reasons = str(get_reasons(edge.exported_program().graph_module))
    assert "skip_ops" in reasons and "not in the table" in reasons
    with pytest.raises(ExportError, match="not in the table of Core ML's operators"):
        lowered(program, lower_full_graph=True)


def test_weights_can_stay_outside():
    program = export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    edge = lowered(program, take_over_constant_data=False)
    assert len(edge.exported_program().graph_signature.parameters) == 2
    (model,) = (model_of(one) for one in blobs(edge))
    assert len(model.inputs) == 3


def test_the_same_model_gives_the_same_bytes():
    torch.manual_seed(0)
    program = export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    first, second = blobs(lowered(program))[0], blobs(lowered(program))[0]
    assert first == second


@pytest.mark.parametrize("data", [b"", b"{}", b'}]}0:"dnik"{[:"sedon"{'])
def test_bytes_that_are_no_directory_are_refused(data):
    with pytest.raises(ExportError, match="no directory"):
        unflatten(data)


def test_partitioner_has_its_defaults():
    assert CoreMLPartitioner().delegation_spec.backend_id == "CoreMLBackend"


def test_the_example_of_the_readme_runs():
    text = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
