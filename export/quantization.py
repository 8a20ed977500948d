"""What the stages need of torchao, which only recipes that quantize need.

Each function is torchao's of the same name, imported when it is called: exporting does without torchao.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from executorch.dialects.errors import ExportError, ExportErrorType

_PT2E = "torchao.quantization.pt2e"


def _torchao(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExportError(
            ExportErrorType.UNINITIALIZED,
            f"the recipe quantizes, which needs {module}: {error}\nWay out: pip install torchao, or a recipe without "
            "quantization",
        ) from error


def quantize_(
    model: torch.nn.Module, config: Any, filter_fn: "Callable[[torch.nn.Module, str], bool] | None" = None
) -> None:
    """Quantizes the source of ``model`` in place."""
    _torchao("torchao.quantization").quantize_(model, config, filter_fn)


def unwrap_tensor_subclass(model: torch.nn.Module) -> torch.nn.Module:
    """Makes plain tensors of the quantized parameters, which capture needs."""
    unwrapped: torch.nn.Module = _torchao("torchao.utils").unwrap_tensor_subclass(model)
    return unwrapped


def prepare_pt2e(model: Any, quantizer: Any) -> Any:
    """Puts observers into a captured graph."""
    return _torchao(f"{_PT2E}.quantize_pt2e").prepare_pt2e(model, quantizer)


def prepare_qat_pt2e(model: Any, quantizer: Any) -> Any:
    """Puts fake quantization into a captured graph."""
    return _torchao(f"{_PT2E}.quantize_pt2e").prepare_qat_pt2e(model, quantizer)


def convert_pt2e(model: Any) -> Any:
    """Makes quantized operators of observers."""
    return _torchao(f"{_PT2E}.quantize_pt2e").convert_pt2e(model)


def allow_exported_model_train_eval(model: Any) -> Any:
    """Gives a captured graph ``train()`` and ``eval()``."""
    return _torchao(f"{_PT2E}.export_utils").allow_exported_model_train_eval(model)


def move_exported_model_to_train(model: Any) -> Any:
    """Makes dropout and batch normalization of a captured graph those of training."""
    return _torchao(f"{_PT2E}.export_utils").move_exported_model_to_train(model)


def move_exported_model_to_eval(model: Any) -> Any:
    """The reverse of :func:`move_exported_model_to_train`."""
    return _torchao(f"{_PT2E}.export_utils").move_exported_model_to_eval(model)


def ComposableQuantizer(quantizers: Sequence[Any]) -> Any:
    """One quantizer of several, earlier ones first."""
    return _torchao(f"{_PT2E}.quantizer").ComposableQuantizer(list(quantizers))


def is_torchao_quantizer(quantizer: Any) -> bool:
    """True for objects of torchao's base class; where torchao was not imported, nothing is one."""
    module = sys.modules.get(f"{_PT2E}.quantizer")
    return module is not None and isinstance(quantizer, module.Quantizer)


def dynamic_batch(inputs: Iterable[Any]) -> tuple[Any, ...]:
    """Dynamic shapes for ``torch.export`` that leave the first dimension of each tensor free, all the same one."""
    batch = torch.export.Dim("batch", min=1)
    return tuple({0: batch} if isinstance(item, torch.Tensor) and item.dim() else None for item in inputs)


__all__ = [
    "ComposableQuantizer",
    "allow_exported_model_train_eval",
    "convert_pt2e",
    "dynamic_batch",
    "is_torchao_quantizer",
    "move_exported_model_to_eval",
    "move_exported_model_to_train",
    "prepare_pt2e",
    "prepare_qat_pt2e",
    "quantize_",
    "unwrap_tensor_subclass",
]
