"""Whole models through the bindings: shapes, threads, settings, and what is said when something is wrong."""

import struct
import threading

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.dialects.errors import ExportError
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import CompileSpec, get_lowered_submodules, get_reasons
from executorch.runtime import ExecuTorchError, Runtime

BACKEND = "OpenvinoBackend"


class Net(torch.nn.Module):
    """A small image classifier with a residual connection."""

    def __init__(self, width=8):
        super().__init__()
        self.first = torch.nn.Conv2d(3, width, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(width)
        self.second = torch.nn.Conv2d(width, width, 3, padding=1, groups=2)
        self.head = torch.nn.Linear(width, 5)

    def forward(self, x):
        x = self.norm(self.first(x)).relu()
        x = (x + self.second(x)).mean((2, 3))
        return self.head(x).softmax(-1)


IMAGE = torch.rand(2, 3, 12, 10)


def lower(model, inputs, specs=(), dynamic_shapes=None, **options):
    program = export(model.eval(), inputs, dynamic_shapes=dynamic_shapes)
    return to_edge_transform_and_lower(program, partitioner=[OpenvinoPartitioner(list(specs), **options)])


def delegates(edge):
    return [module for _, module, _ in get_lowered_submodules(edge.exported_program().graph_module)]


def method_of(edge, **options):
    return Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward", **options)


def check(method, model, *inputs, tolerance=1e-5):
    torch.testing.assert_close(
        method.execute(list(inputs))[0], model(*inputs).detach(), atol=tolerance, rtol=tolerance
    )


def test_the_backend_is_there_and_says_what_it_is():
    registry = Runtime.get().backend_registry
    assert BACKEND in registry.registered_backend_names
    assert registry.is_available(BACKEND)


def test_a_model_is_one_delegate_and_runs_again_and_again():
    model = Net()
    edge = lower(model, (IMAGE,))
    (delegate,) = delegates(edge)
    assert delegate.backend_id == BACKEND
    method = method_of(edge)
    for _ in range(3):
        check(method, model, torch.rand_like(IMAGE))


def test_batch_and_height_change_from_call_to_call():
    model = Net()
    shapes = ({0: Dim("batch", min=1, max=6), 2: Dim("height", min=4, max=20)},)
    method = method_of(lower(model, (IMAGE,), dynamic_shapes=shapes))
    for batch, height in ((2, 12), (1, 4), (6, 20), (3, 7), (2, 12)):
        check(method, model, torch.rand(batch, 3, height, 10))
    with pytest.raises(ExecuTorchError):
        method.execute([torch.rand(7, 3, 12, 10)])
    check(method, model, torch.rand(1, 3, 5, 10))


def test_groups_of_rows_of_which_the_number_changes():
    model = torch.nn.GroupNorm(3, 6)
    method = method_of(lower(model, (torch.rand(3, 6),), dynamic_shapes=({0: Dim("rows", min=1, max=9)},)))
    for rows in (3, 1, 9):
        check(method, model, torch.rand(rows, 6))


def test_sizes_are_part_of_what_is_calculated():
    class Rows(torch.nn.Module):
        def forward(self, x):
            return (x.relu().view(x.shape[0] * 2, -1) * x.shape[0]).sum(0)

    model = Rows()
    shapes = ({0: Dim("rows", min=2, max=9)},)
    method = method_of(lower(model, (torch.rand(3, 4),), dynamic_shapes=shapes))
    for rows in (3, 9, 2):
        check(method, model, torch.rand(rows, 4))


def test_channels_last_comes_in_and_goes_out_as_it_lies():
    class Layout(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.avg_pool2d(x.relu(), 2).to(memory_format=torch.channels_last)

    image = IMAGE.to(memory_format=torch.channels_last)
    edge = lower(Layout(), (image,))
    assert len(delegates(edge)) == 1
    got = method_of(edge).execute([image])[0]
    torch.testing.assert_close(got, Layout()(image))


def test_a_profile_names_what_openvino_ran(tmp_path):
    program = Runtime.get().load_program(
        lower(Net(), (IMAGE,)).to_executorch().buffer, enable_etdump=True, debug_buffer_size=0
    )
    program.load_method("forward").execute([IMAGE])
    program.write_etdump_result_to_file(str(tmp_path / "etdump"), str(tmp_path / "debug"))
    assert b"Convolution" in (tmp_path / "etdump").read_bytes()


def test_two_programs_run_side_by_side_on_two_threads():
    models = [Net(8), Net(12)]
    methods = [method_of(lower(model, (IMAGE,))) for model in models]
    failures = []

    def work(method, model):
        try:
            for _ in range(20):
                check(method, model, torch.rand_like(IMAGE))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(methods, models, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_what_is_skipped_stays_outside_with_its_reason():
    edge = lower(Net(), (IMAGE,), op_types_to_skip={"aten._softmax.default"})
    (reason,) = (
        one for one in get_reasons(edge.exported_program().graph_module) if "op_types_to_skip" in str(one)
    )
    assert "softmax" in str(reason)
    edge = lower(model := Net(), (IMAGE,), op_names_to_skip={"aten_relu_default"})
    assert len(delegates(edge)) == 2
    check(method_of(edge), model, IMAGE)


def test_arithmetic_on_integers_stays_outside():
    class Counts(torch.nn.Module):
        def forward(self, x, i):
            return x.relu() + 1, i * 3_000_000_000

    edge = lower(Counts(), (IMAGE, torch.arange(4)))
    assert "whose width" in str(get_reasons(edge.exported_program().graph_module))
    results = method_of(edge).execute([IMAGE, torch.arange(4)])
    assert results[1].tolist() == [0, 3_000_000_000, 6_000_000_000, 9_000_000_000]


@pytest.mark.parametrize(
    "less",
    [
        lambda a, b, cos, sin: a * cos - b * sin,
        lambda a, b, cos, sin: cos * a - sin * b,
        lambda a, b, cos, sin: -(b * sin) + a * cos,
    ],
)
def test_rotations_of_halves(less):
    class Rotation(torch.nn.Module):
        def forward(self, x, cos, sin):
            a, b = x.chunk(2, -1)
            return torch.cat([less(a, b, cos, sin), a * sin + b * cos], -1)

    model = Rotation()
    inputs = (torch.rand(1, 1, 6, 48), *(torch.rand(1, 1, 1, 24) for _ in range(2)))
    check(method_of(lower(model, inputs)), model, *inputs)


class Put(torch.nn.Module):
    def __init__(self, indices):
        super().__init__()
        self.is_whole = [one is None for one in indices]

    def forward(self, x, values, *given):
        rest = iter(given)
        indices = [None if whole else next(rest) for whole in self.is_whole]
        return torch.ops.aten.index_put(x.relu(), indices, values).sin()


def _lower_put(indices, values):
    """A program that puts values of so many sizes to these places of two by three by four numbers, its model and inputs."""
    model = Put(indices)
    inputs = (torch.rand(2, 3, 4), torch.rand(values), *(one for one in indices if one is not None))
    return lower(model, inputs), model, inputs


@pytest.mark.parametrize("values", [(2, 2, 4), (1, 2, 4), (2, 4), (4,), ()])
def test_rows_of_a_cache_may_have_fewer_dimensions(values):
    edge, model, inputs = _lower_put((None, torch.tensor([2, 0])), values)
    assert len(delegates(edge)) == 1 and "index_put" not in str(edge.exported_program().graph)
    check(method_of(edge), model, *inputs)


@pytest.mark.parametrize(
    ("indices", "values"),
    [
        ((None, torch.tensor([[1], [0]])), (2, 2, 1, 4)),
        ((None, torch.tensor([1, 0]), torch.tensor([1, 3])), (2, 2)),
        ((torch.tensor([1, 0]), None, torch.tensor([1, 3])), (2, 3)),
        ((None, torch.tensor(1)), (4,)),
    ],
)
def test_indices_that_openvino_cannot_put_behind_a_whole_dimension_stay_outside(indices, values):
    edge, model, inputs = _lower_put(indices, values)
    assert "one line" in str(get_reasons(edge.exported_program().graph_module))
    check(method_of(edge), model, *inputs)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (CompileSpec("device", b"TOASTER"), "TOASTER"),
        (CompileSpec("NUMBER_OF_TOASTS", b"2"), "NUMBER_OF_TOASTS"),
        (CompileSpec("device", b"\xff\xfe"), "no text"),
    ],
)
def test_what_openvino_does_not_know_is_refused_when_lowering(spec, message):
    with pytest.raises(ExportError, match=message):
        lower(Net(), (IMAGE,), [spec])


def test_properties_are_given_at_load():
    model = Net()
    edge = lower(model, (IMAGE,))
    given = {BACKEND: {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "THROUGHPUT"}}
    check(method_of(edge, backend_options=given), model, IMAGE)
    with pytest.raises(ExecuTorchError, match="CPU does not take NUMBER_OF_TOASTS=2"):
        method_of(edge, backend_options={BACKEND: {"NUMBER_OF_TOASTS": 2}})


def _with_bytes(edge, change):
    """The program with other bytes for its delegate, of the same number."""
    data = bytes(delegates(edge)[0].processed_bytes)
    changed = change(data)
    assert len(changed) == len(data)
    buffer = bytes(edge.to_executorch().buffer)
    assert buffer.count(data) == 1
    return buffer.replace(data, changed)


def _cut(data):
    (length,) = struct.unpack_from("<Q", data, 12)
    # The model's section ends a byte behind the end.
    at = 20 + length + 40
    (size,) = struct.unpack_from("<Q", data, at)
    return data[:at] + struct.pack("<Q", size + 1) + data[at + 8 :]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\0" * len(data),
        lambda data: b"x" * len(data),
        _cut,
        lambda data: data[:-2000] + b"\0" * 2000,
    ],
    ids=["zeros", "text", "cut", "model"],
)
def test_other_bytes_are_an_error_and_no_crash(change):
    buffer = _with_bytes(lower(Net(), (IMAGE,)), change)
    program = Runtime.get().load_program(buffer)
    with pytest.raises(ExecuTorchError, match="OpenVINO"):
        program.load_method("forward")


class Cached(torch.nn.Module):
    """Attention over a cache, whose graph has constants that are indices and masks."""

    def __init__(self):
        super().__init__()
        # Large enough for memory of its own, which a loader that frees it gives back to the system.
        self.first = torch.nn.Sequential(torch.nn.Linear(16, 4000), torch.nn.Linear(4000, 16))
        self.register_buffer("cache", torch.zeros(1, 2, 16, 8))

    def forward(self, x, position):
        rows = self.first(x).view(1, 1, 2, 8).transpose(1, 2)
        keys = torch.ops.aten.index_put_(self.cache, [None, None, position], rows)
        mask = torch.arange(16)[None] <= position[:, None]
        return torch.nn.functional.scaled_dot_product_attention(rows, keys, keys, mask)


def test_constants_stay_where_they_were_read_from_a_file(tmp_path):
    model, x = Cached(), torch.rand(1, 16)
    path = tmp_path / "cached.pte"
    path.write_bytes(lower(model, (x, torch.tensor([3]))).to_executorch().buffer)
    program = Runtime.get().load_program(path)
    # What a loader gave for one method must not be had again for another.
    methods = [program.load_method("forward") for _ in range(4)]
    for step in range(3):
        for method in methods:
            check(method, model, x, torch.tensor([step]))


def test_another_processor_or_version_is_named():
    edge = lower(Net(), (IMAGE,))
    buffer = _with_bytes(edge, lambda data: data.replace(b"ov=2026", b"ov=1999", 1))
    try:
        method = Runtime.get().load_program(buffer).load_method("forward")
    except ExecuTorchError as error:
        assert "ov=1999" in str(error) and "lower the model again" in str(error)
    else:
        assert method.execute([IMAGE])
