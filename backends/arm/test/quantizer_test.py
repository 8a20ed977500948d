"""What the quantizer writes on a captured graph."""

import copy

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationConfig as Plain

from executorch.backends.arm.quantizer import (
    QuantizationConfig,
    TOSAQuantizer,
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
    get_uint8_io_quantization_config,
    get_vgf_snorm_quantization_config,
)
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.backends.arm.test.lowered import lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.exir.backend.utils import get_reasons

_INT = TosaSpecification.create_from_string("TOSA-1.0+INT")
_ANNOTATION = "quantization_annotation"


class _Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(2, 3, 1), torch.nn.ConvTranspose2d(3, 2, 2)

    def forward(self, x):
        return torch.softmax(self.second(torch.tanh(self.first(x))), 1)


_INPUTS = (torch.rand(1, 2, 4, 4),)


def _captured(model=None, inputs=_INPUTS):
    return torch.export.export(model or _Twice(), inputs).module()


def _quantized(quantizer, model=None):
    prepared = prepare_pt2e(_captured(model), quantizer)
    prepared(*_INPUTS)
    return convert_pt2e(prepared)


def _call(module, name):
    (found,) = (
        node for node in module.graph.nodes if name in str(node.target) and node.op == "call_function"
    )
    return found


def test_a_config_answers_for_a_call():
    module, config = _captured(), get_symmetric_quantization_config()
    straight, turned = _call(module, "aten.conv2d"), _call(module, "aten.conv_transpose2d")
    assert config.get_input_act_qspec() == config.get_output_act_qspec() == config.input_activation
    assert (config.get_weight_qspec(straight).ch_axis, config.get_weight_qspec(turned).ch_axis) == (0, 1)
    assert config.get_weight_qspec().ch_axis == 0
    assert config.get_bias_qspec(straight).dtype is torch.int32 and config.get_bias_qspec() is None
    wide = get_symmetric_a16w8_quantization_config()
    assert wide.get_bias_qspec(straight) is None, "sums have 48 bits"


def test_a_config_of_a_subclass_and_one_of_torchao():
    class NoTanh(QuantizationConfig):
        def get_input_act_qspec(self, node=None, input_node=None):
            return None if node is not None and "tanh" in str(node.target) else self.input_activation

    whole = get_symmetric_quantization_config()
    parts = whole.input_activation, whole.output_activation, whole.weight, None
    module = prepare_pt2e(_captured(), TOSAQuantizer(_INT).set_global(NoTanh(*parts)))
    assert not _call(module, "aten.tanh").meta[_ANNOTATION].input_qspec_map
    assert _call(module, "aten.conv2d").meta[_ANNOTATION].input_qspec_map
    module = prepare_pt2e(_captured(), TOSAQuantizer(_INT).set_global(Plain(*parts)))
    assert len(_call(module, "aten.conv_transpose2d").meta[_ANNOTATION].input_qspec_map) == 3


def test_what_stays_in_floating_point_is_marked():
    quantizer = TOSAQuantizer(_INT).set_global(get_symmetric_quantization_config())
    quantizer.set_module_name("first", None)
    module = quantizer.transform_for_annotation(_captured())
    marks = {str(node.target): node.meta[DISALLOW_TFA_META_KEY] for node in module.graph.nodes}
    assert marks["aten.conv2d.default"] and not marks["aten.conv_transpose2d.input"]


def test_inputs_and_outputs_of_bytes():
    quantizer = TOSAQuantizer(_INT, use_composable_quantizer=True)
    quantizer.set_global(get_symmetric_quantization_config()).set_io(get_uint8_io_quantization_config())
    module = _quantized(quantizer)
    quantize = torch.ops.quantized_decomposed.quantize_per_tensor.default
    found = [node.args[5] for node in module.graph.nodes if node.target is quantize]
    assert found[0] is found[-1] is torch.uint8
    # What is between them, the last operator's result among it.
    assert set(found[1:-1]) == {torch.int8}
    torch.testing.assert_close(module(*_INPUTS), _captured()(*_INPUTS), atol=1, rtol=0)


def test_one_config_for_all_quantizes_no_output_twice():
    config = get_symmetric_quantization_config()
    model = _Twice()
    once = _quantized(TOSAQuantizer(_INT).set_global(config), copy.deepcopy(model))
    also = _quantized(TOSAQuantizer(_INT).set_global(config).set_io(config), copy.deepcopy(model))
    counts = [
        sum("quantize_per_tensor" in node.name for node in one.graph.nodes if node.name[0] == "q")
        for one in (once, also)
    ]
    assert counts == [5, 5]


def test_a_call_on_two_devices_is_refused():
    module = _captured(torch.nn.Bilinear(2, 2, 1), (torch.rand(1, 2), torch.rand(1, 2)))
    quantizer = TOSAQuantizer(_INT)
    quantizer.validate(module)
    first = next(iter(module.graph.find_nodes(op="placeholder")))
    first.meta["val"] = torch.empty(1, 2, device="meta")
    with pytest.raises(ValueError, match=r"operator bilinear.*cpu, meta"):
        quantizer.validate(module)


def test_int16_without_its_extension_is_told(caplog):
    TOSAQuantizer(_INT).set_global(get_symmetric_a16w8_quantization_config())
    assert "extension int16" in caplog.text


def test_activations_for_normalized_images_are_never_the_lowest_integer():
    config = get_vgf_snorm_quantization_config(is_per_channel=False)
    assert get_vgf_snorm_quantization_config(is_qat=True).is_qat
    model = quantized(torch.nn.Sequential(torch.nn.Conv2d(2, 3, 1), torch.nn.ReLU()), _INPUTS, config=config)
    calls = [node for node in model.graph.nodes if ".quantize_per_tensor" in str(node.target)]
    assert {node.args[3:5] for node in calls} == {(-127, 127)} and len(calls) == 2
    program = lowered(model, (_INPUTS[0] * 2 - 1,), "TOSA-1.0+INT+FP")
    (mine,), runs = run_program(program, (_INPUTS[0] * 2 - 1,))
    assert runs == 1
    step = max(node.args[1] for node in calls)
    assert (mine - model(_INPUTS[0] * 2 - 1)).abs().max() <= step * 1.01


class _Numbered(torch.nn.Module):
    """The same numbers for everything that takes some, and as numbers of their own."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(5, 3)

    def forward(self, x, i):
        rows = self.table(i), x.index_select(0, i), x[i], torch.gather(x, 0, i[:, None].repeat(1, 3))
        return torch.cat(rows, 1), x.index_put((i,), x[:2], accumulate=True), i + 2**40


def test_inputs_of_int64_that_number_elements_are_cast():
    inputs = (torch.rand(5, 3), torch.tensor([4, 1]))
    model = quantized(_Numbered(), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    (rows, put, sums), runs = run_program(program, inputs)
    left = {one.op for one in get_reasons(program.graph_module)}
    assert runs == 1 and not left & {
        f"aten.{name}"
        for name in ("embedding.default", "index.Tensor", "index_put.default", "index_select.default")
    }
    wanted = model(*inputs)
    torch.testing.assert_close((rows, put), wanted[:2], atol=0.02, rtol=0)
    assert torch.equal(sums, inputs[1] + 2**40)


def test_numbers_for_what_stays_in_floating_point_stay():
    quantizer = TOSAQuantizer(_INT).set_global(None)
    inputs = (torch.rand(5, 3), torch.tensor([4, 1]))
    module = quantizer.transform_for_annotation(_captured(_Numbered(), inputs))
    assert not any("_to_copy" in str(node.target) for node in module.graph.nodes)
