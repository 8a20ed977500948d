"""Decoders out of GGUF files: sizes of their metadata, weights by their names. The package `gguf` reads them.

Weights that are quantized become floats when they are asked for, row by row; those that are floats are mapped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from executorch.extension.llm.models.refusal import RefusalError

#: Rows of a weight as floats, from one to the one behind the last.
Rows = Callable[[int, int], torch.Tensor]

#: Architectures to what they are beside their metadata. In those of Llama's, queries and keys are in Meta's order of pairs.
_ARCHITECTURES: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen2": {"use_hf_rope": True, "attention_qkv_bias": True},
    "qwen3": {"use_hf_rope": True, "use_qk_norm": True, "qk_norm_before_rope": True},
}

#: Sizes by their names there, without the architecture's.
_SIZES = {
    "block_count": "n_layers",
    "embedding_length": "dim",
    "feed_forward_length": "hidden_dim",
    "attention.head_count": "n_heads",
    "attention.head_count_kv": "n_kv_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "norm_eps",
    "rope.freq_base": "rope_theta",
}
_NEEDED = ("n_layers", "dim", "hidden_dim", "n_heads", "norm_eps")

_OUTSIDE = {"token_embd": "tok_embeddings", "output_norm": "norm", "output": "output"}
_LAYER = {
    "attn_q": "attention.wq",
    "attn_k": "attention.wk",
    "attn_v": "attention.wv",
    "attn_output": "attention.wo",
    "attn_q_norm": "attention.q_norm_fn",
    "attn_k_norm": "attention.k_norm_fn",
    "attn_norm": "attention_norm",
    "ffn_norm": "ffn_norm",
    "ffn_gate": "feed_forward.w1",
    "ffn_down": "feed_forward.w2",
    "ffn_up": "feed_forward.w3",
}


def read(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor], dict[str, Rows]]:
    """Keywords of :class:`~executorch.extension.llm.models.model_args.ModelArgs`, and a state dict, in which matrices that are quantized in
    the file are shapes only; for each of these, what gives its rows.

    Raises:
        ValueError: the file is none, lacks a size, or is of another architecture than llama, qwen2 and qwen3.
        ImportError: the package gguf is not installed.
    """
    try:
        import gguf
    except ModuleNotFoundError as error:
        raise ImportError("GGUF files are read by the package gguf: pip install gguf") from error
    try:
        # PyTorch warns of memory that must not be written: in this mode what is written is a copy. Nothing writes weights.
        reader = gguf.GGUFReader(path, "c")
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise RefusalError(f"{path} is no GGUF file: {error}") from error
    tensors = {one.name: one for one in reader.tensors}
    sizes = _sizes(path, reader, tensors)
    weights: dict[str, torch.Tensor] = {}
    rows: dict[str, Rows] = {}
    for name, tensor in tensors.items():
        if name == "rope_freqs.weight":
            sizes["rope_frequency_factors"] = [float(one) for one in tensor.data]
            continue
        ours = _name(path, name)
        is_float = tensor.tensor_type in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16)
        if is_float:
            weights[ours] = torch.from_numpy(tensor.data)
            continue
        rows[ours] = _rows(gguf, tensor)
        shape = [int(size) for size in reversed(tensor.shape)]
        weights[ours] = torch.empty(shape, device="meta") if len(shape) == 2 else rows.pop(ours)(0, shape[0])
    return sizes, weights, rows


def _sizes(path: Path, reader: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    field = reader.get_field("general.architecture")
    architecture = None if field is None else field.contents()
    if architecture not in _ARCHITECTURES:
        raise RefusalError(
            f"{path} is of architecture {architecture}; there are {', '.join(_ARCHITECTURES)}: give the directory with "
            "config.json for others"
        )
    sizes = dict(_ARCHITECTURES[architecture])
    for theirs, ours in _SIZES.items():
        found = reader.get_field(f"{architecture}.{theirs}")
        if found is not None:
            sizes[ours] = found.contents()
    missing = [one for one in _NEEDED if one not in sizes]
    if missing or "token_embd.weight" not in tensors:
        raise RefusalError(f"{path} does not say {', '.join(missing) or 'its token_embd.weight'}")
    sizes["vocab_size"] = int(tensors["token_embd.weight"].shape[1])
    return sizes


def _name(path: Path, name: str) -> str:
    module, _, kind = name.rpartition(".")
    layer = re.fullmatch(r"blk\.(\d+)\.(.+)", module)
    if module in _OUTSIDE:
        return f"{_OUTSIDE[module]}.{kind}"
    if layer and layer[2] in _LAYER:
        return f"layers.{layer[1]}.{_LAYER[layer[2]]}.{kind}"
    raise RefusalError(f"{path}: the decoder has no place for {name}")


def _rows(gguf: Any, tensor: Any) -> Rows:
    def rows(first: int, last: int) -> torch.Tensor:
        # Blocks lie along a row.
        data = tensor.data[first:last] if tensor.data.ndim > 1 else tensor.data
        return torch.from_numpy(gguf.quants.dequantize(data, tensor.tensor_type))

    return rows
