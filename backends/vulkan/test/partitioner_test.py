"""What is taken and what is not, and why; options; the format; memory."""

import pathlib
import re
from dataclasses import replace

import pytest
import torch
from torch import nn

import executorch.export
from executorch.backends.vulkan import VulkanPartitioner
from executorch.backends.vulkan.graph.memory import nbytes, plan_memory
from executorch.backends.vulkan.op_registry import get_op_features, has_impl, vulkan_supported_ops
from executorch.backends.vulkan.operator_table import operator_table
from executorch.backends.vulkan.options import VulkanOptions, parse_compile_options, parse_compile_spec
from executorch.backends.vulkan.recipes import VulkanRecipeType
from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import HEADER, pack, unpack
from executorch.backends.vulkan.serialization.schema import VkStorageType
from executorch.backends.vulkan.test import models
from executorch.backends.vulkan.test.harness import check, delegates, lower, lowered, names, only
from executorch.dialects.errors import ExportError
from executorch.export import ExportRecipe
from executorch.extension.llm.cache.quantized_kv_cache import by_token
from executorch.partitioner import CompileSpec, get_reasons
from executorch.schema.wire import FormatError

HERE = pathlib.Path(__file__).parents[1]


class Apply(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def why(function, *inputs, options=None, shapes=None, **further):
    """The reasons for what is left of a function."""
    edge = lower(Apply(function), inputs, options, shapes, **further)
    return " ".join(one.reason for one in get_reasons(edge.exported_program().graph_module))


X = torch.randn(2, 3, 4, 5)


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (lambda x: torch.cumprod(x, 0), (X,), "not in the table of Vulkan's operators"),
        (lambda x: x + 1, (torch.randn(2, dtype=torch.float64),), "of type torch.float64; it takes"),
        (lambda x: x.reshape(1, 1, 1, 2, 3, 4, 5) * 2, (X,), "7 dimensions; there are 6 at most"),
        (lambda x: x[:0] * 2, (X,), "a tensor has no elements"),
        (lambda x, w: nn.functional.conv2d(x, w), (X, torch.randn(2, 3, 1, 1)), "calculated by the model"),
        (lambda x: nn.functional.conv3d(x[None], torch.ones(1, 2, 1, 1, 1)), (X,), "over 3 dimensions"),
        (lambda x: torch.native_layer_norm(x, [5], None, None, 1e-5)[1], (X,), "more than its first result"),
        (
            lambda x: nn.functional.max_pool2d(x, 2, return_indices=True)[1] + 1,
            (X,),
            "first result is not read",
        ),
        (lambda x: nn.functional.pad(x, (-1, 0)) * 2, (X,), "cuts off"),
        (lambda x: torch.histc(x, 4), (X,), "a range that the elements themselves say"),
        (lambda x: torch.histc(x, 4, 0, 1e300), (X,), "limits that are no floats"),
        (lambda x: x.topk(2, 0)[0], (torch.randn(16385, 2),), "among 16385 elements"),
        (lambda x, i: x[i, :, i], (X, torch.tensor([0, 1])), "for the dimensions [0, 2]; it takes at most 3"),
        (lambda x, i: x.index_put((i, i), x[:, 0]), (X, torch.tensor([0, 1])), "2 tensors of indices"),
        (
            lambda x, i: (x > 0).index_put((i,), x > 0, accumulate=True),
            (X, torch.tensor([0, 1])),
            "it adds booleans",
        ),
        (lambda x, i: x.index_put((i,), x[0]), (X, torch.tensor([0, 1])), "values that are broadcast"),
        (lambda x: nn.functional.grid_sample(x, x[..., :2], "bicubic"), (X,), "bicubic"),
        (lambda x: x.sum(1, dtype=torch.float16), (X,), "a result of type torch.float16"),
        (lambda x: x.to(memory_format=torch.channels_last) * 2, (X,), "of the delegate are contiguous"),
        (lambda x: (x.reshape(6, 20), torch.cumprod(x, 0)), (X,), "nothing is calculated"),
        (lambda x: torch.fft.rfft(x), (X,), "complex numbers come from what is left, or go there"),
        (lambda z: z.abs(), (torch.complex(X, X),), "complex numbers that the program is given"),
        (lambda x: (torch.fft.fft(x) / torch.fft.fft(x + 1)).abs(), (X,), "it divides by complex numbers"),
        (lambda x: torch.fft.rfft(x).split(2, -1)[0].abs(), (X,), "it has none of complex numbers"),
        (lambda x: torch.fft.rfft(x).abs(), (torch.randn(2, 1026),), "of [1026, 514] points; it takes"),
    ],
)
def test_what_is_left_has_a_reason(function, inputs, message):
    assert message in why(function, *inputs)


def test_complex_numbers_stay_together():
    """What one operator leaves, the others that it gives such numbers to leave as well, and no others."""

    def model(x):
        left = torch.fft.rfft(x).cumprod(0)
        return torch.fft.irfft(left * 2) + torch.fft.rfft(x + 1).abs()[..., :1]

    edge = lower(Apply(model), (torch.randn(2, 6),))
    outside = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert sum("_fft_r2c" in one for one in outside) == 1 and sum("_fft_c2r" in one for one in outside) == 1
    taken = {name for delegate in delegates(edge) for name in names(delegate)}
    assert {"aten.linear.default", "aten.sqrt.default"} < taken
    torch.testing.assert_close(edge.exported_program().module()(x := torch.randn(2, 6)), model(x))


def test_transforms_of_a_batch_that_changes():
    model = Apply(lambda x: torch.fft.irfft(torch.fft.rfft(x * 2) * 3, norm="ortho"))
    shapes = (({0: torch.export.Dim("batch", max=7)},),)
    delegate = only(lower(model, (torch.randn(3, 2, 8),), dynamic_shapes=shapes))
    for batch in (1, 3, 7):
        check(delegate, model, (torch.randn(batch, 2, 8),))


def test_sizes_without_a_bound_are_left():
    shapes = (({0: torch.export.Dim("n")},),)
    assert "have no upper bound. Way out: torch.export.Dim(" in why(
        torch.relu, torch.randn(3, 2), shapes=shapes
    )


def test_weights_can_lie_beside_the_program():
    model, inputs = torch.nn.Linear(16, 16), (torch.randn(1, 16),)
    edge = lower(model, inputs, {"external_constants_max_data_bytes": 1100})
    files = edge.to_executorch()._tensor_data
    assert len(files) == 1 and next(iter(files)).startswith("vulkan_constants")
    inside = lower(model, inputs).to_executorch()
    assert not inside._tensor_data and len(inside.buffer) > len(edge.to_executorch().buffer) + 1000


@pytest.mark.parametrize("value", [True, 0, -1, 1 << 64, 1.5, "10"])
def test_a_number_of_bytes_is_a_positive_uint64(value):
    with pytest.raises(ValueError, match="positive uint64"):
        parse_compile_options({"external_constants_max_data_bytes": value})


def test_a_number_of_bytes_has_eight():
    key = "external_constants_max_data_bytes"
    for most in (1, (1 << 64) - 1):
        assert parse_compile_spec(parse_compile_options({key: most})) == {key: most}
    with pytest.raises(ValueError, match="encoded as uint64"):
        parse_compile_spec([CompileSpec(key, b"\1")])


def test_options_reach_the_backend():
    given = {
        "force_fp16": True,
        "require_dynamic_shapes": True,
        "storage_type_override": VkStorageType.BUFFER,
    }
    specs = VulkanPartitioner(given).delegation_spec.compile_specs
    assert VulkanOptions.of(parse_compile_spec(specs)) == VulkanOptions.of(given)
    assert [(one.key, one.value) for one in specs][1] == ("force_fp16", b"\1")
    assert VulkanPartitioner().delegation_spec.compile_specs == []


def test_limits_of_textures_and_layouts_are_accepted():
    given = {"texture_limits": (2048, 1024, 512), "skip_tag_memory_metadata": True}
    specs = VulkanPartitioner(given).delegation_spec.compile_specs
    assert [(one.key, one.value) for one in specs] == [
        ("texture_limits_x", b"\0\x08\0\0"),
        ("texture_limits_y", b"\0\x04\0\0"),
        ("texture_limits_z", b"\0\x02\0\0"),
        ("skip_tag_memory_metadata", b"\1"),
    ]
    assert VulkanOptions.of(parse_compile_spec(specs)) == VulkanOptions.of(given)
    assert given["texture_limits"] == (2048, 1024, 512)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"texture_limits": 2048}, r"Way out: three numbers, \(x, y, z\)"),
        ({"texture_limits": (1, 2, 1 << 32)}, "a positive uint32"),
        ({"fp16": True}, r"no compile options \['fp16'\]. Way out: it has .*force_fp16"),
        ({"force_fp16": "yes"}, "True or False"),
        ({"storage_type_override": 9}, "VkStorageType.BUFFER"),
        ({"storage_type_override": VkStorageType.TEXTURE_3D}, "lie in buffers"),
    ],
)
def test_other_options_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        VulkanPartitioner(given)


def test_options_that_leave_things_outside():
    positions = torch.tensor([0, 1])
    assert "skip_bool_tensors" in why(lambda x: (x > 0) & (x < 1), X, options={"skip_bool_tensors": True})
    assert "downcast_64_bit" in why(lambda i: i + 1, positions, options={"downcast_64_bit": False})
    assert "operator_blocklist" in why(torch.relu, X, operator_blocklist=["aten.relu.default"])
    assert "operator_allowlist" in why(torch.relu, X, operator_allowlist=[torch.ops.aten.mul.Tensor])
    allowed = lower(nn.Sequential(nn.ReLU(), nn.Sigmoid()), (X,), nn_module_allowlist=["ReLU"])
    assert [names(one) for one in delegates(allowed)] == [["aten.relu.default"]]
    blocked = lower(nn.Sequential(nn.ReLU(), nn.Sigmoid()), (X,), nn_module_blocklist=["ReLU"])
    assert [names(one) for one in delegates(blocked)] == [["aten.sigmoid.default"]]


def test_tokens_are_quantized_by_the_delegate_or_not_at_all():
    def kept(x):
        integers, scales, zeros = by_token(x, is_asymmetric=True)
        return integers.transpose(1, 2), scales, zeros

    found = only(lower(Apply(kept), (X,)))
    assert names(found) == ["et_vk.quantize_per_token.default", "aten.permute_copy.default"]
    check(found, Apply(kept), (X,))
    name = "quantized_decomposed.quantize_per_token.default"
    reasons = why(kept, X, operator_blocklist=[name])
    assert "operator_blocklist" in reasons and "the other call" in reasons
    symmetric = Apply(lambda x: by_token(x, is_asymmetric=False)[0])
    assert name not in str([names(one) for one in delegates(lower(symmetric, (X,)))])


def test_batches_of_bytes_that_begin_within_words_are_left():
    class Cache(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("cache", torch.zeros(2, 3, 1, 1, dtype=torch.int8))

        def forward(self, x):
            torch.ops.llama.update_cache(x, self.cache, 1)
            return self.cache.clone()

    edge = lower(Cache(), (torch.ones(2, 1, 1, 1, dtype=torch.int8),))
    reasons = {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert any("do not begin with whole words" in one for one in reasons)


def test_what_only_moves_is_taken_where_it_is_all_there_is():
    def moves(x):
        return x.permute(0, 2, 1, 3), x.unbind(1)[1].flip(0)

    check(only(lower(Apply(moves), (X,))), Apply(moves), (X,))
    numbers = Apply(lambda x: (torch.full(x.shape, 42.0), torch.arange(1, 11, 3).add(1)))
    found = only(lower(numbers, (X,)))
    for got, want in zip(found(), numbers(X), strict=True):
        assert torch.equal(got, want)
    edge = lower(Apply(lambda x: (moves(x), torch.cumprod(x, 0))), (X,))
    assert not delegates(edge)
    reasons = {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert any("not worth a call" in one for one in reasons)


def test_operators_that_cannot_be_resized_are_left(monkeypatch):
    row = vulkan_supported_ops["aten.relu.default"]
    monkeypatch.setitem(vulkan_supported_ops, row.name, replace(row, resize=False))
    assert why(torch.relu, X) == ""
    assert "require_dynamic_shapes" in why(torch.relu, X, options={"require_dynamic_shapes": True})
    shapes = (({0: torch.export.Dim("n", max=8)},),)
    assert "sizes change from run to run" in why(torch.relu, X, shapes=shapes)
    assert "| no resize support |" in operator_table()


def test_memory_is_shared():
    model, inputs = models.make("mobilenet_v2")
    shared = only(lowered("mobilenet_v2")).graph
    alone = only(lower(model, inputs, {"skip_memory_planning": True})).graph

    def total(graph):
        sizes = {}
        for number, one in enumerate(graph.values):
            if isinstance(one.value, schema.VkTensor) and one.value.constant_id < 0:
                key = one.value.mem_obj_id if one.value.mem_obj_id >= 0 else -1 - number
                sizes[key] = max(sizes.get(key, 0), nbytes(one.value))
        return sum(sizes.values())

    assert {one.value.mem_obj_id for one in alone.values if isinstance(one.value, schema.VkTensor)} == {-1}
    live = [0] * (len(alone.chain) + 1)
    for number, one in enumerate(alone.values):
        if isinstance(one.value, schema.VkTensor) and one.value.constant_id < 0:
            steps = [step for step, call in enumerate(alone.chain) if number in call.args]
            steps += [-1] * (number in alone.input_ids) + [len(alone.chain)] * (number in alone.output_ids)
            for step in range(min(steps), max(steps) + 1):
                live[step] += nbytes(one.value)
    assert max(live) <= total(shared) <= 1.4 * max(live) and total(shared) < total(alone) / 3


def test_memory_is_not_shared_by_what_lives_together():
    tensors = [schema.VkTensor(schema.VkDataType.FLOAT32, [4], -1) for _ in range(4)]
    graph = schema.VkGraph(values=[schema.VkValue(one) for one in tensors], input_ids=[0], output_ids=[3])
    graph.chain = [
        schema.OperatorCall(0, "aten.relu.default", [0, 1]),
        schema.OperatorCall(0, "aten.add.Tensor", [0, 1, 2]),
        schema.OperatorCall(0, "aten.relu.default", [2, 3]),
    ]
    plan_memory(graph)
    assert [one.mem_obj_id for one in tensors] == [0, 1, 2, 1]


def test_equal_constants_are_stored_once():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
            self.other.load_state_dict(self.one.state_dict())

        def forward(self, x):
            return self.other(self.one(x))

    delegate = only(lower(Twice(), (torch.randn(2, 4),)))
    assert len(delegate.graph.constants) == 2


def test_constants_that_do_not_fit_are_refused():
    large = torch.tensor([2**40, 1])
    with pytest.raises(ExportError, match=r"do not fit 32 bits. Way out: .*downcast_64_bit=False"):
        lower(Apply(lambda i: i + large), (torch.tensor([1, 2]),))


def test_blobs_that_are_none():
    graph = schema.VkGraph(version="0", values=[schema.VkValue(schema.Null())], output_ids=[0])
    blob = pack(graph)
    assert (
        unpack(blob) == graph
        and len(blob) % 16 == 0
        and blob[4:8] == b"VH00"
        and blob[36 + 4 - 4 :][:4] == b"VK00"
    )
    for cut in range(len(blob) - 1):
        if cut < HEADER.unpack_from(blob)[2] + HEADER.unpack_from(blob)[3]:
            with pytest.raises(FormatError):
                unpack(blob[:cut])
    graph.output_ids = [1]
    with pytest.raises(FormatError, match="output refers to value 1 of 1"):
        unpack(pack(graph))
    graph.output_ids, graph.version = [0], "7"
    with pytest.raises(FormatError, match="version '7'"):
        unpack(pack(graph))


def test_the_registry_can_be_asked():
    assert has_impl(torch.ops.aten.add.Tensor) and not has_impl("aten.cumprod.default")
    features = get_op_features("aten.embedding.default")
    assert features is not None and dict(features.others)[1] == (torch.int32, torch.int64)


def test_the_examples_run(capsys):
    text = (HERE / "README.md").read_text(encoding="utf-8")
    codes = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for code in codes:
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert len(codes) == 2 and "Every operator is delegated." in capsys.readouterr().out


@pytest.mark.parametrize("kind", VulkanRecipeType, ids=lambda kind: kind.name)
def test_recipes(kind):
    torch.manual_seed(0)
    model, inputs = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4)), (torch.randn(2, 16),)
    session = executorch.export.export(model.eval(), [inputs], ExportRecipe.get_recipe(kind))
    delegate = only(session.get_edge_program_manager())
    linear = (
        "et_vk.linear_q8csw.default" if kind is VulkanRecipeType.INT8_WEIGHT_ONLY else "aten.linear.default"
    )
    assert names(delegate).count(linear) == 2
    check(delegate, model, inputs, 1e-5 if kind is VulkanRecipeType.FP32 else 2e-2)


def test_recipes_take_the_partitioners_options():
    recipe = ExportRecipe.get_recipe(VulkanRecipeType.FP32, compile_options={"skip_bool_tensors": True})
    (partitioner,) = recipe.lowering_recipe.partitioners
    assert partitioner.options == VulkanOptions(skip_bool_tensors=True)
    with pytest.raises(ValueError, match="it takes compile_options"):
        ExportRecipe.get_recipe(VulkanRecipeType.FP32, speed=9)


def test_the_table_is_that_of_the_registry():
    assert (HERE / "OPERATORS.md").read_text(encoding="utf-8") == operator_table()
