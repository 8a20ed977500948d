"""From the trained decoder to programs, by the documented configuration."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

import torch

from executorch.examples.llm.train import CONTEXT, SEQUENCE, SIZES
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.models.transformer import Transformer

_COMMON = """
base: {model_class: llama3}
model: {use_kv_cache: true, use_sdpa_with_kv_cache: true}
backend: {xnnpack: {enabled: true}}
"""


@dataclass(frozen=True)
class Form:
    """A program of the decoder: its name, and what its configuration adds."""

    name: str
    overrides: tuple[str, ...]


_FOUR_BITS = (
    "quantization.qmode=8da4w",
    "quantization.group_size=32",
    "quantization.embedding_quantize=4,32",
)

FORMS = (
    Form("fp32", ()),
    Form("8da4w", _FOUR_BITS),
    Form("8da4w, int8 cache", (*_FOUR_BITS, "model.quantize_kv_cache=true")),
)


def save_checkpoint(model: Transformer, vocabulary: int, directory: pathlib.Path) -> None:
    """Writes `consolidated.00.pth` and `params.json`, as Meta's checkpoints are."""
    torch.save(model.state_dict(), directory / "consolidated.00.pth")
    (directory / "params.json").write_text(json.dumps({**SIZES, "vocab_size": vocabulary}))


def export(directory: pathlib.Path, form: Form, boundary: int) -> pathlib.Path:
    """Makes a program of the checkpoint in a directory, beside it."""
    metadata = json.dumps({"get_bos_id": boundary, "get_eos_ids": [boundary]})
    config = from_yaml(
        _COMMON,
        [
            f"base.checkpoint={directory / 'consolidated.00.pth'}",
            f"base.params={directory / 'params.json'}",
            f"+base.metadata='{metadata}'",
            f"export.max_seq_length={SEQUENCE}",
            f"export.max_context_length={CONTEXT}",
            f"export.output_dir={directory}",
            f"export.output_name={form.name.replace(', ', '_').replace(' ', '_')}",
            *form.overrides,
        ],
    )
    return pathlib.Path(export_llama(config))
