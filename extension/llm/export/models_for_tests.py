"""A small decoder's checkpoint, and the overrides of a configuration that name it."""

import json
import pathlib
from collections.abc import Mapping
from typing import Any

import torch

from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import construct_transformer

SIZES = {"dim": 64, "n_layers": 1, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 96, "hidden_dim": 96}
CACHE = ["model.use_kv_cache=true"]
CUSTOM = [*CACHE, "model.use_sdpa_with_kv_cache=true"]
XNNPACK = ["backend.xnnpack.enabled=true"]


def saved(directory: pathlib.Path, others: Mapping[str, Any] | None = None) -> list[str]:
    """Writes random weights of these sizes and others; calls take 12 tokens of 16 positions."""
    torch.manual_seed(0)
    sizes: dict[str, Any] = SIZES | dict(others or {})
    model = construct_transformer(ModelArgs(**sizes, max_context_len=16))
    torch.save(model.state_dict(), directory / "consolidated.00.pth")
    (directory / "params.json").write_text(json.dumps(sizes))
    return [
        "base.model_class=llama3_2",
        f"base.checkpoint={directory / 'consolidated.00.pth'}",
        f"base.params={directory / 'params.json'}",
        '+base.metadata=\'{"get_bos_id":1, "get_eos_ids":[2,3]}\'',
        "export.max_seq_length=12",
        "export.max_context_length=16",
    ]
