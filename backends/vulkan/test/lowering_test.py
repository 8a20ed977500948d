"""From modules to blobs, which the interpreter runs: every operator, whole models, dynamic shapes, quantized weights."""

import pytest
import torch
from torch import nn
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import IntxWeightOnlyConfig, quantize_
from torchao.utils import unwrap_tensor_subclass

from executorch.backends.vulkan.op_registry import call_names
from executorch.backends.vulkan.quantizer.vulkan_quantizer import (
    VulkanQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.test import cases, models
from executorch.backends.vulkan.test.harness import check, delegates, lower, lowered, names, only
from executorch.partitioner import get_reasons

#: Calls of a decoder with caches.
CACHED = {
    "et_vk.rotary_embedding.default",
    "et_vk.select_as_symint.default",
    "et_vk.state.default",
    "llama.custom_sdpa.default",
    "llama.update_cache.default",
}
#: Those of one whose caches are int8.
BYTES = {"et_vk.quantize_per_token.default", "llama.custom_quantized_sdpa.default"}
_FLOATS_OF_BYTES = "quantized_decomposed.dequantize_per_token.default"
#: Calls that other tests of this file see.
_SEEN_BELOW = {
    "add",
    *BYTES,
    _FLOATS_OF_BYTES,
    *CACHED,
    "aten.arange.start_step",
    "et_vk.linear_dq8ca_q4gsw.default",
    "et_vk.linear_dq8ca_q8gsw.default",
    "et_vk.linear_q4gsw.default",
    "et_vk.linear_q8gsw.default",
    "floordiv",
    "mul",
    "sub",
    "sym_size.int",
    "et_vk.add_int8.default",
    "et_vk.embedding_q4gsw.default",
    "et_vk.embedding_q8csw.default",
    "et_vk.conv_int8.default",
    "et_vk.linear_int8.default",
    "quantized_decomposed.dequantize_per_tensor.default",
    "quantized_decomposed.quantize_per_tensor.default",
    "quantized_decomposed.choose_qparams.tensor",
    "torchao.choose_qparams_affine.default",
}


@pytest.fixture(scope="module")
def groups():
    return {name: only(lowered(name)) for name in cases.GROUPS}


@pytest.mark.parametrize("name", cases.GROUPS)
def test_operators_are_as_eager(name, groups):
    check(groups[name], *cases.make(name))


def test_every_call_of_the_registry_is_tried(groups):
    tried = {name for delegate in groups.values() for name in names(delegate)}
    assert tried | _SEEN_BELOW == call_names() and not tried & _SEEN_BELOW


@pytest.mark.parametrize(("name", "most"), [("mobilenet_v2", 65), ("resnet18", 39), ("bert", 98)])
def test_models_are_one_delegate_with_a_dispatch_for_each_fused_layer(name, most):
    model, inputs = models.make(name)
    delegate = only(lowered(name))
    check(delegate, model, inputs)
    dispatches = [call for call in delegate.graph.chain if not delegate.is_free(call)]
    assert len(dispatches) == most


def test_half_precision_inside():
    model, inputs = models.make("mobilenet_v2")
    delegate = only(lowered("mobilenet_v2", half=True))
    tensors = [one.value for one in delegate.graph.values if isinstance(one.value, schema.VkTensor)]
    assert {one.datatype for one in tensors} == {schema.VkDataType.FLOAT16}
    constants = [one for one in tensors if one.constant_id >= 0]
    assert {one.staging_datatype for one in constants} == {schema.VkDataType.FLOAT16}
    check(delegate, model, inputs, 1e-2)


def test_sizes_change_from_run_to_run():
    model = models.Dynamic()
    delegate = only(lower(model, (torch.randint(0, 20, (3, 4)),), dynamic_shapes=model.SHAPES))
    for sizes in ((3, 4), (10, 12), (2, 5)):
        check(delegate, model, (torch.randint(0, 20, sizes),))
    assert {"sym_size.int", "add", "sub", "mul", "floordiv"} < set(names(delegate))
    assert {"aten.full.default", "aten.arange.start_step"} < set(names(delegate))
    (given,) = delegate.graph.input_ids
    assert delegate.graph.values[given].value.dims == [10, 12]


#: Of a call of the decoder: tokens, and the position of the first.
CHUNKS = ((3, 0), (1, 3), (5, 4), (1, 9), (2, 14), (4, 2))


def test_a_decoder_keeps_its_caches():
    model, inputs = models.decoder()
    wanted = []
    for count, start in CHUNKS:
        given = (torch.randint(0, 50, (1, count)), {"input_pos": torch.tensor([start])})
        wanted.append((given, model(*given).detach()))
    for name, cache in model.named_buffers():
        if "_cache" in name:
            cache.zero_()
    delegate = only(lower(model, inputs, dynamic_shapes=models.DECODER_SHAPES))
    for given, want in wanted:
        (got,) = delegate(given[0], given[1]["input_pos"])
        torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
    called = names(delegate)
    # Of two layers: two caches, which are written once and turned queries and keys.
    counts = {one: called.count(one) for one in CACHED}
    assert counts.pop("et_vk.select_as_symint.default") >= 1
    assert counts == {
        "et_vk.rotary_embedding.default": 4,
        "et_vk.state.default": 4,
        "llama.custom_sdpa.default": 2,
        "llama.update_cache.default": 4,
    }
    assert called.count("aten.rms_norm.default") == 5 and called.count("aten.silu.default") == 2
    dispatches = [one for one in delegate.graph.chain if not delegate.is_free(one)]
    assert len(dispatches) == 2 * 18 + 4
    assert not {"aten.slice_copy.Tensor", "aten.cat.default", "aten.permute_copy.default"} & set(called)


def test_a_decoder_keeps_its_caches_in_bytes():
    model, inputs = models.decoder(of_bytes=True)
    # As caches are before anything is written.
    delegate = only(lower(model, inputs, dynamic_shapes=models.DECODER_SHAPES))
    for count, start in CHUNKS:
        given = (torch.randint(0, 50, (1, count)), {"input_pos": torch.tensor([start])})
        (got,) = delegate(given[0], given[1]["input_pos"])
        torch.testing.assert_close(got, model(*given), atol=1e-5, rtol=1e-5)
    called = names(delegate)
    # Of two layers: keys and values in int8 with their scales and zero points; queries are quantized as well.
    fused = BYTES | {"aten.rms_norm.default", "aten.silu.default", "et_vk.rotary_embedding.default"}
    assert {one: called.count(one) for one in fused} == {
        "aten.rms_norm.default": 5,
        "aten.silu.default": 2,
        "et_vk.quantize_per_token.default": 6,
        "et_vk.rotary_embedding.default": 4,
        "llama.custom_quantized_sdpa.default": 2,
    }
    assert called.count("et_vk.state.default") == called.count("llama.update_cache.default") == 12
    dispatches = [one for one in delegate.graph.chain if not delegate.is_free(one)]
    assert len(dispatches) == 2 * 25 + 4
    assert not {"aten.slice_copy.Tensor", "aten.cat.default", "aten.permute_copy.default"} & set(called)


def test_a_decoder_makes_floats_of_its_caches():
    model, inputs = models.decoder(of_bytes=True, attends_floats=True)
    delegate = only(lower(model, inputs, dynamic_shapes=models.DECODER_SHAPES))
    for count, start in CHUNKS:
        given = (torch.randint(0, 50, (1, count)), {"input_pos": torch.tensor([start])})
        (got,) = delegate(given[0], given[1]["input_pos"])
        torch.testing.assert_close(got, model(*given), atol=1e-5, rtol=1e-5)
    called = names(delegate)
    assert called.count(_FLOATS_OF_BYTES) == 4
    # Of each cache integers, scales and zero points; and the new tokens as they are, into the floats.
    assert called.count("llama.update_cache.default") == 16 and "aten.clone.default" not in called


def test_scales_of_caches_stay_float32():
    model, inputs = models.decoder(of_bytes=True)
    edge = lower(model, inputs, {"force_fp16": True}, dynamic_shapes=models.DECODER_SHAPES)
    graph = only(edge).graph
    kinds = [graph.values[one.args[-1]].value for one in graph.chain if one.name == "et_vk.state.default"]
    assert {(tensor.dims[-1], tensor.datatype.name) for tensor in kinds} == {
        (1, "FLOAT32"),
        (1, "INT8"),
        (8, "INT8"),
    }


class Keeping(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.before, self.after = before, after
        self.register_buffer("kept", torch.tensor([1.0, 2.0]))

    def forward(self, x):
        first = self.before(self.kept)
        self.kept.mul_(0.5).add_(x)
        return first, self.after(self.kept)


def test_state_is_kept_where_one_delegate_has_it():
    x = torch.tensor([3.0, 5.0])
    delegate = only(lower(Keeping(torch.exp, torch.neg), (x,)))
    module = Keeping(torch.exp, torch.neg)
    for _ in range(3):
        got = delegate(x)
        for position, want in zip(delegate.order, module(x), strict=True):
            torch.testing.assert_close(got[position], want)


def test_parts_without_elements_add_nothing():
    model, inputs = models.with_nothing()
    delegate = only(lower(model, inputs))
    assert names(delegate) == ["aten.cat.default"] * 2
    check(delegate, model, inputs)


def test_rows_of_state_are_written_where_it_lies():
    module, inputs = models.Rows(), (torch.randn(3, 2, 4), torch.tensor([0, 3, 1]))
    delegate = only(lower(models.Rows(), inputs, dynamic_shapes=module.SHAPES))
    assert "aten.index_put.default" in names(delegate) and "aten.clone.default" not in names(delegate)
    for places in module.PLACES:
        given = (torch.randn(len(places), 2, 4), torch.tensor(places))
        check(delegate, module, given)


def test_state_that_is_read_while_it_is_written_is_copied():
    places = torch.tensor([1, 3, 0, 2])
    module, delegate = models.OwnRows(), only(lower(models.OwnRows(), (places,)))
    assert names(delegate).count("aten.index_put.default") == 2
    for _ in range(3):
        check(delegate, module, (places,))


def test_states_that_change_places():
    module, inputs = models.Swapped(), (torch.tensor([2.0, 5.0]),)
    delegate = only(lower(models.Swapped(), inputs))
    for _ in range(3):
        check(delegate, module, inputs)


@pytest.mark.parametrize(
    ("before", "after"), [(torch.exp, lambda x: x.cumprod(0)), (lambda x: x.cumprod(0), torch.exp)]
)
def test_state_that_others_read_stays_outside(before, after):
    edge = lower(Keeping(before, after), (torch.ones(2),))
    reasons = {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert any("state of the program that not only one delegate does" in one for one in reasons)
    assert all("et_vk.state.default" not in names(one) for one in delegates(edge))


class Copy(nn.Module):
    def forward(self, x):
        return x.clone(), x + 1


def test_an_input_is_copied_where_it_is_returned():
    delegate = only(lower(Copy(), (torch.randn(3),)))
    assert names(delegate).count("aten.clone.default") == 1
    check(delegate, Copy(), (torch.randn(3),))


@pytest.mark.parametrize("call", models.QUANTIZED)
def test_weights_of_torchao(call):
    model, inputs = models.quantized(call)
    delegate = only(lower(model, inputs))
    assert names(delegate).count(f"et_vk.{call}.default") == 2
    chosen = names(delegate).count("torchao.choose_qparams_affine.default")
    assert chosen == (2 if call.startswith("linear_dq8ca") else 0)
    check(delegate, model, inputs, 1e-4)


@pytest.mark.parametrize("call", models.TABLES)
def test_tables_of_torchao(call):
    model, inputs = models.quantized_table(call)
    delegate = only(lower(model, inputs))
    linear = call.replace("embedding", "linear")
    assert [one for one in names(delegate) if "_q" in one] == [
        f"et_vk.{call}.default",
        f"et_vk.{linear}.default",
    ]
    # The table and the layer have the same bytes, which are stored once.
    stored = [one for one in delegate.graph.constants if one.length >= 640]
    assert len(stored) == 1
    check(delegate, model, inputs, 1e-5)


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
def test_layers_between_int8_calculate_with_integers(half):
    model, inputs = models.static_int8()
    delegate = only(lower(model, inputs, {"force_fp16": True} if half else None))
    found = names(delegate)
    assert [found.count(f"et_vk.{one}_int8.default") for one in ("conv", "linear", "add")] == [4, 2, 1]
    assert not {"aten.convolution.default", "aten.linear.default", "aten.add.Tensor"} & set(found)
    for position, want in zip(delegate.order, model(*inputs), strict=True):
        # A sum near the middle of two integers may be rounded the other way.
        torch.testing.assert_close(
            delegate(*inputs)[position], want, atol=model.STEP * (2.5 if half else 1.01), rtol=0
        )


class Shared(nn.Module):
    """What is between the integers is read elsewhere too, has an activation of its own, or other shapes."""

    def __init__(self):
        super().__init__()
        self.layer = models.Int8(nn.Linear(8, 8))

    def forward(self, x, y):
        x = models.rounded(x, 0.03)
        between = self.layer(x)
        total = x + models.rounded(y, 0.03)
        return models.rounded(between, 0.02), between * 2, models.rounded(total, 0.05)


def test_what_others_read_between_int8_stays_in_floating_point():
    torch.manual_seed(0)
    model, inputs = Shared(), (torch.randn(3, 8), torch.randn(8))
    delegate = only(lower(model, inputs))
    assert not any("_int8" in one for one in names(delegate))
    assert "et_vk.linear_q8csw.default" in names(delegate)
    check(delegate, model, inputs, 1e-4)


class Fork(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64, count, bias=False) for count in (8, 16))

    def forward(self, x):
        return [layer(x) for layer in self.layers]


def test_layers_that_read_the_same_quantize_it_once():
    torch.manual_seed(0)
    model, inputs = Fork(), (torch.randn(3, 64),)
    quantize_(model, models.QUANTIZED["linear_dq8ca_q4gsw"])
    unwrap_tensor_subclass(model)
    delegate = only(lower(model, inputs))
    assert names(delegate).count("torchao.choose_qparams_affine.default") == 1
    assert names(delegate).count("et_vk.linear_dq8ca_q4gsw.default") == 2
    check(delegate, model, inputs, 1e-4)


def test_rows_that_are_no_whole_words_are_not_quantized_at_run_time():
    model, inputs = nn.Sequential(nn.Linear(10, 4)), (torch.randn(2, 10),)
    quantize_(model, models.QUANTIZED["linear_dq8ca_q8gsw"])
    unwrap_tensor_subclass(model)
    edge = lower(model, inputs)
    reasons = {one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert "torchao.choose_qparams_affine.default is not in the table of Vulkan's operators" in reasons
    assert [names(one) for one in delegates(edge)] == [["et_vk.linear_q8csw.default"]]


@pytest.mark.parametrize(("bits", "call"), [(8, "linear_q8csw"), (4, "linear_q4gsw")])
def test_weights_of_the_quantizer(bits, call):
    torch.manual_seed(0)
    inputs = (torch.randn(4, 32),)
    quantizer = VulkanQuantizer().set_global(get_symmetric_quantization_config(weight_bits=bits))
    prepared = prepare_pt2e(torch.export.export(nn.Linear(32, 8), inputs).module(), quantizer)
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    delegate = only(lower(quantized, inputs))
    assert names(delegate) == [f"et_vk.{call}.default"]
    (got,), want = delegate(*inputs), quantized(*inputs)
    torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("bits", [4, 8])
def test_inputs_that_the_quantizer_has_quantized_at_run_time(bits):
    model, inputs = models.quantized_at_run_time(bits)
    delegate = only(lower(model, inputs))
    choose, linear = "quantized_decomposed.choose_qparams.tensor", f"et_vk.linear_dq8ca_q{bits}gsw.default"
    assert names(delegate) == [choose, linear, "aten.relu.default", choose, linear]
    check(delegate, model, inputs, 1e-4)


def test_a_filter_chooses_among_linear_layers():
    model, inputs = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 16)), (torch.randn(2, 8),)
    quantizer = VulkanQuantizer().set_global(get_symmetric_quantization_config())
    quantizer.set_filter_function(lambda node: node.meta["val"].shape[-1] == 16)
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    delegate = only(lower(convert_pt2e(prepared), inputs))
    assert names(delegate) == ["aten.linear.default", "et_vk.linear_q8csw.default"]


def test_other_quantizations_are_refused():
    with pytest.raises(ValueError, match="act_bits is 16"):
        get_symmetric_quantization_config(is_dynamic=True, act_bits=16)
    with pytest.raises(ValueError, match=r"weight_bits is 3.*\[4, 8\]"):
        get_symmetric_quantization_config(weight_bits=3)
    with pytest.raises(ValueError, match="set_global"):
        VulkanQuantizer().annotate(torch.export.export(nn.Linear(2, 2), (torch.randn(1, 2),)).module())


def test_groups_of_another_width_stay_in_floating_point():
    model = nn.Sequential(nn.Linear(64, 8))
    quantize_(model, IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(4)))
    unwrap_tensor_subclass(model)
    inputs = (torch.randn(2, 64),)
    delegate = only(lower(model, inputs))
    assert names(delegate) == ["aten.linear.default"]
    check(delegate, model, inputs)


class Branches(nn.Module):
    def forward(self, x, y):
        return torch.cumprod(x + 1, 0) * y


def test_what_is_not_taken_splits_the_program():
    edge = lower(Branches(), (torch.randn(4), torch.randn(4)))
    assert [names(one) for one in delegates(edge)] == [["aten.add.Scalar"], ["aten.mul.Tensor"]]


class Priors(torch.nn.Module):
    def forward(self, x):
        return torch.ops.et_vk.grid_priors(x, stride=8, offset=0.5) + x.mean([1, 2, 3])


def test_grid_priors_are_taken_apart():
    model, inputs = Priors(), (torch.rand(1, 5, 2, 3),)
    expected = torch.tensor([[4.0, 4], [12, 4], [20, 4], [4, 12], [12, 12], [20, 12]])
    torch.testing.assert_close(model(*inputs) - inputs[0].mean(), expected)
    check(only(lower(model, inputs)), model, inputs)
