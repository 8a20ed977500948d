"""One recipe from several."""

import copy
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any

from executorch.exir import EdgeCompileConfig
from executorch.export.recipe_parts import LoweringRecipe, QuantizationRecipe, Recipe

_SETS = ("preserve_ops", "_core_aten_ops_exception_list")  # lists of a configuration whose order says nothing
_PASSES = ("pre_prepare_passes", "post_prepare_passes", "pre_convert_passes", "post_convert_passes")


def combined_fields(recipes: Sequence[Recipe], name: "str | None" = None) -> dict[str, Any]:
    """The fields of the recipe that is all of them; see :meth:`ExportRecipe.combine`.

    Raises:
        ValueError: two recipes want different things.
    """
    backend_configs = [item.executorch_backend_config for item in recipes if item.executorch_backend_config]
    return dict(
        name=name or "_".join(recipe.name for recipe in recipes if recipe.name),
        quantization_recipe=_quantization(
            [item.quantization_recipe for item in recipes if item.quantization_recipe]
        ),
        aten_transform_passes=_joined(recipes, "aten_transform_passes"),
        source_transform_in_place=_agreed(recipes, "source_transform_in_place"),
        lowering_recipe=_lowering(recipes),
        executorch_backend_config=copy.deepcopy(backend_configs[0]) if backend_configs else None,
        pipeline_stages=_agreed(recipes, "pipeline_stages"),
        mode=_agreed(recipes, "mode"),
        strict=_agreed(recipes, "strict"),
    )


def _agreed(items: Sequence[Any], field: str) -> Any:
    """The value that all items have."""
    values = [getattr(item, field) for item in items]
    if any(value != values[0] for value in values):
        raise ValueError(
            f"Cannot combine recipes with conflicting '{field}' values: {', '.join(map(repr, values))}\n"
            "Way out: set the same in all"
        )
    return values[0]


def _joined(items: Iterable[Any], field: str) -> "list[Any] | None":
    return [value for item in items for value in getattr(item, field) or ()] or None


def _quantization(recipes: Sequence[QuantizationRecipe]) -> "QuantizationRecipe | None":
    if not recipes:
        return None
    trainers = [recipe.train_fn for recipe in recipes if recipe.train_fn is not None]
    if len(trainers) > 1:
        raise ValueError(
            "Cannot combine recipes: more than one recipe provides a train_fn.\nWay out: one function that trains it all"
        )
    combined = QuantizationRecipe(
        quantizers=_joined(recipes, "quantizers"),
        ao_quantization_configs=_joined(recipes, "ao_quantization_configs"),
        is_qat=_agreed(recipes, "is_qat"),
        dynamic_batch_size=any(recipe.dynamic_batch_size for recipe in recipes),
        calibration_inputs_fn=_chained([r.calibration_inputs_fn for r in recipes if r.calibration_inputs_fn]),
        train_fn=trainers[0] if trainers else None,
        **{field: _joined(recipes, field) for field in _PASSES},  # type: ignore[arg-type]
    )
    return None if combined == QuantizationRecipe() else combined


def _chained(makers: "Sequence[Callable[[], Iterable[Any]]]") -> "Callable[[], Iterable[Any]] | None":
    """A function that gives the inputs of all, one after the other, each asked for when its turn comes."""
    if len(makers) < 2:
        return makers[0] if makers else None
    return lambda: itertools.chain.from_iterable(make() for make in makers)


def _lowering(recipes: Sequence[Recipe]) -> "LoweringRecipe | None":
    chosen = [recipe.lowering_recipe for recipe in recipes if recipe.lowering_recipe]
    combined = LoweringRecipe(
        partitioners=_partitioners([item.partitioners for item in chosen if item.partitioners]),
        edge_transform_passes=_joined(chosen, "edge_transform_passes"),
        edge_manager_transform_passes=_joined(chosen, "edge_manager_transform_passes"),
        edge_compile_config=_edge_compile_config(recipes),
    )
    if combined == LoweringRecipe():
        return None
    if combined.edge_compile_config is None:
        combined.edge_compile_config = EdgeCompileConfig()
    return combined


def _partitioners(values: Sequence[Any]) -> "list[Any] | dict[str, list[Any]] | None":
    if not any(isinstance(value, dict) for value in values):
        return [item for value in values for item in value] or None
    if not all(isinstance(value, dict) for value in values):
        raise ValueError(
            "Cannot combine recipes that mix list-valued and dict-valued partitioners; convert the list-valued recipe to "
            "per-method form."
        )
    methods = dict.fromkeys(method for value in values for method in value)
    return {method: [item for value in values for item in value.get(method, [])] for method in methods}


def _edge_compile_config(recipes: Sequence[Recipe]) -> "EdgeCompileConfig | None":
    """A copy of the one that all recipes with one agree on."""
    named = [
        (recipe.name or f"recipes[{index}]", recipe.lowering_recipe.edge_compile_config)
        for index, recipe in enumerate(recipes)
        if recipe.lowering_recipe and recipe.lowering_recipe.edge_compile_config
    ]
    if not named:
        return None
    conflict = "; ".join(
        f"{field.name} ({', '.join(f'{name}={_shown(config, field.name)}' for name, config in named)})"
        for field in fields(EdgeCompileConfig)
        if any(_shown(config, field.name) != _shown(named[0][1], field.name) for _, config in named)
    )
    if conflict:
        raise ValueError(
            f"Cannot combine recipes whose edge_compile_configs disagree on {conflict}\n"
            "Way out: leave the configuration to one of them, or set the same in all"
        )
    # The lists are the caller's, and so are the operators in them: those are no copies.
    first = copy.copy(named[0][1])
    for field in _SETS:
        setattr(first, field, list(getattr(first, field) or ()))
    return first


def _shown(config: EdgeCompileConfig, field: str) -> Any:
    value = getattr(config, field)
    return sorted(map(str, value or ())) if field in _SETS else value


__all__ = ["combined_fields"]
