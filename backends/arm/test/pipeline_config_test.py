"""What a compile spec says of passes and of conversions at the border, and what comes of it."""

import math
import warnings

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.common.pipeline_config import (
    ArmPassPipelineConfig,
    LeakyReLULoweringConfig,
    QuantizeInfConfig,
    SDPASafeSoftmaxGuardPolicy,
    SoftmaxDecompositionConfig,
)
from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.quantizer import TOSAQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.test.lowered import as_model, lowered, names_inside
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.utils import format_reasons
from executorch.partitioner import PreprocessOnlySpec, get_lowered_submodules

_REMOVE = ArmPassPipelineConfig(sdpa_safe_softmax_guard=SDPASafeSoftmaxGuardPolicy.REMOVE)


def _lowered(model, inputs, spec):
    edge = to_edge_transform_and_lower(
        torch.export.export(model, inputs), partitioner=[TOSAPartitioner(spec)]
    )
    return edge.exported_program()


def test_it_goes_through_compile_specs_and_into_no_program():
    config = ArmPassPipelineConfig(
        SoftmaxDecompositionConfig.STABLE,
        LeakyReLULoweringConfig.TABLE,
        QuantizeInfConfig(-3.0, 4.0),
        SDPASafeSoftmaxGuardPolicy.REMOVE,
    )
    specs = TosaCompileSpec("TOSA-1.0+FP").set_pass_pipeline_config(config).to_list()
    assert TosaCompileSpec.from_list(specs).get_pass_pipeline_config() == config
    (told,) = [one for one in specs if one.key == "transform_pipeline_config"]
    assert isinstance(told, PreprocessOnlySpec)
    assert not any(one.key == "transform_pipeline_config" for one in TosaCompileSpec("TOSA-1.0+FP").to_list())
    with pytest.raises(ValueError, match="a pass pipeline has no sofmax; it has softmax, "):
        ArmPassPipelineConfig.from_dict({"sofmax": "STABLE"})


@pytest.mark.parametrize(("target", "softmax"), [("ethos-u55-128", "STABLE"), ("ethos-u85-256", "MASKED")])
def test_each_processor_has_its_own(target, softmax):
    spec = EthosUCompileSpec(target)
    assert spec.get_pass_pipeline_config().softmax.name == softmax
    chosen = spec.set_pass_pipeline_config(ArmPassPipelineConfig())
    assert EthosUCompileSpec.from_list(chosen.to_list()).get_pass_pipeline_config().is_default()


def _attention(query, mask):
    return torch.nn.functional.scaled_dot_product_attention(query, query, query, attn_mask=mask)


@pytest.mark.parametrize(("config", "empty"), [(ArmPassPipelineConfig(), 0.0), (_REMOVE, math.nan)])
def test_the_guard_of_attention_goes_where_it_is_said(config, empty):
    """The numbers of a row of which the mask leaves nothing are the difference."""
    mask = torch.zeros(4, 4)
    mask[1] = -math.inf
    inputs = (torch.randn(1, 2, 4, 8), mask)
    program = _lowered(
        as_model(_attention), inputs, TosaCompileSpec("TOSA-1.0+FP").set_pass_pipeline_config(config)
    )
    ((mine,), calls) = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    expected = _attention(*inputs)
    expected[:, :, 1] = empty
    torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


def _targets(function, inputs, config):
    spec = TosaCompileSpec("TOSA-1.0+INT").set_pass_pipeline_config(config)
    model = torch.export.export(as_model(function), inputs).module()
    quantizer = TOSAQuantizer(spec).set_global(get_symmetric_quantization_config())
    made = quantizer.transform_for_annotation(model)
    return made, {str(node.target) for node in made.graph.nodes}


def test_fills_by_a_mask_stay_where_there_is_no_choice():
    def function(x, mask):
        return x.masked_fill(mask, -1.0)

    inputs = (torch.randn(3, 4), torch.rand(3, 4) > 0.5)
    assert "aten.masked_fill.Scalar" not in _targets(function, inputs, ArmPassPipelineConfig())[1]
    stable = ArmPassPipelineConfig(SoftmaxDecompositionConfig.STABLE)
    assert "aten.masked_fill.Scalar" in _targets(function, inputs, stable)[1]


def test_infinities_become_the_numbers_that_are_named():
    config = ArmPassPipelineConfig(quantize_inf=QuantizeInfConfig(neg_inf=-7.0))
    made, _ = _targets(lambda x: x + -math.inf, (torch.zeros(2),), config)
    assert made(torch.zeros(2)).tolist() == [-7.0, -7.0]


def _quantized_sum(spec):
    inputs = (torch.rand(2, 3), torch.rand(2, 3))
    quantizer = TOSAQuantizer(spec).set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(as_model(torch.add), inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared), inputs


@pytest.mark.parametrize("preserves", [False, True])
def test_conversions_at_the_border_stay_outside_if_asked_for(preserves):
    spec = TosaCompileSpec("TOSA-1.0+INT+FP").set_preserve_io_quantization(preserves)
    assert TosaCompileSpec.from_list(spec.to_list()).preserve_io_quantization is preserves
    model, inputs = _quantized_sum(spec)
    program = _lowered(model, inputs, spec)
    outside = [str(node.target) for node in program.graph.nodes if "quantize_per_tensor" in str(node.target)]
    assert len(outside) == (3 if preserves else 0)
    ((_, lowered_module, _),) = get_lowered_submodules(program.graph_module)
    read = {
        node.meta["val"].dtype for node in lowered_module.original_module.graph.find_nodes(op="placeholder")
    }
    assert read == {torch.int8 if preserves else torch.float32}
    ((mine,), _) = run_program(program, inputs)
    torch.testing.assert_close(mine, model(*inputs), rtol=0, atol=0.01)


def test_where_there_are_integers_only_they_are_outside_anyway():
    with pytest.warns(UserWarning, match="preserve_io_quantization=True is redundant for INT-only TOSA"):
        EthosUCompileSpec("ethos-u55-128").set_preserve_io_quantization(True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TosaCompileSpec("TOSA-1.0+INT+FP").set_preserve_io_quantization(True)


def test_names_of_data_are_a_delegate_where_there_is_nothing_else():
    inputs = (torch.randn(2, 3),)
    program = lowered(as_model(lambda x: x.unsqueeze(1)), inputs)
    assert names_inside(program) == {"aten.unsqueeze_copy.default"}
    assert torch.equal(run_program(program, inputs)[0][0], inputs[0].unsqueeze(1))
    # A sort is left, so the delegate would be a call more.
    program = lowered(as_model(lambda x: x.sort(0).values.unsqueeze(1)), inputs)
    assert not get_lowered_submodules(program.graph_module)
    assert not get_lowered_submodules(lowered(as_model(torch.clone), inputs).graph_module)


@pytest.mark.parametrize("correction", [0, 1, 0.5])
def test_variances_are_taken_apart_before_they_are_quantized(correction):
    def function(x):
        return x.var(dim=(1, 2), correction=correction)

    _, targets = _targets(function, (torch.randn(2, 3, 4),), ArmPassPipelineConfig())
    assert {"aten.mean.dim", "aten.sum.dim_IntList"} <= targets
    assert not any("var" in one for one in targets)
