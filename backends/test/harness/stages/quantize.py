"""Quantization before capture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export import export
from torch.fx import GraphModule
from torchao.quantization import quantize_
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.backends.transforms.duplicate_dynamic_quant_chain import DuplicateDynamicQuantChainPass


class Quantize(Stage):
    """torchao's PT2E flow: module to module with quantized operators.

    Args:
        quantizer: says what is quantized how.
        quantization_config: is made the quantizer's global one.
        calibrate: run the prepared module, so that scales are chosen from data.
        calibration_samples: tuples of inputs; the example inputs by default.
        is_qat: prepare for training.
        set_global: whether ``quantization_config`` is handed to the quantizer.
        fold_quantize: as for ``convert_pt2e``.

    Raises:
        ValueError: there is no quantizer.
    """

    def __init__(
        self,
        quantizer: Quantizer | None = None,
        quantization_config: Any = None,
        calibrate: bool = True,
        calibration_samples: Sequence[Any] | None = None,
        is_qat: bool | None = False,
        set_global: bool = True,
        fold_quantize: bool = True,
    ) -> None:
        if quantizer is None:
            raise ValueError("say which quantizer: every backend has its own")
        self.quantizer = quantizer
        self.quantization_config = quantization_config
        self.calibrate = calibrate
        self.calibration_samples = calibration_samples
        self.is_qat = bool(is_qat)
        self.fold_quantize = fold_quantize
        if set_global and quantization_config is not None:
            quantizer.set_global(quantization_config)  # type: ignore[attr-defined]
        self.converted_graph: GraphModule | None = None

    def stage_type(self) -> StageType:
        return StageType.QUANTIZE

    def run(self, artifact: torch.nn.Module, inputs: tuple[Any, ...] | None) -> None:
        assert inputs is not None, "quantization needs example inputs"
        if self.is_qat:
            artifact.train()
        # Guards would fix the sizes of the example inputs for the capture that follows, where they may be dynamic.
        captured = export(artifact, inputs, strict=True).module(check_guards=False)
        prepared = (prepare_qat_pt2e if self.is_qat else prepare_pt2e)(captured, self.quantizer)
        if self.calibrate:
            for sample in self.calibration_samples or [inputs]:
                prepared(*sample)
        converted = convert_pt2e(prepared, fold_quantize=self.fold_quantize)
        # Layers that read one input each quantize it at run time, so that they may go to delegates of their own.
        DuplicateDynamicQuantChainPass()(converted)
        self.converted_graph = converted

    @property
    def artifact(self) -> GraphModule:
        assert self.converted_graph is not None, "this stage has not run"
        return self.converted_graph

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact

    def run_artifact(self, inputs: Any) -> Any:
        return self.artifact(*inputs)


class Quantize_(Stage):
    """torchao's ``quantize_``: the module's own weights become quantized tensors.

    Args:
        config: as for ``quantize_``.
        filter_fn: which modules, by module and name; linear layers by default.
    """

    def __init__(self, config: Any, filter_fn: Callable[[torch.nn.Module, str], bool] | None = None) -> None:
        self.config = config
        self.filter_fn = filter_fn
        self.quantized_module: torch.nn.Module | None = None

    def stage_type(self) -> StageType:
        return StageType.QUANTIZE

    def run(self, artifact: torch.nn.Module, inputs: tuple[Any, ...] | None) -> None:
        quantize_(artifact, self.config, self.filter_fn)
        self.quantized_module = artifact

    @property
    def artifact(self) -> torch.nn.Module:
        assert self.quantized_module is not None, "this stage has not run"
        return self.quantized_module

    @property
    def graph_module(self) -> GraphModule | None:
        return None

    def run_artifact(self, inputs: Any) -> Any:
        return self.artifact(*inputs)
