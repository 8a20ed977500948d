"""Weights of a language model in few bits, chosen by what a text does to its activations, with NNCF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from executorch.backends.openvino.quantizer import nncf_weights
from executorch.backends.openvino.quantizer.quantizer import OpenVINOQuantizer


def get_tokenizer(path: str) -> Any:
    """The tokenizer of a file, by what it begins with.

    Raises:
        ImportError: there is no ``pytorch_tokenizers``.
        FileNotFoundError, RuntimeError: no such file, or none of a tokenizer.
    """
    from pytorch_tokenizers import get_tokenizer as of_file

    return of_file(path)


def transform_fn(token_pos_map: tuple[int, int]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """A position and its token as the inputs of a call of the model."""
    position, token = token_pos_map
    return torch.tensor([[token]]), {"input_pos": torch.tensor([position])}


def get_calibration_data(
    module: Callable[..., torch.Tensor], tokenizer: Any, prompts: str, max_len: int
) -> list[tuple[int, int]]:
    """The tokens of a text, and what the model says after it, each with its position.

    Args:
        module: gives logits of a token and ``{"input_pos": its position}``.
        tokenizer: encodes the text; its ``eos_id`` ends what the model says.
        max_len: the most tokens.
    """
    tokens = list(tokenizer.encode(prompts, bos=True, eos=False))[:max_len]
    position = 0
    while position < len(tokens):
        logits = module(*transform_fn((position, tokens[position])))
        position += 1
        if position == len(tokens) and position < max_len:
            said = int(logits.reshape(-1, logits.shape[-1])[-1].argmax())
            if said == tokenizer.eos_id:
                break
            tokens.append(said)
    return list(enumerate(tokens))


def apply_nncf_data_aware_compression(
    builder_exported: Any, quantizer: OpenVINOQuantizer, awq: bool, scale_estimation: bool
) -> Any:
    """Compresses the weights of an exported language model; with neither flag by themselves, without a text.

    Args:
        builder_exported: an ``LLMEdgeManager`` after ``export``; the graph in it is replaced. A text comes from its
            ``calibration_data``, ``calibration_seq_length`` and ``tokenizer_path``.
        quantizer: of weights alone.
        awq: activation-aware: channels that matter are scaled before they are rounded.
        scale_estimation: scales are chosen by the difference of results.

    Raises:
        ValueError: data is needed, and the builder does not say which; or activations are quantized.
        ImportError: there is no NNCF.
    """
    dataset = None
    if awq or scale_estimation:
        names = ("calibration_data", "calibration_seq_length", "tokenizer_path")
        missing = [name for name in names if getattr(builder_exported, name, None) is None]
        if missing:
            raise ValueError(
                f"Missing required calibration parameter(s): {', '.join(missing)}. AWQ and scale estimation look at data: give "
                "them to the builder"
            )
        data = get_calibration_data(
            builder_exported.pre_autograd_graph_module,
            get_tokenizer(builder_exported.tokenizer_path),
            builder_exported.calibration_data,
            builder_exported.calibration_seq_length,
        )
        dataset = nncf_weights.nncf().Dataset(data, transform_fn)
    builder_exported.pre_autograd_graph_module = nncf_weights.compress(
        builder_exported.pre_autograd_graph_module, quantizer, dataset, awq, scale_estimation
    )
    return builder_exported
