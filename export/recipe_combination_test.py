"""Recipes that become one."""

import pytest
import torch

from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.export import ExportRecipe, LoweringRecipe, QuantizationRecipe, StageType
from executorch.export.recipe import Mode

LINEAR, SILU = torch.ops.aten.linear.default, torch.ops.aten.silu.default


def _combine(*parts, **same):
    return ExportRecipe.combine(
        [ExportRecipe(name, **{**same, **part}) for name, part in zip("abc", parts, strict=False)]
    )


def _lowering(*recipes):
    return _combine(*({"lowering_recipe": recipe} for recipe in recipes)).lowering_recipe


def _quantization(*recipes):
    return _combine(*({"quantization_recipe": recipe} for recipe in recipes)).quantization_recipe


def test_edge_options_agree_whatever_the_order_of_their_operators():
    first = EdgeCompileConfig(preserve_ops=[LINEAR, SILU])
    made = _lowering(
        LoweringRecipe(["p"], edge_compile_config=first),
        LoweringRecipe(["q"], edge_compile_config=EdgeCompileConfig(preserve_ops=[SILU, LINEAR])),
    )
    assert made.partitioners == ["p", "q"] and made.edge_compile_config == first
    made.edge_compile_config.preserve_ops.clear()
    assert first.preserve_ops == [LINEAR, SILU]  # the caller's own stays as it was


def test_edge_options_that_disagree_are_named():
    with pytest.raises(ValueError, match=r"_skip_dim_order \(a=True, b=False\)"):
        _lowering(
            LoweringRecipe(edge_compile_config=EdgeCompileConfig(_skip_dim_order=True)),
            LoweringRecipe(edge_compile_config=EdgeCompileConfig()),
        )


def test_nothing_to_lower_is_no_recipe():
    assert _lowering(LoweringRecipe(), None) is None
    assert _lowering(LoweringRecipe(["p"]), None).edge_compile_config == EdgeCompileConfig()


def test_partitioners_by_method():
    made = _lowering(LoweringRecipe({"f": ["p"]}), LoweringRecipe({"f": ["q"], "g": ["r"]}))
    assert made.partitioners == {"f": ["p", "q"], "g": ["r"]}
    with pytest.raises(ValueError, match="mix list-valued and dict-valued"):
        _lowering(LoweringRecipe(["p"]), LoweringRecipe({"f": ["q"]}))


def test_calibration_inputs_are_drawn_one_after_the_other():
    drawn = []

    def inputs(name, count):
        def draw():
            for index in range(count):
                drawn.append(name)
                yield (name, index)

        return draw

    recipes = [
        QuantizationRecipe(["q"], calibration_inputs_fn=inputs(name, 2), dynamic_batch_size=name == "x")
        for name in "xy"
    ]
    made = _quantization(*recipes)
    assert made.quantizers == ["q", "q"] and made.dynamic_batch_size
    given = iter(made.calibration_inputs_fn())
    assert next(given) == ("x", 0) and drawn == ["x"]
    assert list(given) == [("x", 1), ("y", 0), ("y", 1)]
    assert (
        _quantization(recipes[0], QuantizationRecipe()).calibration_inputs_fn
        is recipes[0].calibration_inputs_fn
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (({"strict": False}, {}), "conflicting 'strict'"),
        (({"mode": Mode.DEBUG}, {}), "conflicting 'mode'"),
        (({"source_transform_in_place": True}, {}), "conflicting 'source_transform_in_place'"),
        (({"pipeline_stages": [StageType.TORCH_EXPORT]}, {}), "conflicting 'pipeline_stages'"),
        (
            (
                {"quantization_recipe": QuantizationRecipe(is_qat=True)},
                {"quantization_recipe": QuantizationRecipe()},
            ),
            "conflicting 'is_qat'",
        ),
        (
            ({"quantization_recipe": QuantizationRecipe(is_qat=True, train_fn=print)},) * 2,
            "more than one recipe provides a train_fn",
        ),
    ],
)
def test_what_cannot_be_combined(parts, message):
    with pytest.raises(ValueError, match=message):
        _combine(*parts)


def test_the_last_stage_is_configured_by_the_first_that_does():
    configs = [ExecutorchBackendConfig(segment_alignment=size) for size in (64, 256)]
    made = _combine({}, *({"executorch_backend_config": config} for config in configs))
    assert made.executorch_backend_config.segment_alignment == 64
    assert made.executorch_backend_config is not configs[0]
    assert _combine({}, {}).executorch_backend_config is None
