"""Quantizers of the PT2E flow by the options of an export; a backend is looked up when it is asked for."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass
class EmbeddingQuantOptions:
    """Of embeddings: a scale for each row, or for groups of some elements (-1: the row)."""

    is_per_channel: bool = True
    group_size: int = -1

    def __post_init__(self) -> None:
        if self.group_size != -1:
            raise ValueError(
                f"PT2E quantizes embeddings by rows (group_size -1), not in groups of {self.group_size}: use embedding_quantize"
            )


@dataclass
class DynamicQuantLinearOptions:
    """Of linear layers whose inputs are quantized at run time: a scale for each row of weights, or one; 4 bits or 8."""

    is_per_channel: bool = True
    is_qc4: bool = False


@dataclass
class PT2EQuantOptions:
    """What is quantized, and how; None: not."""

    quantize_embedding: EmbeddingQuantOptions | None = None
    quantize_linear: DynamicQuantLinearOptions | None = None


def get_pt2e_quantization_params(
    pt2e_quantize: str | None = None, quantization_mode: str | None = None
) -> PT2EQuantOptions | None:
    """The options of ``quantization.pt2e_quantize``; None if nothing is asked for, or a backend of its own is.

    Raises:
        ValueError: weights are quantized by ``quantization_mode`` already.
    """
    if pt2e_quantize is None:
        return None
    if quantization_mode is not None:
        raise ValueError(
            f"pt2e_quantize {pt2e_quantize} and qmode {quantization_mode} both quantize linear layers: give one of them"
        )
    if pt2e_quantize not in ("xnnpack_dynamic", "xnnpack_dynamic_qc4"):
        return None
    return PT2EQuantOptions(
        quantize_linear=DynamicQuantLinearOptions(is_qc4=pt2e_quantize == "xnnpack_dynamic_qc4")
    )


def get_pt2e_quantizers(quant_params: PT2EQuantOptions | None, so_library: str | None = None) -> list[Any]:
    """The quantizers of some options, for XNNPACK; none for None.

    Raises:
        ValueError: embeddings are to be quantized, which is done by ``embedding_quantize``.
        ImportError: the backend is not installed.
    """
    del so_library
    if quant_params is None:
        return []
    if quant_params.quantize_embedding is not None:
        raise ValueError(
            "PT2E has no quantizer of embeddings here: use embedding_quantize, which changes weights"
        )
    linear = quant_params.quantize_linear
    if linear is None:
        return []
    module = importlib.import_module("executorch.backends.xnnpack.quantizer.xnnpack_quantizer")
    named: dict[str, Any] = {"is_per_channel": linear.is_per_channel, "is_dynamic": True}
    if linear.is_qc4:
        named |= {"weight_qmin": -8, "weight_qmax": 7}
    quantizer = module.XNNPACKQuantizer()
    quantizer.set_global(module.get_symmetric_quantization_config(**named))
    return [quantizer]
