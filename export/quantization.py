"""Quantization of modules and captured graphs with torchao, which is needed only by recipes that quantize."""

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from executorch.exir.error import ExportError, ExportErrorType
from executorch.export.recipe import AOQuantizationConfig, QuantizationRecipe


def _torchao(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExportError(
            ExportErrorType.UNINITIALIZED,
            f"the recipe quantizes, which needs {module}: {error}\nWay out: pip install torchao, or a recipe without "
            "quantization",
        ) from error


def quantize_source(model: torch.nn.Module, configs: Sequence[AOQuantizationConfig]) -> None:
    """Quantizes ``model`` itself with each config in turn.

    Raises:
        ExportError: torchao is not installed.
    """
    quantize = _torchao("torchao.quantization").quantize_
    for config in configs:
        quantize(model, config.ao_base_config, config.filter_fn)


def quantize_graph(
    model: torch.nn.Module, example_inputs: Sequence[tuple[Any, ...]], recipe: QuantizationRecipe
) -> torch.nn.Module:
    """A quantized graph of ``model``: captured, prepared, calibrated (or trained), converted.

    Args:
        model: to quantize.
        example_inputs: the first is captured with; all calibrate unless the recipe has inputs of its own.
        recipe: how.

    Raises:
        ExportError: torchao is not installed.
        ValueError: quantization-aware training without a function that trains.
    """
    if recipe.is_qat and recipe.train_fn is None:
        raise ValueError(
            "train_fn must be provided when is_qat=True\nWay out: a function that trains the prepared graph"
        )
    api = _torchao("torchao.quantization.pt2e.quantize_pt2e")
    shapes = _dynamic_batch(example_inputs[0]) if recipe.dynamic_batch_size else None
    captured: Any = torch.export.export(model, example_inputs[0], dynamic_shapes=shapes, strict=True).module()
    captured = _run(captured, recipe.pre_prepare_passes)
    prepare = api.prepare_qat_pt2e if recipe.is_qat else api.prepare_pt2e
    prepared = _run(prepare(captured, _composed(recipe.quantizers or [])), recipe.post_prepare_passes)
    if recipe.is_qat and recipe.train_fn is not None:
        recipe.train_fn(prepared)
    else:
        inputs = example_inputs if recipe.calibration_inputs_fn is None else recipe.calibration_inputs_fn()
        for values in inputs:
            prepared(*values)
    prepared = _run(prepared, recipe.pre_convert_passes)
    converted: torch.nn.Module = _run(api.convert_pt2e(prepared), recipe.post_convert_passes)
    return converted


def _composed(quantizers: Sequence[Any]) -> Any:
    if len(quantizers) == 1:
        return quantizers[0]
    return _torchao("torchao.quantization.pt2e.quantizer").ComposableQuantizer(list(quantizers))


def _dynamic_batch(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        {0: torch.export.Dim.AUTO} if isinstance(item, torch.Tensor) and item.dim() else None
        for item in inputs
    )


def _run(model: Any, passes: "Iterable[Any] | None") -> Any:
    for item in passes or ():
        model = item(model)
    return model


__all__ = ["quantize_graph", "quantize_source"]
