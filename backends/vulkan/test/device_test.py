"""Programs on the delegate, where a word of the validation layer makes a call fail: operators, models, sizes that change, quantized weights."""

import pytest
import torch
from torchao.quantization.quant_api import quantize_
from torchao.utils import unwrap_tensor_subclass

from executorch.backends.vulkan.test import cases, models
from executorch.backends.vulkan.test.harness import delegates, example, lower, lowered
from executorch.runtime import Runtime


def load(edge):
    """The method of a program, which refers to its bytes."""
    return Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")


def check(method, module, inputs, tolerance):
    """Compares a run with eager PyTorch."""
    wanted = torch.utils._pytree.tree_leaves(module(*inputs))
    for got, want in zip(method.execute(list(inputs)), wanted, strict=True):
        torch.testing.assert_close(got, want, atol=tolerance, rtol=tolerance)


def test_the_backend_is_there():
    assert Runtime.get().backend_registry.is_available("VulkanBackend")


@pytest.mark.parametrize("name", [*cases.GROUPS, *models.MODELS])
def test_operators_and_models(name):
    module, inputs = example(name)
    check(load(lowered(name)), module, inputs, 1e-4)


@pytest.mark.parametrize("name", ["products", "convolutions", *models.MODELS])
def test_half_precision(name):
    module, inputs = example(name)
    check(load(lowered(name, half=True)), module, inputs, 1e-2)


def test_sizes_change_from_run_to_run():
    torch.manual_seed(0)
    model = models.Dynamic()
    method = load(lower(model, (torch.randint(0, 20, (3, 4)),), dynamic_shapes=model.SHAPES))
    for sizes in ((3, 4), (10, 12), (2, 5)):
        check(method, model, (torch.randint(0, 20, sizes),), 1e-5)


def test_parts_without_elements_add_nothing():
    model, inputs = models.with_nothing()
    check(load(lower(model, inputs)), model, inputs, 1e-6)


def test_rows_of_state_are_written_where_it_lies():
    module, inputs = models.Rows(), (torch.randn(3, 2, 4), torch.tensor([0, 3, 1]))
    method = load(lower(models.Rows(), inputs, dynamic_shapes=module.SHAPES))
    for places in module.PLACES:
        check(method, module, (torch.randn(len(places), 2, 4), torch.tensor(places)), 1e-6)


@pytest.mark.parametrize(
    ("make", "given"),
    [(models.OwnRows, torch.tensor([1, 3, 0, 2])), (models.Swapped, torch.tensor([2.0, 5.0]))],
)
def test_state_that_is_read_while_it_is_written(make, given):
    module, method = make(), load(lower(make(), (given,)))
    for _ in range(3):
        check(method, module, (given,), 1e-6)


def _decoding(half, **options_of_model):
    """A decoder that has gone through a text in parts, as eager does."""
    model, inputs = models.decoder(**options_of_model)
    options = {"force_fp16": True} if half else None
    method = load(lower(model, inputs, options, dynamic_shapes=models.DECODER_SHAPES))
    for count, start in ((3, 0), (1, 3), (1, 4), (5, 5), (2, 14)):
        given = (torch.randint(0, 50, (1, count)), {"input_pos": torch.tensor([start])})
        (got,) = method.execute([given[0], given[1]["input_pos"]])
        torch.testing.assert_close(
            got, model(*given), atol=3e-2 if half else 1e-4, rtol=1e-2 if half else 1e-4
        )
    return method


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
def test_a_decoder_keeps_its_caches(half):
    method = _decoding(half)
    with pytest.raises(RuntimeError, match="position 15"):
        method.execute([torch.zeros(1, 2, dtype=torch.int64), torch.tensor([15])])


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
@pytest.mark.parametrize("attends_floats", [False, True], ids=["bytes", "floats"])
def test_a_decoder_keeps_its_caches_in_bytes(half, attends_floats):
    _decoding(half, of_bytes=True, attends_floats=attends_floats)


@pytest.mark.parametrize("wide", [False, True], ids=["small", "wide"])
@pytest.mark.parametrize("name", models.QUANTIZED)
def test_quantized_weights(name, wide):
    model, inputs = models.quantized(name, wide)
    check(load(lower(model, inputs)), model, inputs, 1e-3)


@pytest.mark.parametrize("name", [one for one in models.QUANTIZED if "dq8ca" in one])
def test_quantized_rows_of_halves(name):
    model, inputs = models.quantized(name, wide=True)
    # Numbers between two integers may be rounded the other way.
    check(load(lower(model, inputs, {"force_fp16": True})), model, inputs, 2e-2)


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
@pytest.mark.parametrize("bits", [4, 8])
def test_rows_that_one_scale_quantizes(bits, half):
    model, inputs = models.quantized_at_run_time(bits)
    method = load(lower(model, inputs, {"force_fp16": True} if half else None))
    check(method, model, inputs, 2e-2 if half else 1e-3)


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
def test_layers_between_int8(half):
    model, inputs = models.static_int8()
    method = load(lower(model, inputs, {"force_fp16": True} if half else None))
    for got, want in zip(method.execute(list(inputs)), model(*inputs), strict=True):
        torch.testing.assert_close(got, want, atol=model.STEP * (2.5 if half else 1.01), rtol=0)


def test_layers_between_int8_of_sizes_that_change():
    model, inputs = models.static_int8()
    batch, count = torch.export.Dim("batch", max=4), torch.export.Dim("count", max=8)
    method = load(lower(model, inputs, dynamic_shapes=({0: batch}, {0: count})))
    for sizes in ((2, 5), (4, 8), (1, 3)):
        given = (torch.randn(sizes[0], 3, 9, 11), torch.randn(sizes[1], 8))
        for got, want in zip(method.execute(list(given)), model(*given), strict=True):
            torch.testing.assert_close(got, want, atol=model.STEP * 1.01, rtol=0)


@pytest.mark.parametrize("name", models.TABLES)
def test_quantized_tables(name):
    model, inputs = models.quantized_table(name)
    check(load(lower(model, inputs)), model, inputs, 1e-4)


def test_a_decoder_of_four_bits_whose_rows_are_quantized():
    model, inputs = models.decoder()
    quantize_(model, models.QUANTIZED["linear_dq8ca_q4gsw"])
    unwrap_tensor_subclass(model)
    edge = lower(model, inputs, dynamic_shapes=models.DECODER_SHAPES)
    (graph,) = [delegate.graph for delegate in delegates(edge)]
    assert sum(call.name == "et_vk.linear_dq8ca_q4gsw.default" for call in graph.chain) == 15
    method = load(edge)
    for count, start in ((3, 0), (1, 3), (5, 4)):
        given = (torch.randint(0, 50, (1, count)), {"input_pos": torch.tensor([start])})
        (got,) = method.execute([given[0], given[1]["input_pos"]])
        # Rows whose numbers lie between two integers may be rounded the other way.
        torch.testing.assert_close(got, model(*given), atol=2e-2, rtol=1e-2)
