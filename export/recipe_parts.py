"""What recipes are made of."""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, EnumMeta
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.export.types import StageType


class RecipeTypeMeta(EnumMeta, ABCMeta):
    """Lets an enumeration have abstract methods."""


class RecipeType(Enum, metaclass=RecipeTypeMeta):
    """The recipes of one backend: subclass it with a member a recipe."""

    @classmethod
    @abstractmethod
    def get_backend_name(cls) -> str:
        """The name under which the backend registered its provider."""


class Mode(str, Enum):
    """Whether the program is made for looking at or for shipping."""

    DEBUG = "debug"
    RELEASE = "release"


@dataclass
class AOQuantizationConfig:
    """Quantization of a module's source, before capture.

    Attributes:
        ao_base_config: what ``torchao.quantization.quantize_`` takes.
        filter_fn: ``(module, qualified name)`` to whether it is quantized; None for torchao's own choice.
    """

    ao_base_config: Any
    filter_fn: "Callable[[torch.nn.Module, str], bool] | None" = None


@dataclass
class QuantizationRecipe:
    """How to quantize.

    Attributes:
        quantizers: of the captured graph (``prepare_pt2e``), in order of preference.
        ao_quantization_configs: of the module's source.
        is_qat: train with fake quantization instead of calibrating.
        dynamic_batch_size: the first dimension of every input stays free while calibrating.
        calibration_inputs_fn: gives the inputs to calibrate with; default: the example inputs.
        train_fn: trains the prepared graph, with ``is_qat``.
        pre_prepare_passes, post_prepare_passes, pre_convert_passes, post_convert_passes: functions from graph to
            graph, run around the two steps of quantization.
    """

    quantizers: "list[Any] | None" = None
    ao_quantization_configs: "list[AOQuantizationConfig] | None" = None
    is_qat: bool = False
    dynamic_batch_size: bool = False
    calibration_inputs_fn: "Callable[[], Iterable[tuple[Any, ...]]] | None" = None
    train_fn: "Callable[[torch.fx.GraphModule], None] | None" = None
    pre_prepare_passes: "list[Callable[[torch.fx.GraphModule], torch.fx.GraphModule]] | None" = None
    post_prepare_passes: "list[Callable[[torch.fx.GraphModule], torch.fx.GraphModule]] | None" = None
    pre_convert_passes: "list[Callable[[torch.fx.GraphModule], torch.fx.GraphModule]] | None" = None
    post_convert_passes: "list[Callable[[torch.fx.GraphModule], torch.fx.GraphModule]] | None" = None

    def get_quantizers(self) -> "list[Any] | None":
        """The quantizers of the captured graph."""
        return self.quantizers


@dataclass
class LoweringRecipe:
    """How to lower.

    Attributes:
        partitioners: in order of preference; for all methods or by method name.
        edge_transform_passes: each gives, for ``(method name, program)``, passes over the edge graph.
        edge_manager_transform_passes: each gives, for the manager of the edge programs, passes over all of them.
        edge_compile_config: of the edge dialect.
    """

    partitioners: "list[Any] | dict[str, list[Any]] | None" = None
    edge_transform_passes: "list[Callable[[str, ExportedProgram], Any]] | None" = None
    edge_manager_transform_passes: "list[Callable[[Any], Any]] | None" = None
    edge_compile_config: "EdgeCompileConfig | None" = None


@dataclass
class Recipe:
    """What a recipe says; :class:`~executorch.export.ExportRecipe` adds where to get one.

    Attributes:
        name: for messages.
        quantization_recipe: how to quantize, None for not at all.
        aten_transform_passes: functions from ``(method name, captured program)`` to a program.
        source_transform_in_place: quantize the caller's module itself, rather than a copy.
        lowering_recipe: how to lower; None for the defaults, without a backend.
        executorch_backend_config: of the last stage.
        pipeline_stages: stages to run; None for the usual ones.
        mode: for providers that make recipes.
        strict: how ``torch.export`` captures.
    """

    name: "str | None" = None
    quantization_recipe: "QuantizationRecipe | None" = None
    aten_transform_passes: "list[Callable[[str, ExportedProgram], ExportedProgram]] | None" = None
    source_transform_in_place: bool = False
    lowering_recipe: "LoweringRecipe | None" = None
    executorch_backend_config: "ExecutorchBackendConfig | None" = None
    pipeline_stages: "list[StageType] | None" = None
    mode: Mode = Mode.RELEASE
    strict: bool = True


__all__ = [
    "AOQuantizationConfig",
    "LoweringRecipe",
    "Mode",
    "QuantizationRecipe",
    "Recipe",
    "RecipeType",
    "RecipeTypeMeta",
]
